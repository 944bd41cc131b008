// What the last block of a kernel computes from what all blocks have stored.
#include <selvage/codegen/cuda.h>
#include <selvage/emulate/emulate.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/requests.h>
#include <selvage/lower/cost.h>
#include <selvage/runtime/executable.h>
#include <selvage/scheduler/automatic.h>

#include <gmock/gmock.h>

#include "tests/oracle/draws.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using oracle::draw;
using test::expect_agreement;
using testing::HasSubstr;

// The sum of each row, and the mean of these sums. A block has `rows` rows by `lanes` threads.
struct RowsAndTheirMean {
  RowsAndTheirMean(Expr n, std::int64_t length, std::int64_t lanes, std::int64_t rows) : s(f) {
    if (!n.valid()) n = f.extent("N", 1);
    const Tensor x = f.input("x", {n, f.constant(length)}, DataType::Float);
    row = f.output("row", sum(x * x, {1}));
    all = f.output("all", mean(row));
    s = Schedule(f);
    const auto [i, j] = s.loops<2>(row);
    const auto [block, own] = s.split(i, rows);
    s.bind(block, ParallelType::BIDx).bind(own, ParallelType::TIDy);
    s.bind(s.split(j, lanes).second, ParallelType::TIDx);
  }
  // All threads of the block fold the sums.
  void finish(std::int64_t lanes, std::int64_t rows) {
    const auto [rest, x] = s.split(s.loops<1>(all)[0], lanes);
    s.bind(x, ParallelType::TIDx);
    if (rows > 1) s.bind(s.split(rest, rows).second, ParallelType::TIDy);
    s.compute_by_last_block(all, row);
  }

  Fusion f;
  Tensor row{}, all{};
  Schedule s;
};

LastBlock& last_block_of(Kernel& kernel) { return std::get<LastBlock>(kernel.body.back().node); }

// Runs a kernel for N = n, with arrays large enough for it.
Emulation run_at(std::int64_t n, const Kernel& kernel, std::uint64_t seed,
                 KernelRequests* requests = nullptr) {
  std::vector<Array> arrays;
  std::vector<Array*> pointers;
  for (const Buffer& b : kernel.buffers) arrays.emplace_back(b.type, std::vector{n * 40});
  for (std::size_t b = 0; b < arrays.size(); ++b) {
    pointers.push_back(kernel.buffers[b].memory == Memory::Global ? &arrays[b] : nullptr);
  }
  return emulate(kernel, {{"N", n}}, pointers,
                 {.order = RunOrder::from_seed(seed), .requests = requests});
}

TEST(LastBlocks, FoldWhatAllBlocksHaveStored) {
  for (const auto& [lanes, rows] : {std::pair(32, 1), {8, 4}, {64, 2}, {1, 1}}) {
    SCOPED_TRACE(std::to_string(lanes) + " by " + std::to_string(rows));
    RowsAndTheirMean c({}, 40, lanes, rows);
    c.finish(lanes, rows);
    const Program p =
        expect_agreement(c.f, c.s, {{{"N", 1}}, {{"N", 7}}, {{"N", 33}}, {{"N", 300}}});
    ASSERT_EQ(p.steps.size(), 1u);
    EXPECT_THAT(loop_nest(p), HasSubstr("by the last block"));
  }
}

// Without it the same kernel races: by proof, and when it is run.
TEST(LastBlocks, AreWhatKeepsTheBlocksApart) {
  RowsAndTheirMean c({}, 8, 8, 4);
  c.finish(8, 4);
  Kernel kernel = lower(c.s).steps[0].variants[0];
  EXPECT_TRUE(verify(kernel).is_legal());
  Kernel without = kernel;
  Body body = std::move(last_block_of(without).body);
  without.body.pop_back();
  without.body.insert(without.body.end(), std::make_move_iterator(body.begin()),
                      std::make_move_iterator(body.end()));
  EXPECT_TRUE(is_refuted(verify(without).of(Hazard::Race)));
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    EXPECT_TRUE(run_at(37, kernel, seed).counts.empty());
    EXPECT_TRUE(run_at(37, without, seed).counts.contains(FaultKind::Race));
  }
}

TEST(LastBlocks, ComputeSeveralTensorsOneAfterTheOther) {
  RowsAndTheirMean c(Expr(), 24, 16, 2);
  const Tensor most = c.f.output("most", max(c.row - c.all));
  const Tensor y = c.f.output("y", exp(most) + c.all);
  Schedule s(c.f);
  const auto [i, j] = s.loops<2>(c.row);
  s.bind(i, ParallelType::BIDx).bind(s.split(j, 8).second, ParallelType::TIDx);
  for (Tensor t : {c.all, most}) {
    s.bind(s.split(s.loops(t)[0], 8).second, ParallelType::TIDx);
    s.compute_by_last_block(t, c.row);
  }
  s.compute_by_last_block(y, c.row);
  const Program p = expect_agreement(c.f, s, {{{"N", 1}}, {{"N", 50}}});
  EXPECT_EQ(p.steps.size(), 1u);
}

TEST(LastBlocks, AreCountedAsTheEmulatorCounts) {
  RowsAndTheirMean c(Expr(), 40, 16, 2);
  c.finish(16, 2);
  const Kernel kernel = lower(c.s).steps[0].variants[0];
  SizeValues sizes;
  sizes.add(kernel.sizes.at(0), 77);
  const auto counted = requests_of(kernel, sizes);
  ASSERT_TRUE(counted);
  KernelRequests emulated;
  run_at(77, kernel, 3, &emulated);
  EXPECT_EQ(counted->half_lines, emulated.half_lines);
  std::int64_t own = 0, other = 0;
  for (const AccessRequests& a : counted->accesses) own += a.requests + 1000 * a.sectors;
  for (const AccessRequests& a : emulated.accesses) other += a.requests + 1000 * a.sectors;
  EXPECT_EQ(own, other);
}

// The counter is 0 again after each call, whatever the cores that blocks ran on.
TEST(LastBlocks, CountAnewInEachCall) {
  RowsAndTheirMean c(Expr(), 16, 8, 2);
  c.finish(8, 2);
  const Executable run = compile(lower(c.s), {.target = Target::Virtual});
  for (const std::int64_t n : {300, 5, 300, 1}) {
    const auto rows = static_cast<std::size_t>(n);
    std::vector<float> x(16 * rows, 1.0F), row(rows), all(1);
    run({{x.data(), DataType::Float, {n, 16}},
         {row.data(), DataType::Float, {n}},
         {all.data(), DataType::Float, {}}});
    EXPECT_EQ(all[0], 16.0F) << n;
  }
}

TEST(LastBlocks, AreRefusedWhereTheyCannotBe) {
  RowsAndTheirMean c(Expr(), 40, 32, 1);
  const auto code = [&](Tensor t, Tensor host) {
    return illegal([&] { Schedule(c.f).compute_by_last_block(t, host); });
  };
  const Tensor x(&c.f, *c.f.find("x"));
  EXPECT_THAT(code(c.all, c.all), HasSubstr("E418"));
  EXPECT_THAT(code(c.all, x), HasSubstr("E418"));
  EXPECT_THAT(code(x, c.row), HasSubstr("E418"));
  const auto lowered = [&](const Schedule& s) { return illegal([&] { lower(s); }); };
  Schedule blocks = c.s;
  blocks.compute_by_last_block(c.all, c.row);
  blocks.bind(blocks.loops<1>(c.all)[0], ParallelType::BIDx);
  EXPECT_THAT(lowered(blocks), HasSubstr("bound to BIDx"));
  Schedule before(c.f);
  before.compute_by_last_block(c.row, c.all);
  EXPECT_THAT(lowered(before), HasSubstr("computed after it"));
}

TEST(LastBlocks, AreChosenWhereASecondKernelTakesLonger) {
  std::mt19937_64 random(5);
  for (int k = 0; k < count(4, 200); ++k) {
    Fusion f;
    const std::int64_t n = draw(random, 1, 400), length = draw(random, 1, 300);
    SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(length));
    const Tensor x = f.input("x", {f.constant(n), f.constant(length)}, DataType::Float);
    const Tensor row = max(x * x, {1});
    f.output("y", sqrt(mean(row)));
    const Schedule s = auto_schedule(f);
    const Program p = expect_agreement(f, s);
    EXPECT_EQ(p.steps.size(), 1u);
  }
}

// A number of rows that is a size is no single row, though it is 1 this time.
TEST(LastBlocks, ComputeOneRowAtAllSizes) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor x = f.input("x", {n, f.constant(40), f.constant(50)}, DataType::Float);
  f.output("y", max(max(x * x, {2}), {1}));
  const Schedule s = auto_schedule(f, {{"N", 1}});
  for (std::size_t t = 0; t < s.fusion().size(); ++t) EXPECT_FALSE(s.last_block_of(TensorId(t)));
  expect_agreement(f, s, {{{"N", 1}}, {{"N", 3}}});
}

}  // namespace
}  // namespace selvage
