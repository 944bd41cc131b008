// Compaction and searches, scheduled automatically and proved, beside plain loops.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/ir/compaction.h>
#include <selvage/kernel/print.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <selvage/scheduler/automatic.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>

#include <algorithm>

namespace selvage::test {

namespace {

using Extents = std::vector<std::int64_t>;

constexpr DataType kKeptTypes[] = {DataType::Float, DataType::Half,  DataType::Int8,
                                   DataType::Int64, DataType::UInt8, DataType::Double};

void expect_kept(std::uint64_t seed) {
  SplitMix64 random(seed);
  const bool is_symbolic = random.next() % 2 == 0, is_cut = random.next() % 3 == 0;
  const DataType type = kKeptTypes[random.next() % std::size(kKeptTypes)];
  Extents extents(1 + random.next() % 3);
  for (std::int64_t& n : extents) n = 1 + std::int64_t(random.next() % (600 >> 3 * extents.size()));
  SCOPED_TRACE("seed " + std::to_string(seed));
  Fusion f;
  std::vector<Expr> shape;
  std::map<std::string, std::int64_t> sizes;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::string name = "N" + std::to_string(k);
    if (is_symbolic) sizes[name] = extents[k];
    shape.push_back(is_symbolic ? f.extent(name, 1, 4096) : f.constant(extents[k]));
  }
  const Tensor x = f.input("x", shape, type);
  const std::int64_t length = 1 + std::int64_t(random.next() % 40);
  const Compacted kept =
      compact(x, x >= 3, is_cut ? std::optional(f.constant(length)) : std::nullopt);
  f.output("y", kept.items);
  f.output("n", kept.count);

  Array values(type, extents);
  std::vector<double> wanted;
  for (std::int64_t k = 0; k < values.size(); ++k) {
    values.set(k, double(random.next() % 7));
    if (values.get(k) >= 3) wanted.push_back(values.get(k));
  }
  const auto count = double(wanted.size());
  wanted.resize(std::size_t(is_cut ? length : values.size()));

  const Program program = lower(auto_schedule(f));
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  const RunResult result =
      run(f, program,
          {.sizes = sizes, .inputs = {{"x", values}}, .on = Machine::Emulate, .on_all = true});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.outputs.at("n").get(0), count);
  const Array& y = result.outputs.at("y");
  ASSERT_EQ(y.size(), std::int64_t(wanted.size()));
  for (std::int64_t k = 0; k < y.size(); ++k) ASSERT_EQ(y.get(k), wanted[std::size_t(k)]) << k;
}

TEST(Compaction, KeepsWhatAPlainLoopKeeps) {
  const int programs = count(40, 2'000);
  for (int seed = 1; seed <= programs && !testing::Test::HasFailure(); ++seed) {
    expect_kept(std::uint64_t(seed));
  }
}

// Beside std::lower_bound and std::upper_bound.
void expect_found(std::uint64_t seed) {
  SplitMix64 random(seed);
  const bool is_symbolic = random.next() % 2 == 0, right = random.next() % 2 == 0;
  const auto items = std::int64_t(1 + random.next() % 70),
             wanted = std::int64_t(1 + random.next() % 50);
  SCOPED_TRACE("seed " + std::to_string(seed));
  Fusion f;
  // No bound is known of N: the launch checks one.
  const Expr n = is_symbolic ? f.extent("N") : f.constant(items);
  const Tensor sorted = f.input("sorted", {n}, DataType::Float);
  const Tensor values = f.input("values", {f.constant(wanted)}, DataType::Float);
  f.output("y", searchsorted(sorted, values, right));
  std::vector<float> list;
  for (std::int64_t k = 0; k < items; ++k) list.push_back(float(random.next() % 30));
  std::ranges::sort(list);
  Array a(DataType::Float, {items}), b(DataType::Float, {wanted});
  for (std::int64_t k = 0; k < items; ++k) a.set(k, list[std::size_t(k)]);
  for (std::int64_t k = 0; k < wanted; ++k) b.set(k, double(random.next() % 32) - 1);
  const Program program = lower(auto_schedule(f));
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  RunRequest request{
      .inputs = {{"sorted", a}, {"values", b}}, .on = Machine::Emulate, .on_all = true};
  if (is_symbolic) request.sizes["N"] = items;
  const RunResult result = run(f, program, request);
  EXPECT_TRUE(result.passed());
  for (std::int64_t k = 0; k < wanted; ++k) {
    const auto v = float(b.get(k));
    const auto at = right ? std::ranges::upper_bound(list, v) : std::ranges::lower_bound(list, v);
    ASSERT_EQ(result.outputs.at("y").get_int(k), at - list.begin()) << k;
  }
}

TEST(Compaction, SearchesFindWhatBoundsFind) {
  const int programs = count(20, 1'000);
  for (int seed = 1; seed <= programs && !testing::Test::HasFailure(); ++seed) {
    expect_found(std::uint64_t(seed));
  }
}

// A thread keeps each probe: the text of a search grows with its steps, not with their square.
TEST(Compaction, ASearchIsWrittenOutOnce) {
  const auto length = [](std::int64_t items) {
    Fusion f;
    const Tensor x = f.input("x", {f.constant(items)}, DataType::Float);
    const Tensor v = f.input("v", {f.constant(100)}, DataType::Float);
    f.output("y", searchsorted(x, v));
    return double(loop_nest(lower(auto_schedule(f)).steps.at(0).variants.at(0)).size());
  };
  EXPECT_LT(length(1 << 30), 3 * length(1 << 12));
}

TEST(Compaction, IsRefusedWhereShapesDiffer) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(4)}, DataType::Float);
  const Tensor y = f.input("y", {f.constant(5)}, DataType::Float);
  const Tensor z = f.input("z", {f.constant(4), f.constant(5)}, DataType::Float);
  const std::size_t before = f.size();
  EXPECT_EQ(bad_input([&] { compact(x, y); }),
            "selvage: error[E511]: compact: x[4] and y[5] differ in shape; help: give a condition "
            "for each item");
  EXPECT_EQ(bad_input([&] { searchsorted(z, x); }),
            "selvage: error[E511]: searchsorted: z[4, 5] has another rank than 1; help: give a "
            "tensor of one axis");
  EXPECT_EQ(f.size(), before);
}

}  // namespace

}  // namespace selvage::test
