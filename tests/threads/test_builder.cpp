// Thread programs that are built in C++.
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run_threads.h>
#include <selvage/threads/builder.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(ThreadBuilder, AMaskedUpdateIsWhatItsFileWouldBe) {
  ThreadBuilder b("masked");
  const ArrayRef A = b.array("A", {6, 4}, DataType::Int32);
  const ThreadIndex p = b.index("p", 6), q = b.index("q", 4);
  b.parallel({p, q}, [&] {
    A(p, q) = 1;
    A(p, q) += 2;
    b.inthreads(p <= 2 && eq(q, 0), [&] { A(p, q) = A(p, q) * 10 + p; });
  });
  const ThreadProgram program = b.take();
  const LoweredThreads lowered = lower_threads(program);
  ASSERT_TRUE(lowered.is_legal()) << to_text(lowered.diagnostics);
  ASSERT_EQ(lowered.regions.size(), 1u);
  EXPECT_EQ(lowered.regions[0].when, "p <= 2 && q == 0");
  EXPECT_EQ(lowered.regions[0].who.mask->text(), "000111-0001");

  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    const ThreadRun run = run_threads(program, {.on = machine});
    EXPECT_TRUE(run.passed());
    const Array& a = run.outputs.at("A");
    for (std::int64_t i = 0; i < 6; ++i) {
      for (std::int64_t j = 0; j < 4; ++j) {
        EXPECT_EQ(a.get_int(i * 4 + j), i <= 2 && j == 0 ? 30 + i : 3) << i << " " << j;
      }
    }
  }
}

TEST(ThreadBuilder, AnElementIsUpdatedByEveryOperator) {
  ThreadBuilder b("updated");
  const ArrayRef A = b.array("A", {4}, DataType::Int32);
  const ThreadIndex p = b.index("p", 4);
  b.parallel({p}, [&] {
    A(p) = p;
    A(p) += 5;
    A(p) *= 3;
    A(p) -= 2;
  });
  const ThreadRun run = run_threads(b.take(), {.on = Machine::Emulate});
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(run.outputs.at("A").get_int(i), (i + 5) * 3 - 2) << i;
  }
}

TEST(ThreadBuilder, RegionsRunSideBySideUpToTheirSync) {
  ThreadBuilder b("sides");
  const ArrayRef S = b.array("S", {64}, DataType::Int32, Memory::Shared);
  const ArrayRef B = b.array("B", {64}, DataType::Int32);
  const ThreadIndex t = b.index("t", 64);
  b.parallel({{LevelKind::Thread, {t}}}, [&] {
    b.inthreads_async(t < 32, [&] { S(t) = t; });
    b.inthreads_async(t >= 32, [&] { S(t) = 100; });
    b.sync_shared();
    B(t) = S(63 - t.symbol);
  });
  const ThreadProgram program = b.take();
  const LoweredThreads lowered = lower_threads(program);
  ASSERT_TRUE(lowered.is_legal()) << to_text(lowered.diagnostics);
  ASSERT_EQ(lowered.groups.size(), 1u);
  EXPECT_EQ(lowered.groups[0].is_disjoint, true);
  EXPECT_EQ(lowered.groups[0].is_complete, true);
  const ThreadRun run = run_threads(program, {.on = Machine::Virtual});
  EXPECT_TRUE(run.passed());
  for (std::int64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(run.outputs.at("B").get_int(i), i < 32 ? 100 : 63 - i);
  }
}

TEST(ThreadBuilder, ALoopIsLeftByItsIndex) {
  ThreadBuilder b("left");
  const ArrayRef A = b.array("A", {4}, DataType::Int32);
  const ThreadIndex p = b.index("p", 4), i = b.index("i", 8);
  b.parallel({p}, [&] {
    b.loop(i, [&] {
      b.inthreads_async(p.symbol < i, [&] { b.leave(i); });
      A(p) += 1;
    });
  });
  const ThreadProgram program = b.take();
  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    const ThreadRun run = run_threads(program, {.on = machine});
    for (std::int64_t k = 0; k < 4; ++k) EXPECT_EQ(run.outputs.at("A").get_int(k), k + 1);
  }
}

}  // namespace
}  // namespace selvage
