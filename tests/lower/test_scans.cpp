// Scans by one thread, by the lanes of a warp, by a block, along x and y.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/statements.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {

namespace {

using test::expect_agreement;
using test::SizeList;
using testing::HasSubstr;

const SizeList kScannedRows = {{{"B", 3}, {"H", 1}},   {{"B", 1}, {"H", 2}},
                               {{"B", 2}, {"H", 31}},  {{"B", 5}, {"H", 33}},
                               {{"B", 3}, {"H", 127}}, {{"B", 2}, {"H", 1027}}};

// y[b, h] = how(x[b, k]) over k <= h.
struct ScannedRows {
  explicit ScannedRows(Reduction how, DataType type = DataType::Int32) {
    const auto [b, h] = f.extents("B", "H");
    y = f.output("y", scan(how, f.input("x", {b, h}, type, {"b", "h"}), 1));
  }
  Fusion f;
  Tensor y;
};

std::vector<std::pair<std::string, Schedule>> schedules_of(const ScannedRows& rows) {
  std::vector<std::pair<std::string, Schedule>> all;
  const auto add = [&](std::string name, auto cut) {
    Schedule s(rows.f);
    const auto [b, h] = s.loops<2>(rows.y);
    cut(s, b, h);
    all.emplace_back(std::move(name), std::move(s));
  };
  add("one thread", [](Schedule&, auto, auto) {});
  add("a thread a row", [](Schedule& s, auto b, auto h) {
    s.bind(b, ParallelType::TIDx);
    s.split(h, 4);
  });
  add("the axis outside", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(b, 4);
    s.reorder({outer, h, inner}).bind(outer, ParallelType::BIDx);
  });
  add("a vector of rows' items", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 2);
    s.bind(b, ParallelType::BIDx).bind(inner, ParallelType::Vectorize);
  });
  add("lanes of a warp, several rows", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 8);
    s.bind(b, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
  });
  add("a warp with items, in steps", [](Schedule& s, auto b, auto h) {
    const auto [step, rest] = s.split(h, 64);
    const auto [thread, item] = s.split(rest, 2);
    s.bind(b, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
    s.bind(item, ParallelType::Vectorize);
  });
  add("a block along x", [](Schedule& s, auto b, auto h) {
    const auto [step, thread] = s.split(h, 96);
    s.bind(b, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  });
  add("along y, rows along x", [](Schedule& s, auto b, auto h) {
    const auto [step, rest] = s.split(h, 21);
    const auto [thread, item] = s.split(rest, 3);
    const auto [bo, bi] = s.split(b, 5);
    s.reorder({bo, bi, step, thread, item}).bind(thread, ParallelType::TIDy);
    s.bind(bo, ParallelType::BIDx).bind(bi, ParallelType::TIDx);
  });
  add("along y and x, two rows a thread", [](Schedule& s, auto b, auto h) {
    const auto [step, rest] = s.split(h, 96);
    const auto [y, x] = s.split(rest, 16);
    const auto [bo, bi] = s.split(b, 2);
    s.reorder({bo, step, bi, y, x}).bind(bo, ParallelType::BIDx);
    s.bind(y, ParallelType::TIDy).bind(x, ParallelType::TIDx);
  });
  add("two rows inside of the threads", [](Schedule& s, auto b, auto h) {
    const auto [step, rest] = s.split(h, 64);
    const auto [thread, item] = s.split(rest, 2);
    const auto [bo, bi] = s.split(b, 2);
    s.reorder({bo, step, thread, bi, item}).bind(bo, ParallelType::BIDx);
    s.bind(thread, ParallelType::TIDx);
  });
  return all;
}

class EveryScan : public testing::TestWithParam<Reduction> {};

TEST_P(EveryScan, AgreesHoweverItsLoopsAreShared) {
  const ScannedRows rows(GetParam());
  for (const auto& [name, schedule] : some_of(schedules_of(rows))) {
    SCOPED_TRACE(name);
    expect_agreement(rows.f, schedule, kScannedRows);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Scans, EveryScan,
                         testing::Values(Reduction::Sum, Reduction::Prod, Reduction::Max,
                                         Reduction::Min, Reduction::FMax, Reduction::FMin),
                         [](const auto& info) { return scan_name(info.param); });

TEST(Scans, FloatsAndHalvesAgreeWithinTheirBounds) {
  for (const DataType type : {DataType::Float, DataType::Half, DataType::Double}) {
    const ScannedRows rows(Reduction::Sum, type);
    for (const auto& [name, schedule] : schedules_of(rows)) {
      SCOPED_TRACE(name + " of " + std::string(to_string(type)));
      expect_agreement(rows.f, schedule, {{{"B", 2}, {"H", 131}}});
    }
  }
}

// Rows past 4,096 items have a kernel of narrower blocks, which takes steps.
TEST(Scans, ABlockMayBeAsWideAsTheRowAsks) {
  const ScannedRows rows(Reduction::Sum);
  Schedule s(rows.f);
  const auto [b, h] = s.loops<2>(rows.y);
  const auto [thread, item] = s.split(h, 4);
  s.bind(b, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  const Program p = lower(rows.f, s);
  for (const std::int64_t n : {1, 130, 4'096, 5'003}) {
    expect_agreement(rows.f, p, {.sizes = {{"B", 2}, {"H", n}}});
  }
}

std::size_t reads_of_memory(const Kernel& kernel) {
  std::size_t n = 0;
  for (std::size_t v = 0; v < kernel.values.size(); ++v) {
    const ValueNode& node = kernel.values[ValueId(v)];
    n += node.kind == ValueNode::Kind::Read && kernel.buffers[node.source].memory == Memory::Global;
  }
  return n;
}

// What a thread has read stays in registers until the threads have met.
TEST(Scans, EachElementIsReadOnceAndComputedOnce) {
  const ScannedRows rows(Reduction::Sum);
  Schedule s(rows.f);
  const auto [b, h] = s.loops<2>(rows.y);
  const auto [step, rest] = s.split(h, 128);
  const auto [thread, item] = s.split(rest, 4);
  s.bind(b, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  const Program p = lower(rows.f, s);
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(reads_of_memory(p.steps[0].variants[0]), 1u);
  EXPECT_EQ(barriers_in(p.steps[0].variants[0].body), 0u);
}

TEST(Scans, AScanIsKeptInsideOfItsReader) {
  Fusion f;
  const auto [b] = f.extents("B");
  const Tensor x = f.input("x", {b, f.constant(40)}, DataType::Int32);
  const Tensor c = cumsum(x * 2, 1);
  const Tensor y = f.output("y", c - max(c, {1}, keepdim));
  Schedule s(f);
  s.bind(s.loops(y.id())[0], ParallelType::BIDx);
  const Program p = expect_agreement(f, s, {{{"B", 1}}, {{"B", 5}}});
  EXPECT_EQ(p.steps.size(), 1u);
  Schedule threads = s;
  const auto [row, column] = threads.loops<2>(y);
  threads.bind(column, ParallelType::TIDx);
  expect_agreement(f, threads, {{{"B", 3}}});
}

struct RefusedScan {
  RefusedScan() : rows(Reduction::Sum), s(rows.f) {}
  std::string why() {
    return refusal_by<Illegal>([&] { expect_agreement(rows.f, s, {{{"B", 2}, {"H", 70}}}); });
  }
  ScannedRows rows;
  Schedule s;
};

TEST(Scans, BlocksThatScanTogetherAreRefused) {
  RefusedScan r;
  const auto [step, thread] = r.s.split(r.s.loops(r.rows.y)[1], 32);
  r.s.bind(step, ParallelType::BIDx);
  EXPECT_EQ(r.why(),
            "selvage: error[E434]: i1o, along which y scans, is bound to BIDx, and blocks do not "
            "wait for one another; help: leave i1o of y serial; or bind i1o of y to TIDx");
  r.s.bind(step, ParallelType::TIDx);
  EXPECT_EQ(r.why(), "accepted");
}

TEST(Scans, LoopsOutOfOrderAreRefused) {
  RefusedScan r;
  const auto [b, h] = r.s.loops<2>(r.rows.y);
  const auto [outer, inner] = r.s.split(h, 4);
  r.s.reorder({b, inner, outer});
  EXPECT_EQ(r.why(),
            "selvage: error[E444]: the loops of y do not go along i1 in its order, in which it is "
            "scanned; help: put outer loops before inner ones, reorder: [i0, i1o, i1i]");
  r.s.reorder({b, outer, inner});
  EXPECT_EQ(r.why(), "accepted");
}

TEST(Scans, AVectorIsInnermostWhereverItStands) {
  Fusion f;
  const Tensor c = cumsum(f.input("x", {f.constant(3), f.constant(8)}, DataType::Float), 1);
  const Tensor y = f.output("y", c * 2);
  Schedule s(f);
  const auto [outer, inner] = s.split(s.loops(c.id())[1], 4);
  s.compute_at(c, s.loops(y)[0]).keep_in(c, Memory::Local).bind(outer, ParallelType::Vectorize);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(f, s); }),
            "selvage: error[E444]: the loops of t0 do not go along i1 in its order, in which it is "
            "scanned: the vector i1o is run innermost; help: leave i1o of t0 serial");
  s.bind(outer, ParallelType::Serial);
  expect_agreement(f, s);
}

TEST(Scans, ASwizzledAxisIsRefused) {
  RefusedScan r;
  const auto [b, h] = r.s.loops<2>(r.rows.y);
  const auto [outer, inner] = r.s.split(h, 4);
  const auto [o, m] = r.s.split(outer, 4);
  r.s.swizzle(SwizzleKind::Xor, m, inner);
  EXPECT_EQ(r.why(),
            "selvage: error[E444]: the loops of y do not go along i1 in its order, in which it is "
            "scanned; help: cut i1 up by splits; merge only what one split made");
}

TEST(Scans, ThreadsInsideOfWhatAThreadRunsThroughAreRefused) {
  RefusedScan r;
  const auto [b, h] = r.s.loops<2>(r.rows.y);
  const auto [y, rest] = r.s.split(h, 32);
  const auto [item, x] = r.s.split(rest, 8);
  r.s.bind(r.s.split(y, 2).second, ParallelType::TIDy).bind(x, ParallelType::TIDx);
  EXPECT_EQ(r.why(),
            "selvage: error[E444]: i1ii, along which y scans, is bound to a thread index inside of "
            "i1io, which is inside of another, and each thread runs through it; help: leave i1ii "
            "of y serial");
  r.s.bind(x, ParallelType::Serial);
  EXPECT_EQ(r.why(), "accepted");
}

TEST(Scans, ItemsOfAThreadWhoseNumberIsNotKnownAreRefused) {
  RefusedScan r;
  const auto [b, h] = r.s.loops<2>(r.rows.y);
  const auto [thread, item] = r.s.split(h, 32, {.inner_split = false});
  r.s.bind(thread, ParallelType::TIDx);
  EXPECT_EQ(r.why(),
            "selvage: error[E433]: y keeps a state for each i1i, and their number, (H + "
            "31) / 32, is not known; help: split i1i by a number, and put the outer loop before "
            "those that are bound to threads");
}

TEST(Scans, APrimitiveOfReductionsIsRefused) {
  RefusedScan r;
  const auto [b, h] = r.s.loops<2>(r.rows.y);
  EXPECT_THAT(refusal_by<Illegal>([&] { r.s.rfactor(r.rows.y.id(), {h}, "p"); }),
              HasSubstr("error[E421]: y is a scan, whose elements are each a fold"));
  EXPECT_THAT(refusal_by<Illegal>([&] { r.s.meet_atomically(r.rows.y); }),
              HasSubstr("error[E423]: y is a scan, in which the order of elements matters"));
  EXPECT_THAT(refusal_by<Illegal>([&] { r.s.merge(b, h); }), HasSubstr("error[E417]"));
}

}  // namespace

}  // namespace selvage
