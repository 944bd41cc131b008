// Where tensors that are computed inside the nests of others lie, and what is refused there.
#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <selvage/scheduler/defaults.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {

namespace {

using test::expect_agreement;
using test::SizeList;
using testing::HasSubstr;

const SizeList kSizes = {{{"M", 1}, {"N", 1}}, {{"M", 3}, {"N", 5}}, {{"M", 7}, {"N", 33}}};

// y reads u, u reads t.
struct Chain {
  Chain() {
    const auto [M, N] = f.extents("M", "N");
    x = f.input("x", {M, N}, DataType::Float, {"m", "n"});
    t = x * 2;
    u = t + 1;
    y = f.output("y", u * 3);
  }
  Fusion f;
  Tensor x, t, u, y;
};

// u shares the rows of y, t those of u: t begins where u does, not at the rows once more.
TEST(Place, WhatIsComputedInsideAHostedTensorStandsWhereThatBegins) {
  Chain c;
  Schedule s(c.f);
  const auto [m, n] = s.loops<2>(c.y);
  s.compute_at(c.u.id(), n);
  s.compute_at(c.t.id(), s.loops<2>(c.u)[0]);
  expect_agreement(c.f, s, kSizes);
  // The same in blocks: rows are cut up first, and u and t keep a tile each.
  Schedule cut(c.f);
  const auto [row, column] = cut.loops<2>(c.y);
  const auto [tiles, inner] = cut.split(column, 4);
  cut.bind(row, ParallelType::BIDx).bind(inner, ParallelType::TIDx);
  cut.materialize(c.u.id()).materialize(c.t.id());
  cut.like(c.u.id(), c.y.id()).like(c.t.id(), c.y.id());
  cut.compute_at(c.u.id(), tiles);
  cut.compute_in(c.t.id(), c.u.id());
  expect_agreement(c.f, cut, kSizes);
}

TEST(Place, LoopsThatAreSharedAreBoundAsThoseOfTheHost) {
  Chain c;
  Schedule s(c.f);
  const auto [m, n] = s.loops<2>(c.y);
  s.bind(m, ParallelType::BIDx).bind(n, ParallelType::TIDx);
  s.compute_at(c.u.id(), n);
  s.compute_at(c.t.id(), s.loops<2>(c.u)[1]);
  // t and u are serial in their own words, and follow.
  const Schedule settled = with_defaults(s);
  for (const Tensor each : {c.t, c.u}) {
    const auto& loops = settled.loop_domains(each.id());
    EXPECT_EQ(settled.parallel(each.id(), loops[0]), ParallelType::BIDx);
    EXPECT_EQ(settled.parallel(each.id(), loops[1]), ParallelType::TIDx);
  }
  expect_agreement(c.f, s, {{{"M", 3}, {"N", 5}}});
}

TEST(Place, ASharedLoopThatIsBoundOtherwiseIsRefused) {
  Chain c;
  Schedule s(c.f);
  const auto [m, n] = s.loops<2>(c.y);
  s.bind(m, ParallelType::BIDx);  // u stays serial
  s.compute_at(c.u.id(), n);
  Schedule wrong = s;
  wrong.bind(wrong.loops<2>(c.u)[0], ParallelType::TIDx);
  EXPECT_EQ(
      refusal_by<Illegal>([&] { lower(c.f, wrong); }),
      "selvage: error[E413]: i0 of t1 is bound to TIDx, and is the loop of y that it is "
      "computed in, which is bound to BIDx; help: leave the loop i0 of t1 serial, it follows");
  Schedule twice = s;
  twice.bind(twice.loops<2>(c.u)[1], ParallelType::BIDx);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(c.f, twice); }),
            "selvage: error[E413]: BIDx of t1 is bound to i1, and is computed inside a loop that "
            "is bound to it, i0; help: bind i1 to BIDy");
  expect_agreement(c.f, s, kSizes);
}

// The item that y reads is computed at one number of t's own loop, and y runs as block 0.
TEST(Place, ABlockThatReadsWhatAnotherComputesIsRefusedWithBoth) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(4)}, DataType::Float);
  const Tensor t = x * 2;
  const ValueId first = f.values().read(DataType::Float, std::uint32_t(t.id()), {f.constant(1)});
  const Tensor y = f.output("y", f.compute("y0", {}, {}, first));
  Schedule s(f);
  s.materialize(t.id());
  const ScheduledLoop moved = s.resize(s.loops(t.id())[0], f.constant(2), f.constant(0), "a");
  s.bind(moved, ParallelType::BIDx).compute_in(t.id(), y.id());
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(f, s); }),
            "selvage: error[E432]: y reads an element of t0 that another block of a computes; "
            "computed at a = 3 and read at a = 0; help: leave the loop a of t0 serial, so that "
            "each block computes all of it");
  s.bind(moved, ParallelType::Serial);
  expect_agreement(f, s);
}

TEST(Place, ASharedLoopWhoseElementIsReadInAnotherIterationIsRefusedWithBoth) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(3), f.constant(4)}, DataType::Float);
  const Tensor t = x * 2;
  const Tensor y = f.output("y", t + slice(concatenate({t, t}, 1), 1, 1, 5));
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  s.compute_at(t.id(), n);
  EXPECT_THAT(refusal_by<Illegal>([&] { lower(f, s); }),
              HasSubstr("computed at i1 = 0 and read at i1 = 3"));
  EXPECT_THAT(
      refusal_by<Illegal>([&] { lower(f, s); }),
      HasSubstr("help: compute t0 further out, before the loop i1: inline: {into: y, at: i0}"));
  s.compute_at(t.id(), m);
  expect_agreement(f, s);
}

TEST(Place, WhatLiesInGlobalMemoryIsStoredOnce) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {N}, DataType::Float, {"n"});
  const Tensor z = f.input("z", {M, N}, DataType::Float, {"m", "n"});
  const Tensor t = x * 2;
  const Tensor y = f.output("y", z + t);
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  s.compute_at(t.id(), m).keep_in(t.id(), Memory::Global);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(f, s); }),
            "selvage: error[E435]: t0 is kept in global memory, and each iteration of i0 would "
            "store it again; help: keep t0 in shared memory, {memory: shared}; or compute it "
            "outside of that loop");
  s.compute_in(t.id(), y.id());
  expect_agreement(f, s, kSizes);
  // Blocks of the reader's: each would store it.
  s.bind(m, ParallelType::BIDx);
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(f, s); }),
            "selvage: error[E435]: t0 is kept in global memory, and each block of i0 would store "
            "it again; help: keep t0 in shared memory, {memory: shared}; or compute it outside of "
            "that loop");
}

// What is computed at a vector loop stands between its elements: they are taken one by one.
TEST(Place, AVectorLoopThatOthersAreComputedInIsSerial) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, f.constant(8), N}, DataType::Float);
  const Tensor total = sum(x, {2});
  const Tensor z = f.input("z", {M, f.constant(8)}, DataType::Float);
  const Tensor y = f.output("y", total * 2 + z);
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  const auto [o, i] = s.split(n, 4);
  s.bind(m, ParallelType::BIDx).bind(i, ParallelType::Vectorize);
  s.like(total.id(), y.id()).compute_at(total.id(), i);
  expect_agreement(f, s, kSizes);
}

// Whoever checks accesses has to know how many elements there are.
TEST(Place, AKernelIsPassedTheSizesOfWhatItReads) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float, {"m", "n"});
  const Expr j = f.fresh_index("j");
  const ValueId first = f.values().read(DataType::Float, std::uint32_t(x.id()), {f.constant(0), j});
  f.output("y", f.compute("t", {j}, {N}, first));
  expect_agreement(f, Schedule(f), kSizes);
}

// What is known of a loop is known of its variable throughout the kernel: x/8 would be 0 of an i
// that is less than 7 elsewhere.
TEST(Place, LoopsOfOneNameAndOtherExtentsHaveVariablesOfTheirOwn) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor x = f.input("x", {f.constant(7), N}, DataType::Float);
  const Tensor rows = sum(x, {1});
  const Expr i = f.fresh_index("i");
  const auto read = [&](Tensor t, std::vector<Expr> at) {
    return f.values().read(DataType::Float, std::uint32_t(t.id()), std::move(at));
  };
  // y[i] = x[i / N, i % N] + rows[i / N], over i in 7 * N.
  const ValueId both =
      f.values().apply(Function::Add, {read(x, {i / N, i % N}), read(rows, {i / N})});
  const Tensor y = f.output("y", f.compute("t", {i}, {N * 7}, both));
  Schedule s(f);
  s.rename(y.id(), s.loop_domains(y.id())[0], s.name(rows.id(), s.loop_domains(rows.id())[0]));
  const Program p = expect_agreement(f, s, {{{"N", 1}}, {{"N", 5}}, {{"N", 33}}});
  ASSERT_EQ(p.steps.size(), 1u);
  for (const Kernel& kernel : p.steps[0].variants) {
    std::map<std::uint32_t, Expr> extents;
    const auto visit = [&](const auto& self, const Body& body) -> void {
      for (const Statement& statement : body) {
        if (const auto* guard = std::get_if<Guard>(&statement.node)) self(self, guard->body);
        const auto* loop = std::get_if<Loop>(&statement.node);
        if (loop == nullptr) continue;
        const auto [it, is_new] = extents.emplace(loop->variable.id(), loop->extent);
        EXPECT_TRUE(is_new || same(it->second, loop->extent)) << loop_nest(kernel);
        self(self, loop->body);
      }
    };
    visit(visit, kernel.body);
    EXPECT_EQ(extents.size(), 3u);
  }
}

}  // namespace

}  // namespace selvage
