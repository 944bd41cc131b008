// Unions, conversions and products of sparse matrices, beside sums by coordinates.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/ir/sparse_product.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>
#include <tests/support/stored_items.h>

#include <map>

namespace selvage::test {

namespace {

namespace coalesced_test {

// By row and column, for each matrix.
using Sums = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>>;

void add(Sums& sums, std::size_t matrix, std::size_t all, const StoredItem& item) {
  const auto place = std::pair(item.row, item.column);
  sums.try_emplace(place, all).first->second[matrix] += std::int64_t(item.value);
}

// The outputs of a matrix C, each place of which must stand once and in order.
Sums made_sums(const RunResult& result, std::size_t matrices, bool by_columns) {
  const auto out = [&](const std::string& name, std::int64_t k) {
    return result.outputs.at(name).get_int(k);
  };
  Sums made;
  const std::int64_t lines = result.outputs.at("C_offsets").size() - 1;
  EXPECT_EQ(out("C_offsets", 0), 0);
  EXPECT_EQ(out("C_offsets", lines), result.outputs.at("C0").size());
  std::optional<std::pair<std::int64_t, std::int64_t>> last;
  for (std::int64_t r = 0; r < lines; ++r) {
    for (std::int64_t k = out("C_offsets", r); k < out("C_offsets", r + 1); ++k) {
      const auto place = std::pair(r, out("C_columns", k));
      EXPECT_EQ(out("C_rows", k), r);
      EXPECT_TRUE(!last || *last < place);
      last = place;
      auto& values = made[by_columns ? std::pair(place.second, place.first) : place];
      for (std::size_t m = 0; m < matrices; ++m) {
        values.push_back(out("C" + std::to_string(m), k));
      }
    }
  }
  return made;
}

void put_out(Fusion& f, const Coalesced& c) {
  f.output("C_columns", c.columns);
  f.output("C_rows", c.rows_of_items);
  for (std::size_t m = 0; m < c.values.size(); ++m) {
    f.output("C" + std::to_string(m), c.values[m]);
  }
}

TEST(Coalesced, HasTheUnionOfPlaces) {
  const StorageFormat csr{StorageKind::Csr}, coo{StorageKind::Coo}, csc{StorageKind::Csc};
  int which = 0;
  for (const std::vector<StorageFormat>& formats :
       {std::vector{csr}, {csc}, {coo}, {csr, csr}, {coo, csc}, {csr, csc, coo}}) {
    const bool by_columns = which++ % 2 == 1;
    Fusion f;
    const Expr I = f.extent("I", 0, 100), J = f.extent("J", 1, 100);
    std::vector<ItemList> items;
    for (std::size_t m = 0; m < formats.size(); ++m) {
      const std::string name(1, char('P' + m));
      const SparseInput matrix(f, name, formats[m], I, J, DataType::Int32);
      f.assume(matrix.values().shape()[0] <= 100);
      items.push_back(by_columns ? transposed(item_list(matrix)) : item_list(matrix));
    }
    put_out(f, coalesced(f, "C", by_columns ? J : I, by_columns ? I : J, items));
    const Program program = lower_automatically(f, {}, usual_device(), {});
    EXPECT_TRUE(prove(program.steps).is_complete());
    SplitMix64 random(7);
    for (int n = 0; n < count(6, 60) && !HasFailure(); ++n) {
      const std::int64_t rows = n == 0 ? 0 : 1 + std::int64_t(random.next() % 9);
      const std::int64_t columns = 1 + std::int64_t(random.next() % 9);
      RunRequest request{.sizes = {{"I", rows}, {"J", columns}},
                         .on = n % 5 == 1 ? Machine::Virtual : Machine::Emulate,
                         .on_all = n < 3};
      Sums wanted;
      for (std::size_t m = 0; m < formats.size(); ++m) {
        const StoredMatrix own = stored(few_items(random, rows, columns), formats[m]);
        for (const StoredItem& item : stored_items(own)) add(wanted, m, formats.size(), item);
        request.inputs.merge(
            arrays_of(own, std::string(1, char('P' + m)), DataType::Int32, DataType::Int32));
      }
      const RunResult result = run(f, program, request);
      ASSERT_TRUE(result.passed());
      EXPECT_EQ(made_sums(result, formats.size(), by_columns), wanted);
    }
  }
}

TEST(Coalesced, AProductHasEachPlaceOnce) {
  Fusion f;
  const Expr I = f.extent("I", 0, 20), J = f.extent("J", 1, 20), K = f.extent("K", 1, 20);
  const SparseInput A(f, "A", {StorageKind::Csr}, I, J, DataType::Int32);
  const SparseInput B(f, "B", {StorageKind::Csr}, J, K, DataType::Int32);
  const Coalesced product = multiplied(A, B, f.extent("products", 0, 500));
  put_out(f, product);
  f.rename(*f.find("A_B_offsets"), "C_offsets");
  const Program program = lower_automatically(f, {}, usual_device(), {});
  EXPECT_TRUE(prove(program.steps).is_complete());
  SplitMix64 random(11);
  for (int n = 0; n < count(6, 60) && !HasFailure(); ++n) {
    const std::int64_t rows = n == 0 ? 0 : 1 + std::int64_t(random.next() % 9);
    const std::int64_t inner = 1 + std::int64_t(random.next() % 7);
    const StoredMatrix a = stored(few_items(random, rows, inner), A.format());
    const StoredMatrix b =
        stored(few_items(random, inner, 1 + std::int64_t(random.next() % 7)), B.format());
    RunRequest request{.sizes = {{"I", rows}, {"J", inner}, {"K", b.columns}},
                       .inputs = arrays_of(a, "A", DataType::Int32, DataType::Int32),
                       .on = Machine::Emulate,
                       .on_all = n < 2};
    request.inputs.merge(arrays_of(b, "B", DataType::Int32, DataType::Int32));
    const RunResult result = run(f, program, request);
    ASSERT_TRUE(result.passed());
    Sums wanted;
    for (const StoredItem& p : stored_items(a)) {
      for (const StoredItem& q : stored_items(b)) {
        if (p.column == q.row) add(wanted, 0, 1, {p.row, q.column, p.value * q.value, 0});
      }
    }
    EXPECT_EQ(made_sums(result, 1, false), wanted);
  }
}

TEST(Coalesced, SaysWhatHasNoListOfItems) {
  Fusion f;
  const Expr I = f.extent("I"), J = f.extent("J");
  const SparseInput A(f, "A", {StorageKind::Ell}, I, J, DataType::Float);
  EXPECT_EQ(bad_input([&] { item_list(A); }),
            "selvage: error[E520]: A is ell, which has no list of its items; "
            "help: store it as csr, csc or coo");
}

}  // namespace coalesced_test

}  // namespace

}  // namespace selvage::test
