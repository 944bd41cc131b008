// Scatters: y[idx[i], j] += x[i, j], beside plain loops and through all targets.
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>

#include <gmock/gmock.h>

#include <array>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage::scatters {
namespace {

using test::expect_agreement;

// y = scatter_add(into [V, D], 0, idx [N], x [N, D])
struct Rows {
  explicit Rows(DataType type, DataType index = DataType::Int64) {
    const auto [V, D, N] = f.extents("V", "D", "N");
    const Tensor into = f.input("into", {V, D}, type);
    f.output("y", scatter_add(into, 0, f.input("idx", {N}, index), f.input("x", {N, D}, type)));
  }
  Fusion f;
};

Array filled(DataType type, std::vector<std::int64_t> shape, const std::vector<double>& items) {
  Array a(type, std::move(shape));
  for (std::size_t k = 0; k < items.size(); ++k) a.set(std::int64_t(k), items[k]);
  return a;
}

TEST(Scatters, EachItemIsAddedWhereItsIndexSays) {
  for (const DataType type : {DataType::Float, DataType::Half, DataType::Int32, DataType::Int64}) {
    Rows r(type);
    const std::vector<double> idx = {2, 0, 2, -1, 3, 2, 7};  // -1, 3 and 7 are out of bounds
    std::vector<double> x, expected = {100, 200, 300, 400, 500, 600};
    for (int k = 0; k < 14; ++k) x.push_back(k);
    for (std::size_t i = 0; i < idx.size(); ++i) {
      for (std::size_t j = 0; j < 2 && idx[i] >= 0 && idx[i] < 3; ++j) {
        expected[std::size_t(idx[i]) * 2 + j] += x[i * 2 + j];
      }
    }
    const Array y = run_reference(r.f, {{"V", 3}, {"D", 2}, {"N", 7}},
                                  {{"into", filled(type, {3, 2}, {100, 200, 300, 400, 500, 600})},
                                   {"idx", filled(DataType::Int64, {7}, idx)},
                                   {"x", filled(type, {7, 2}, x)}})[0];
    EXPECT_EQ(y, filled(type, {3, 2}, expected)) << to_string(type);
  }
}

TEST(Scatters, RunOnEveryTargetAndAreProved) {
  for (const DataType type : {DataType::Float, DataType::Half, DataType::Int32}) {
    Rows r(type, DataType::Int32);
    const Program program = lower(r.f);
    test::expect_verified(program);
    for (const auto& [v, d, n] :
         {std::array{1, 1, 1}, std::array{5, 3, 40}, std::array{33, 64, 100}}) {
      expect_agreement(r.f, program, {.sizes = {{"V", v}, {"D", d}, {"N", n}}});
    }
  }
}

// What an embedding reads, a scatter gives back: sum(embedding(t, idx) * x) is
// sum(t * scatter_add(0, idx, x)).
TEST(Scatters, AnIndexOfTwoAxesIsTheTransposeOfIndexSelect) {
  Fusion f;
  const auto [B, V, K] = f.extents("B", "V", "K");
  const auto [I, J] = f.extents("I", "J");
  const Tensor t = f.input("t", {B, V, K}, DataType::Int64);
  const Tensor idx = f.input("idx", {I, J}, DataType::Int64);
  const Tensor x = f.input("x", {B, I, J, K}, DataType::Int64);
  f.output("read", sum(index_select(t, 1, idx) * x));
  f.output("added", sum(t * (scatter_add(t, -2, idx, x) - t)));
  const std::map<std::string, std::int64_t> sizes = {
      {"B", 2}, {"V", 5}, {"K", 3}, {"I", 4}, {"J", 6}};
  const RunResult r = run(f, lower(f), {.sizes = sizes, .on = Machine::Emulate, .on_all = true});
  EXPECT_TRUE(r.passed());
  EXPECT_EQ(r.outputs.at("read"), r.outputs.at("added"));
}

TEST(Scatters, RefusesWhatDoesNotFit) {
  Fusion f;
  const auto [V, D, N] = f.extents("V", "D", "N");
  const Tensor into = f.input("into", {V, f.constant(4)}, DataType::Float);
  const Tensor idx = f.input("idx", {N}, DataType::Int64);
  EXPECT_EQ(bad_input([&] { scatter_add(into, 0, idx, f.input("a", {N}, DataType::Float)); }),
            "selvage: error[E511]: scatter_add: a[N] has 1 axes, not the 2 of [N, 4]; help: give "
            "one item for each index and each other axis of into[V, 4]");
  const Tensor b = f.input("b", {N, f.constant(5)}, DataType::Float);
  EXPECT_EQ(bad_input([&] { scatter_add(into, 0, idx, b); }),
            "selvage: error[E501]: scatter_add: b[N, 5] differs from [N, 4] along axis 1; help: "
            "give one item for each index and each other axis of into[V, 4]");
  EXPECT_THAT(bad_input([&] { scatter_add(into, 2, idx, b); }), testing::HasSubstr("E510"));
  EXPECT_THAT(bad_input([&] { scatter_add(into, 1, cast(idx, DataType::Float), b); }),
              testing::HasSubstr("error[E516]: scatter_add: "));
}

// A table of gradients that is added to where it lies.
TEST(Scatters, MayReplaceWhatTheyAddTo) {
  Fusion f;
  const auto [V, D, N] = f.extents("V", "D", "N");
  const Tensor into = f.input("into", {V, D}, DataType::Float);
  const Tensor x = f.input("x", {N, D}, DataType::Float);
  f.output_in_place("y", scatter_add(into, 0, f.input("idx", {N}, DataType::Int64), x), into);
  const Program program = lower(f);
  test::expect_verified(program);
  expect_agreement(f, program, {.sizes = {{"V", 7}, {"D", 33}, {"N", 50}}});
}

}  // namespace
}  // namespace selvage::scatters
