#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage::folds {

namespace {

using test::expect_agreement;
using test::SizeList;
using testing::HasSubstr;

const SizeList kRows = {{{"B", 3}, {"H", 1}},   {{"B", 1}, {"H", 2}},   {{"B", 2}, {"H", 31}},
                        {{"B", 5}, {"H", 33}},  {{"B", 3}, {"H", 127}}, {{"B", 2}, {"H", 1023}},
                        {{"B", 2}, {"H", 1027}}};

// y[b] = how(x[b, h]) over h.
struct Rows {
  explicit Rows(Reduction how, DataType type = DataType::Int32) {
    const auto [b, h] = f.extents("B", "H");
    y = f.output("y", reduce(how, f.input("x", {b, h}, type, {"b", "h"}), {1}));
  }
  Fusion f;
  Tensor y;
};

// How rows are folded: by one thread, by a warp's lanes, by a block along x, y, both.
std::vector<std::pair<std::string, Schedule>> schedules(
    const Rows& rows, const std::function<void(Schedule&)>& begin = [](Schedule&) {}) {
  std::vector<std::pair<std::string, Schedule>> all;
  const auto add = [&](std::string name, auto cut) {
    Schedule s(rows.f);
    begin(s);
    const auto [b, h] = s.loops<2>(rows.y);
    cut(s, b, h);
    all.emplace_back(std::move(name), std::move(s));
  };
  add("a thread", [](Schedule& s, auto b, auto) { s.bind(b, ParallelType::TIDx); });
  add("the folded loop outside", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(b, 4);
    s.reorder({outer, h, inner}).bind(outer, ParallelType::BIDx);
  });
  add("lanes of a warp, several rows", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 8);
    s.bind(b, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
  });
  add("a block along x", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 96);
    s.bind(b, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
  });
  add("a block along x, as wide as the row asks", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 4);
    s.bind(b, ParallelType::BIDx).bind(outer, ParallelType::TIDx);
    s.bind(inner, ParallelType::Vectorize);
  });
  for (std::int64_t warps : {2, 4}) {
    add(std::to_string(warps) + " warps, several rows", [&](Schedule& s, auto b, auto h) {
      const auto [bo, bi] = s.split(b, 2);
      const auto [outer, inner] = s.split(h, 32 * warps);
      s.bind(bo, ParallelType::BIDx).bind(bi, ParallelType::TIDy).bind(inner, ParallelType::TIDx);
    });
  }
  add("along y, rows along x", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 7);
    const auto [bo, bi] = s.split(b, 5);
    s.bind(bo, ParallelType::BIDx).bind(bi, ParallelType::TIDx).bind(inner, ParallelType::TIDy);
  });
  add("along x and y", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 16);
    const auto [oo, oi] = s.split(outer, 6);
    s.bind(b, ParallelType::BIDx).bind(oi, ParallelType::TIDy).bind(inner, ParallelType::TIDx);
  });
  add("blocks of a cluster, each along x", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 64);
    const auto [step, rank] = s.split(outer, 3);
    s.bind(b, ParallelType::BIDx).bind(rank, ParallelType::CIDx).bind(inner, ParallelType::TIDx);
  });
  add("blocks of a cluster alone, rows along x", [](Schedule& s, auto b, auto h) {
    const auto [rank, inner] = s.split(h, 4, {.inner_split = false});
    const auto [bo, bi] = s.split(b, 5);
    s.bind(bo, ParallelType::BIDx).bind(bi, ParallelType::TIDx).bind(rank, ParallelType::CIDx);
  });
  add("blocks of a cluster, rows along y", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 16);
    const auto [rank, step] = s.split(outer, 2, {.inner_split = false});
    const auto [bo, bi] = s.split(b, 3);
    s.bind(bo, ParallelType::BIDx).bind(bi, ParallelType::TIDy).bind(rank, ParallelType::CIDx);
    s.bind(inner, ParallelType::TIDx);
  });
  add("blocks of a cluster, each along x and y", [](Schedule& s, auto b, auto h) {
    const auto [outer, inner] = s.split(h, 16);
    const auto [oo, oi] = s.split(outer, 6);
    const auto [step, rank] = s.split(oo, 2);
    s.bind(b, ParallelType::BIDx).bind(oi, ParallelType::TIDy).bind(inner, ParallelType::TIDx);
    s.bind(rank, ParallelType::CIDx);
  });
  return all;
}

class EveryFold : public testing::TestWithParam<Reduction> {};

// Whatever is shared, the mean comes first, and then the squares.
TEST(Folds, AVarianceInTwoPassesAgrees) {
  const Rows rows(Reduction::Variance, DataType::Float);
  for (auto& [name, schedule] :
       some_of(schedules(rows, [&](Schedule& s) { s.two_pass(rows.y); }))) {
    SCOPED_TRACE(name);
    expect_agreement(rows.f, schedule, kRows);
  }
  for (std::int64_t correction : {0, 2}) {
    Fusion f;
    const Tensor x = f.input("x", {f.constant(5), f.constant(200)}, DataType::Half);
    const Tensor v = f.output("v", variance(x, {1}, keepdim, correction));
    const Tensor m = f.output("m", mean(x, {1}));
    Schedule s(f);
    EXPECT_EQ(s.two_pass(v), m.id());
    const auto [part, item] = s.split(s.loops(v).back(), 8);
    s.rfactor(v, {item}, "parts");
    expect_agreement(f, s);
  }
}

TEST_P(EveryFold, AgreesHoweverItsLoopsAreShared) {
  const bool is_real = GetParam() == Reduction::Mean || GetParam() == Reduction::Variance ||
                       GetParam() == Reduction::LogSumExp;
  const Rows rows(GetParam(), is_real ? DataType::Float : DataType::Int32);
  for (const auto& [name, schedule] : sampled(schedules(rows), 3)) {
    SCOPED_TRACE(name);
    expect_agreement(rows.f, schedule, kRows);
  }
}

INSTANTIATE_TEST_SUITE_P(Folds, EveryFold,
                         testing::Values(Reduction::Sum, Reduction::Prod, Reduction::Max,
                                         Reduction::Min, Reduction::Mean, Reduction::Any,
                                         Reduction::All, Reduction::ArgMax, Reduction::ArgMin,
                                         Reduction::Variance, Reduction::LogSumExp),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(Folds, RowsOfFourThreadsFillWholeWarpsTogether) {
  const Rows rows(Reduction::Sum);
  Schedule s(rows.f);
  const auto [b, h] = s.loops<2>(rows.y);
  const auto [outer, inner] = s.split(h, 4);
  const auto [bo, bi] = s.split(b, 3);
  s.bind(bo, ParallelType::BIDx).bind(bi, ParallelType::TIDy).bind(inner, ParallelType::TIDx);
  const Program p = expect_agreement(rows.f, s, kRows);
  const Launch& launch = p.steps[0].variants[0].launch;
  EXPECT_TRUE(launch.block[0].is_const(4));
  EXPECT_TRUE(launch.block[1].is_const(8));
}

TEST(Folds, ABlockThatFoldsMeetsInOneBarrier) {
  const Rows rows(Reduction::Sum);
  Schedule s(rows.f);
  const auto [b, h] = s.loops<2>(rows.y);
  s.bind(b, ParallelType::BIDx).bind(s.split(h, 256).second, ParallelType::TIDx);
  const Program p = lower(rows.f, s);
  EXPECT_EQ(barriers_in(p.steps[0].variants[0].body), 1u);
}

TEST(Folds, BlocksThatFoldTogetherAreRefused) {
  const Rows rows(Reduction::Sum);
  Schedule s(rows.f);
  const auto [b, h] = s.loops<2>(rows.y);
  const auto [outer, inner] = s.split(h, 256);
  s.bind(outer, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(rows.f, s); }),
            "selvage: error[E434]: i1o, which y folds over, is bound to BIDx, and blocks do not "
            "wait for one another; help: rfactor what a block folds: {rfactor: {in: [i1i], as: "
            "y_parts}}, {bind: {i1o: Serial}}, with y_parts: [{memory: global}]; or leave the loop "
            "i1o of y serial; or let the blocks meet, {blocks: atomic}, in a kernel of its own");
  Schedule whole(rows.f);
  whole.bind(whole.loops(rows.y.id())[1], ParallelType::BIDx);
  EXPECT_EQ(
      refusal_by<Illegal>([&] { lower(rows.f, whole); }),
      "selvage: error[E434]: i1, which y folds over, is bound to BIDx, and blocks do not wait "
      "for one another; help: split i1, bind the outer loop to BIDx and rfactor the inner "
      "one, as y_parts: [{memory: global}]; or leave the loop i1 of y serial; or let the "
      "blocks meet, {blocks: atomic}, in a kernel of its own");
  Schedule parts = s;
  const TensorId part = parts.rfactor(rows.y.id(), {inner}, "part");
  parts.materialize(part).keep_in(part, Memory::Global);
  parts.bind(parts.split(parts.loops(rows.y.id())[1], 64).second, ParallelType::TIDx);
  EXPECT_EQ(expect_agreement(rows.f, parts, kRows).steps.size(), 2u);
  s.meet_atomically(rows.y.id());
  EXPECT_EQ(expect_agreement(rows.f, s, kRows).steps.size(), 2u);
}

// Columns of a grid, blocks and warps of it, and a store of several rows by one block.
TEST(Folds, BlocksMeetAtomically) {
  for (const Reduction how : {Reduction::Sum, Reduction::Max, Reduction::Min}) {
    for (const DataType type : {DataType::Int32, DataType::Double}) {
      SCOPED_TRACE(std::string(to_string(how)) + " of " + std::string(to_string(type)));
      const Rows rows(how, type);
      Schedule s(rows.f);
      const auto [b, h] = s.loops<2>(rows.y);
      const auto [block, rest] = s.split(h, 96);
      const auto [outer, inner] = s.split(rest, 32);
      const auto [bo, bi] = s.split(b, 3);
      s.bind(block, ParallelType::BIDy).bind(bo, ParallelType::BIDx);
      s.bind(bi, ParallelType::TIDy).bind(inner, ParallelType::TIDx);
      s.meet_atomically(rows.y.id());
      const Program p = expect_agreement(rows.f, s, kRows);
      ASSERT_EQ(p.steps.size(), 2u);
      EXPECT_EQ(p.steps[0].variants[0].name, "kernel_y_fill");
    }
  }
}

// A block that reads what others add to would have to wait for them.
TEST(Folds, BlocksDoNotMeetInAnothersKernel) {
  Fusion f;
  const auto [b, h] = f.extents("B", "H");
  const Tensor x = f.input("x", {b, h}, DataType::Float);
  const Tensor s = sum(x, {1});
  const Tensor y = f.output("y", s * 2);
  Schedule inside(f);
  inside.bind(inside.loops(s.id())[1], ParallelType::BIDx).meet_atomically(s.id());
  Schedule apart = inside;
  inside.compute_at(s.id(), inside.loops(y.id())[0]);
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(f, inside); }), HasSubstr("error[E434]"));
  EXPECT_EQ(expect_agreement(f, apart.materialize(s.id()), kRows).steps.size(), 3u);
}

TEST(Folds, WhatMeetsAtomicallyInOneBlockNeedsNoFilling) {
  const Rows rows(Reduction::Sum);
  Schedule s(rows.f);
  s.bind(s.loops(rows.y.id())[1], ParallelType::TIDx).meet_atomically(rows.y.id());
  EXPECT_EQ(expect_agreement(rows.f, s, {{{"B", 3}, {"H", 32}}}).steps.size(), 1u);
}

// Two nests of one kernel have a loop of one name over different extents: what is known of one is
// not said of the other.
TEST(Folds, LoopsOfOneNameMayHaveTwoExtents) {
  const auto condition = [](const std::string& name) {
    Fusion f;
    const auto [b, h] = f.extents("B", "H");
    const Tensor x = f.input("x", {b, h}, DataType::Float);
    const Tensor s = reduce(Reduction::Sum, x, {1}, true), m = reduce(Reduction::Max, x, {1}, true);
    const Tensor y = f.output("y", (x - s) * m);
    Schedule cut(f);
    cut.split(cut.loops(s.id())[2], 2, {.outer = "no", .inner = "ni"});
    cut.split(cut.loops(m.id())[2], 1'000'003, {.outer = "mo", .inner = name});
    const ScheduledLoop row = cut.loops(y.id())[0];
    cut.bind(row, ParallelType::BIDx).compute_at(s.id(), row).compute_at(m.id(), row);
    expect_agreement(f, cut, {{{"B", 2}, {"H", 7}}});
    return to_string(lower(f, cut).steps[0].variants[0].condition);
  };
  EXPECT_EQ(condition("ni"), condition("mi"));
}

// Of columns, by one thread: a state for each of those that are inside the loop over h.
TEST(Folds, MoreStatesThanAThreadCanKeepAreRefused) {
  Fusion f;
  const auto [h, b, c] = f.extents("H", "B", "C");
  const Tensor y = f.output("y", sum(f.input("x", {h, b, c}, DataType::Float), {0}));
  const auto by = [&](std::int64_t rows, std::int64_t columns) {
    Schedule s(f);
    const auto [i, j, k] = s.loops<3>(y);
    const auto [io, ii] = s.split(i, rows);
    const auto [jo, ji] = s.split(j, columns);
    s.reorder({io, jo, k, ii, ji});
    return refusal_by<Illegal>([&] { expect_agreement(f, s, {{{"H", 2}, {"B", 3}, {"C", 5}}}); });
  };
  const std::string help =
      " of 4 bytes, are past the limit of 524288 bytes; help: put what it folds over last, "
      "reorder: "
      "[i1o, i2o, i1i, i2i, i0]; or split by smaller factors, and put the outer loops before it";
  const std::string head = "selvage: error[E442]: the states that each thread keeps of y, ";
  EXPECT_EQ(by(512, 512), head + "262144" + help);
  EXPECT_EQ(by(std::int64_t{1} << 40, 8), head + "8796093022208" + help);
  EXPECT_EQ(by(1 << 10, std::int64_t{1} << 60), head + "more than 2^63" + help);
  EXPECT_EQ(by(8, 16), "accepted");
}

// What a schedule calls loops is none of the names of those that merging threads takes.
TEST(Folds, StatesWhoseNumberIsNotKnownAreRefused) {
  const Rows rows(Reduction::Sum);
  Schedule s(rows.f);
  const auto [b, h] = s.loops<2>(rows.y);
  s.reorder({h, b});
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(rows.f, s); }),
            "selvage: error[E433]: y keeps a state for each i0, and their number, B, is not known; "
            "help: put what is folded over behind it, reorder: [i0, i1], or split it by a number "
            "and do so");
  s.reorder({b, h});
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(rows.f, s); }), "accepted");
}

TEST(Folds, LoopsMayHaveAnyName) {
  Fusion f;
  const auto [h, b] = f.extents("H", "item_of_4");
  const Tensor y = f.output("y", sum(f.input("x", {h, b}, DataType::Int32), {0}));
  for (const ParallelType axis : {ParallelType::TIDx, ParallelType::TIDy}) {
    Schedule s(f);
    const auto [i, j] = s.loops<2>(y);
    const auto [io, ii] = s.split(i, 4, {.outer = "other_TIDy", .inner = "every_TIDy"});
    s.bind(s.split(j, 64).second, axis);
    s.reorder({io, s.loops(y.id())[2], s.loops(y.id())[3], ii});
    expect_agreement(f, s, {{{"H", 70}, {"item_of_4", 9}}});
  }
}

TEST(Folds, AnRfactorMergesStatesOfEveryKind) {
  for (Reduction how : {Reduction::Sum, Reduction::Max, Reduction::ArgMax, Reduction::Variance}) {
    SCOPED_TRACE(to_string(how));
    const Rows rows(how, how == Reduction::Variance ? DataType::Float : DataType::Int32);
    for (const bool is_stored : {false, true}) {
      Schedule s(rows.f);
      const auto [b, h] = s.loops<2>(rows.y);
      const auto [outer, inner] = s.split(h, 8);
      const TensorId part = s.rfactor(rows.y.id(), {outer}, "part");
      if (is_stored) s.materialize(part);
      expect_agreement(rows.f, s, kRows);
    }
  }
}

}  // namespace

}  // namespace selvage::folds
