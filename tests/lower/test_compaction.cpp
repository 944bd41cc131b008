// Compaction and searches, scheduled automatically and proved, beside plain loops.
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/ir/compaction.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <selvage/scheduler/automatic.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>

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

}  // namespace

}  // namespace selvage::test
