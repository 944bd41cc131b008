// Products of sparse matrices, and rows of rows, beside plain loops.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/ragged_ops.h>
#include <selvage/ir/sparse_product.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>
#include <tests/support/stored_items.h>

#include <map>

namespace selvage {

namespace {

namespace sparse_product {

using Sums = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

// C = A B, and C x by the rows of C.
TEST(SparseProduct, HasTheSumsOfPlainLoops) {
  const StorageFormat csr{StorageKind::Csr}, coo{StorageKind::Coo};
  for (const auto& [of_a, of_b] : {std::pair{csr, csr}, {coo, csr}, {csr, coo}}) {
    Fusion f;
    const Expr I = f.extent("I", 0), J = f.extent("J"), K = f.extent("K");
    const SparseInput A(f, "A", of_a, I, J, DataType::Int32);
    const SparseInput B(f, "B", of_b, J, K, DataType::Int32);
    const Tensor x = f.input("x", {K}, DataType::Int32);
    const SparseProducts C = products(A, B, "A_B_products");
    f.output("C", C.values);
    f.output("C_columns", C.columns);
    const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
    f.output("y", f.compute_fold("", {i}, {I}, {.indices = {j}, .shape = {length(f, C.rows)}},
                                 item(C.values, C.rows, {i, j}) *
                                     gather(x, {clamped(item(C.columns, C.rows, {i, j}))})));
    const Program program = lower_automatically(f, {}, usual_device(), {});
    EXPECT_TRUE(prove(program.steps).is_complete());
    SplitMix64 random(5);
    for (int n = 0; n < count(8, 100) && !HasFailure(); ++n) {
      const std::int64_t rows = n == 0 ? 0 : 1 + std::int64_t(random.next() % 12);
      const std::int64_t inner = 1 + std::int64_t(random.next() % 9);
      const StoredMatrix a = stored(test::few_items(random, rows, inner), of_a);
      const StoredMatrix b =
          stored(test::few_items(random, inner, 1 + std::int64_t(random.next() % 9)), of_b);
      RunRequest request{.sizes = {{"I", rows}, {"J", inner}, {"K", b.columns}},
                         .inputs = arrays_of(a, "A", DataType::Int32, DataType::Int32),
                         .on = Machine::Emulate,
                         .on_all = n < 4};
      request.inputs.merge(arrays_of(b, "B", DataType::Int32, DataType::Int32));
      const RunResult result = run(f, program, request);
      ASSERT_TRUE(result.passed());
      Sums wanted, made;
      for (const test::StoredItem& p : test::stored_items(a)) {
        for (const test::StoredItem& q : test::stored_items(b)) {
          if (p.column != q.row) continue;
          wanted[{p.row, q.column}] += std::int64_t(p.value) * std::int64_t(q.value);
        }
      }
      const auto out = [&](const char* name, std::int64_t k) {
        return result.outputs.at(name).get_int(k);
      };
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t k = out("A_B_products_offsets", r);
             k < out("A_B_products_offsets", r + 1); ++k) {
          made[{r, out("C_columns", k)}] += out("C", k);
        }
      }
      EXPECT_EQ(made, wanted);
      for (std::int64_t r = 0; r < rows; ++r) {
        std::int64_t sum = 0;
        for (const auto& [at, value] : wanted) {
          if (at.first == r) sum += value * result.inputs.at("x").get_int(at.second);
        }
        EXPECT_EQ(out("y", r), sum);
      }
    }
  }
}

TEST(SparseProduct, SaysWhatItCannotMultiply) {
  Fusion f;
  const Expr I = f.extent("I"), J = f.extent("J");
  const SparseInput A(f, "A", {StorageKind::Csr}, I, f.constant(3), DataType::Float);
  const SparseInput B(f, "B", {StorageKind::Ell}, J, I, DataType::Float);
  const SparseInput C(f, "C", {StorageKind::Csr}, f.constant(4), I, DataType::Float);
  EXPECT_EQ(bad_input([&] { products(A, B, "A_B_products"); }),
            "selvage: error[E520]: B is ell, and the product of two sparse matrices goes through "
            "their rows; help: store it as csr or coo");
  EXPECT_EQ(bad_input([&] { products(A, C, "A_C"); }),
            "selvage: error[E501]: a product: A has a column for each row of C, which is not so; "
            "help: give matrices [I, J] and [J, K]");
}

// Inlined where no loop tells its row, an item would be at none.
TEST(SparseProduct, ItemsAreNotInlinedWhereTheirRowIsNotTold) {
  Fusion f;
  const Expr I = f.extent("I"), J = f.extent("J");
  const SparseInput A(f, "A", {StorageKind::Csr}, I, J, DataType::Float);
  const SparseInput B(f, "B", {StorageKind::Csr}, J, I, DataType::Float);
  f.output("C", products(A, B, "A_B_products").values);
  EXPECT_EQ(illegal([&] { lower(Schedule(f)); }),
            "selvage: error[E455]: t3 is computed from the row of an item of A_B_products_begins, "
            "and C, which it is inlined into, tells none; help: give t3 a nest of its own, t3: []");
}

// A tensor of three compressed levels: slabs of rows of items. A sum of each row is an item of its
// slab, and a sum of these the slab's.
TEST(SparseProduct, LevelsOfRowsFoldOneAfterTheOther) {
  Fusion f;
  const Expr I = f.extent("I", 0), K = f.extent("K");
  const RowsId slabs = add_rows(f.input("rows_of", {I + 1}, DataType::Int32));
  const Expr rows = f.domains()[slabs].items;
  const RowsId lines = add_rows(f.input("items_of", {rows + 1}, DataType::Int32));
  const Tensor T = ragged_input(f, "T", lines, {}, DataType::Int32);
  const Tensor k_of = ragged_input(f, "k_of", lines, {}, DataType::Int32);
  const Tensor x = f.input("x", {K}, DataType::Int32);
  const Expr p = f.fresh_index("p"), k = f.fresh_index("k");
  const Tensor by_row =
      f.compute_fold("", {p}, {rows}, {.indices = {k}, .shape = {length(f, lines)}},
                     item(T, lines, {p, k}) * gather(x, {clamped(item(k_of, lines, {p, k}))}));
  f.output("y", row_sum(as_rows(by_row, slabs)));
  const Program program = lower_automatically(f, {}, usual_device(), {});
  EXPECT_TRUE(prove(program.steps).is_complete());
  SplitMix64 random(9);
  for (int n = 0; n < count(6, 60); ++n) {
    std::vector<std::int64_t> rows_of = {0}, items_of = {0};
    for (std::uint64_t slab = random.next() % 7; n > 0 && slab > 0; --slab) {
      for (std::uint64_t row = random.next() % 4; row > 0; --row) {
        items_of.push_back(items_of.back() + std::int64_t(random.next() % 5));
      }
      rows_of.push_back(std::int64_t(items_of.size()) - 1);
    }
    const auto array = [](const std::vector<std::int64_t>& numbers) {
      Array made(DataType::Int32, {std::int64_t(numbers.size())});
      for (std::size_t at = 0; at < numbers.size(); ++at) {
        made.set_int(std::int64_t(at), numbers[at]);
      }
      return made;
    };
    const std::int64_t items = items_of.back();
    const Array k_array = made_up_indices("k_of", DataType::Int32, {items},
                                          {.extent = 5, .may_leave = false}, std::uint64_t(n));
    const RunResult result = run(
        f, program,
        {.sizes = {{"K", 5}, {"items_of_items", items}},
         .inputs = {{"rows_of", array(rows_of)}, {"items_of", array(items_of)}, {"k_of", k_array}},
         .on = Machine::Emulate,
         .on_all = true});
    ASSERT_TRUE(result.passed());
    for (std::size_t slab = 0; slab + 1 < rows_of.size(); ++slab) {
      std::int64_t sum = 0;
      for (std::int64_t at = items_of[std::size_t(rows_of[slab])];
           at < items_of[std::size_t(rows_of[slab + 1])]; ++at) {
        sum +=
            result.inputs.at("T").get_int(at) * result.inputs.at("x").get_int(k_array.get_int(at));
      }
      EXPECT_EQ(result.outputs.at("y").get_int(std::int64_t(slab)), sum) << slab;
    }
  }
}

}  // namespace sparse_product

}  // namespace

}  // namespace selvage
