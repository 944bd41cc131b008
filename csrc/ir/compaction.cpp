#include <selvage/base/refuse.h>
#include <selvage/ir/bisection.h>
#include <selvage/ir/compaction.h>
#include <selvage/ir/op_shapes.h>

namespace selvage {

namespace {

// How many items are below `wanted`, a value over `indices`.
Tensor search(Tensor sorted, const std::vector<Expr>& indices, const std::vector<Expr>& shape,
              const Element& wanted, bool right) {
  Fusion& f = sorted.fusion();
  const Expr extent = sorted.shape()[0];
  const Element none = cast(Element(f, f.values().whole(0)), sorted.type());
  return count_by_bisection(f, indices, shape, most_items(f, extent), [&](const Element& at) {
    const Element item = gather_or(sorted, {Subscript(at)}, none);
    return at < Element(extent) && (right ? item <= wanted : item < wanted);
  });
}

}  // namespace

Tensor searchsorted(Tensor sorted, Tensor values, bool right) {
  check_one_fusion("searchsorted", sorted, values);
  if (shape_of(sorted).size() != 1) {
    refuse<BadInput>("E511", "searchsorted: " + to_text(sorted) + " has another rank than 1",
                     "give a tensor of one axis");
  }
  const std::vector<Expr> indices = fresh_indices(values.fusion(), shape_of(values).size());
  return search(sorted, indices, shape_of(values), read(values, indices), right);
}

Compacted compact(Tensor x, Tensor keep, std::optional<Expr> length) {
  check_one_fusion("compact", x, keep);
  const std::vector<Expr> shape = shape_of(x), other = shape_of(keep);
  Fusion& f = x.fusion();
  bool is_alike = shape.size() == other.size();
  for (std::size_t k = 0; is_alike && k < shape.size(); ++k) {
    is_alike = find_out(f, eq(shape[k], other[k])) != Holds::Never;
  }
  if (!is_alike) {
    refuse<BadInput>("E511",
                     "compact: " + to_text(x) + " and " + to_text(keep) + " differ in shape",
                     "give a condition for each item");
  }
  for (std::size_t k = 0; k < shape.size(); ++k) {
    require(f, eq(shape[k], other[k]), "compact: a condition stands for each item");
  }
  const Tensor items = shape.size() == 1 ? x : flatten(x);
  const Tensor kept = cumsum(cast(shape.size() == 1 ? keep : flatten(keep), DataType::Bool), 0);
  const Expr n = items.shape()[0], k = f.fresh_index("k");
  const Tensor count = f.compute("", {}, {}, read_or(kept, {n - 1}, 0));
  const std::vector<Expr> places = {length.value_or(n)};
  const Tensor place = search(kept, {k}, places, Element(k), true);
  const Element item = gather(items, {clamped(read(place, {k}))});
  const ValueId none = f.values().constant(f[items.id()].type, std::int64_t{0}, false);
  const Element value = select(Element(k) < read(count, {}), item, {f, none});
  return {f.compute("", {k}, places, value), kept, count};
}

}  // namespace selvage
