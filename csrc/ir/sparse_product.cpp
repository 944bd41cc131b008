#include <selvage/base/refuse.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/ragged_ops.h>
#include <selvage/ir/sparse_product.h>

namespace selvage {

namespace {

void check_is_by_rows(const SparseInput& matrix) {
  const StorageKind storage = matrix.format().storage;
  if (storage == StorageKind::Csr || storage == StorageKind::Coo) return;
  refuse<BadInput>("E520",
                   matrix.name() + " is " + to_string(matrix.format()) +
                       ", and the product of two sparse matrices goes through their rows",
                   "store it as csr or coo");
}

}  // namespace

SparseProducts products(const SparseInput& a, const SparseInput& b, const std::string& name,
                        std::optional<Expr> items) {
  check_one_fusion("products", a.values(), b.values());
  check_is_by_rows(a);
  check_is_by_rows(b);
  Fusion& f = a.values().fusion();
  const std::string why = a.name() + " has a column for each row of " + b.name();
  if (require(f, eq(a.columns(), b.rows()), "a product: " + why) == Holds::Never) {
    refuse<BadInput>("E501", "a product: " + why + ", which is not so",
                     "give matrices [I, J] and [J, K]");
  }
  const RaggedRows rows_of_a = f.domains()[*a.lines()];
  const auto number = [](const Element& e) { return cast(e, DataType::Int64); };
  const auto begin_in_b = [&](const Element& row) {
    return number(gather(b.array(kOffsetsSuffix), {clamped(row)}));
  };
  const Expr p = f.fresh_index("p"), q = f.fresh_index("q"), k = f.fresh_index("k"),
             i = f.fresh_index("i");
  const auto row_of_b = [&] { return number(read(a.array(kColumnsSuffix), {p})); };

  const Element length = begin_in_b(row_of_b() + 1) - begin_in_b(row_of_b());
  const Tensor counts = f.compute("", {p}, {rows_of_a.items}, select(length > 0, length, 0));
  const Tensor ends = cumsum(counts, 0);
  const Tensor begins = f.output(
      name + "_begins", f.compute("", {q}, {rows_of_a.items + 1}, read_or(ends, {q - 1}, 0)));
  const Expr count = items ? *items : f.extent(name + kItemsSuffix, 0);
  const RowsId of_items = add_rows(begins, count);
  const auto product = [&](Tensor of_b) {
    return gather(of_b, {clamped(begin_in_b(row_of_b()) + Element(k))});
  };
  const Tensor values =
      compute_ragged(f, "", of_items, {p, k}, {}, read(a.values(), {p}) * product(b.values()));
  const Tensor columns =
      compute_ragged(f, "", of_items, {p, k}, {}, number(product(b.array(kColumnsSuffix))));

  const Element begin = number(read(a.array(kOffsetsSuffix), {i}));
  const Tensor offsets =
      f.output(name + kOffsetsSuffix,
               f.compute("", {i}, {rows_of_a.count + 1}, gather(begins, {clamped(begin)})));
  const RowsId rows = add_rows(offsets, count);
  return {rows, as_rows(columns, rows), as_rows(values, rows)};
}

Coalesced multiplied(const SparseInput& a, const SparseInput& b, std::optional<Expr> products) {
  const std::string name = a.name() + "_" + b.name();
  const SparseProducts all = selvage::products(a, b, name + "_products", products);
  return coalesced(a.values().fusion(), name, a.rows(), b.columns(),
                   {item_list(all.rows, all.columns, all.values)});
}

}  // namespace selvage
