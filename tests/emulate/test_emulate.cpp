#include <selvage/emulate/emulate.h>

#include <gtest/gtest.h>

#include "../support/hand_kernel.h"

namespace selvage {
namespace {

using namespace test;

// y[i] = a[i] for i < n, in blocks of 4 threads; `address` and the guard are the caller's.
struct Copy {
  explicit Copy(IndexType index = IndexType::Int32) : h("copy", index) {
    n = h.size("n");
    bx = h.variable("bx", ceil_div(n, h.c(4)));
    tx = h.variable("tx", h.c(4));
    i = bx * 4 + tx;
    a = h.input("a", DataType::Float, n);
    y = h.output("y", DataType::Float, n);
    h.kernel.launch.grid[0] = ceil_div(n, h.c(4));
    h.kernel.launch.block[0] = h.c(4);
  }
  Emulation run(std::int64_t items, Body body) {
    h.kernel.body = {loop(bx, ceil_div(n, h.c(4)), {loop(tx, h.c(4), body, ParallelType::TIDx)},
                          ParallelType::BIDx)};
    arrays = {random_array(DataType::Float, items, 1), Array(DataType::Float, {items})};
    Array* const pointers[] = {&arrays[0], &arrays[1]};
    return emulate(h.kernel, {{"n", items}}, pointers);
  }

  HandKernel h;
  Expr n, bx, tx, i;
  BufferId a, y;
  std::vector<Array> arrays;
};

TEST(Emulate, AGuardedCopyVisitsEveryElementOnce) {
  for (std::int64_t items : {1, 3, 4, 5, 8, 31}) {
    Copy c;
    const Emulation e =
        c.run(items, {guard(c.i < c.n, {store(c.y, c.i, c.h.read(c.a, c.i), {c.i < c.n})})});
    EXPECT_EQ(e.fault_count, 0);
    EXPECT_EQ(e.stores, items);
    EXPECT_TRUE(e.visits[0].empty());
    EXPECT_EQ(e.visits[1], std::vector<std::uint32_t>(std::size_t(items), 1));
    for (std::int64_t k = 0; k < items; ++k) EXPECT_TRUE(same_element(c.arrays[0], c.arrays[1], k));
  }
}

TEST(Emulate, AMissingGuardIsOutOfBoundsAndAHole) {
  Copy c;
  const Emulation e = c.run(5, {store(c.y, c.i, c.h.read(c.a, c.i), {c.i < c.n})});
  ASSERT_EQ(e.fault_count, 9);  // three threads too many, each with a hole, a read and a write
  EXPECT_EQ(e.faults[0].text,
            "y[5] is stored at a hole: bx * 4 + tx < n is false, at block (1, 0, 0), thread (1, 0, "
            "0), bx = 1, tx = 1");
  EXPECT_EQ(e.faults[0].kind, FaultKind::Hole);
  EXPECT_EQ(e.faults[1].kind, FaultKind::OutOfBounds);
  EXPECT_EQ(e.faults[1].buffer, "a");
  EXPECT_EQ(e.faults[2].text,
            "y[5] is out of bounds: there are 5 elements, at block (1, 0, 0), thread (1, 0, 0), "
            "bx = 1, tx = 1");
  const std::vector<std::pair<std::string, std::int64_t>> point = {{"bx", 1}, {"tx", 1}};
  EXPECT_EQ(e.faults[2].point, point);
  EXPECT_EQ(e.faults[2].address, 5);
}

TEST(Emulate, OnlyTheFirstFaultsAreKept) {
  Copy c;
  const Emulation e = c.run(100, {store(c.y, c.i + 100, c.h.read(c.a, c.i))});
  EXPECT_EQ(e.fault_count, 100);
  EXPECT_EQ(e.faults.size(), Emulation::kMostFaults);
}

TEST(Emulate, AWrongAddressIsADoubleWrite) {
  Copy c;
  const Emulation e = c.run(8, {store(c.y, c.i / 2, c.h.read(c.a, c.i))});
  ASSERT_EQ(e.fault_count, 4);
  EXPECT_EQ(e.faults[0].kind, FaultKind::DoubleWrite);
  EXPECT_TRUE(e.faults[0].text.starts_with("y[0] is written by two threads, at block"));
  EXPECT_EQ(e.visits[1], (std::vector<std::uint32_t>{2, 2, 2, 2, 0, 0, 0, 0}));
}

TEST(Emulate, OneThreadMayNotWriteTwiceUnlessItMay) {
  for (const bool allowed : {false, true}) {
    Copy c;
    const Expr j = c.h.variable("j", c.h.c(2));
    const Emulation e =
        c.run(4, {loop(j, c.h.c(2), {store(c.y, c.i, c.h.read(c.a, c.i), {}, allowed)})});
    EXPECT_EQ(e.fault_count, allowed ? 0 : 4);
    if (allowed) continue;
    EXPECT_TRUE(e.faults[0].text.starts_with("y[0] is written twice by one thread"));
  }
}

TEST(Emulate, DuplicatesMustBeEqual) {
  Copy c;
  const ValueId thread = c.h.kernel.values.cast(c.h.kernel.values.index(c.tx), DataType::Float);
  const Emulation e = c.run(4, {store(c.y, c.i / 4, thread, {}, true)});
  ASSERT_EQ(e.fault_count, 3);
  EXPECT_TRUE(e.faults[0].text.starts_with("y[0] is written again with another value"));
}

TEST(Emulate, WhatIsReadMustHaveBeenWrittenByTheSameThread) {
  Copy c;
  const Emulation e = c.run(4, {store(c.y, c.i, c.h.read(c.a, c.i)),
                                store(c.y, c.i, c.h.read(c.y, (c.i + 1) % 4), {}, true)});
  // Threads 0 to 2 read what is not there yet, and are then written over; thread 3 reads thread
  // 0's. Storing again stores another value.
  int uninitialised = 0, races = 0, doubles = 0;
  for (const Fault& f : e.faults) {
    uninitialised += f.kind == FaultKind::Uninitialised;
    races += f.kind == FaultKind::Race;
    doubles += f.kind == FaultKind::DoubleWrite;
  }
  EXPECT_EQ(uninitialised, 3);
  EXPECT_GE(races, 4);
  EXPECT_EQ(doubles, 4);
  EXPECT_EQ(e.fault_count, std::int64_t(e.faults.size()));
}

TEST(Emulate, AnIndexPastTheIndexTypeIsAFault) {
  for (const IndexType type : {IndexType::Int32, IndexType::Int64}) {
    Copy c(type);
    const Expr square = (c.i + 65536) * 65536;
    const Emulation e =
        c.run(1, {guard(c.i < c.n, {store(c.y, square - square + c.i, c.h.read(c.a, c.i))})});
    EXPECT_EQ(e.fault_count, type == IndexType::Int32 ? 1 : 0);
    if (type == IndexType::Int64) continue;
    EXPECT_EQ(e.faults[0].kind, FaultKind::Overflow);
    EXPECT_EQ(e.faults[0].text,
              "(bx * 4 + tx + 65536) * 65536 is undefined or leaves 32 bits, at block (0, 0, 0), "
              "thread (0, 0, 0), bx = 0, tx = 0");
  }
}

TEST(Emulate, ASelectReadsOneBranchOnly) {
  Copy c;
  ValueGraph& values = c.h.kernel.values;
  const ValueId inside =
      values.cast(values.index(select(c.i < c.n, c.h.c(1), c.h.c(0))), DataType::Bool);
  const ValueId padded = values.apply(
      Function::Select, {inside, c.h.read(c.a, c.i), values.constant(DataType::Float, -7.0, true)});
  const BufferId z = c.h.output("z", DataType::Float, c.n + 3);
  c.h.kernel.body = {loop(c.bx, c.n,
                          {loop(c.tx, c.h.c(4), {store(z, c.i, padded)}, ParallelType::TIDx)},
                          ParallelType::BIDx)};
  Array a = random_array(DataType::Float, 5, 1), y(DataType::Float, {5}),
        result(DataType::Float, {8});
  Array* const pointers[] = {&a, &y, &result};
  EXPECT_EQ(emulate(c.h.kernel, {{"n", 5}}, pointers).fault_count, 0);
  EXPECT_TRUE(same_element(a, result, 4));
  EXPECT_EQ(result.get(5), -7.0);
}

// Memory of a thread and of a block is its own, and new every time.
TEST(Emulate, LocalAndSharedMemoryStartUninitialised) {
  for (const Memory memory : {Memory::Local, Memory::Shared}) {
    Copy c;
    c.h.kernel.buffers.push_back({"t", DataType::Float, memory, c.h.c(4), true});
    const BufferId t = 2;
    c.h.kernel.body = {loop(c.bx, ceil_div(c.n, c.h.c(4)),
                            {loop(c.tx, c.h.c(4),
                                  {guard(c.tx % 2 < 1, {store(t, c.tx, c.h.read(c.a, c.i))}),
                                   store(c.y, c.i, c.h.read(t, c.tx))},
                                  ParallelType::TIDx)},
                            ParallelType::BIDx)};
    Array a = random_array(DataType::Float, 8, 1), y(DataType::Float, {8});
    Array* const pointers[] = {&a, &y, nullptr};
    const Emulation e = emulate(c.h.kernel, {{"n", 8}}, pointers);
    ASSERT_EQ(e.fault_count, 4);
    EXPECT_EQ(e.faults[0].kind, FaultKind::Uninitialised);
    EXPECT_EQ(e.faults[3].point[0].second, 1);
  }
}

TEST(Emulate, AMillionStatementsRunWithoutAFault) {
  Copy c;
  const Emulation e =
      c.run(1'000'000, {guard(c.i < c.n, {store(c.y, c.i, c.h.read(c.a, c.i), {c.i < c.n})})});
  EXPECT_EQ(e.fault_count, 0);
  EXPECT_EQ(e.stores, 1'000'000);
}

}  // namespace
}  // namespace selvage
