// Barriers of a part of the block, and loops that are left: each wrong kernel beside its mend.
#include <gtest/gtest.h>

#include "tests/kernel/verify_case.h"
#include "tests/support/part_kernels.h"

namespace selvage {
namespace {

using namespace test;

std::string verdicts(const Verification& v) { return v.is_legal() ? "legal" : findings(v); }

// The first 64 of 128 threads hand on what they have to their neighbours.
struct Region : VerifyCase {
  Region() : VerifyCase(128) {
    s = shared("s", 64);
    y = output("y", DataType::Float, c(64));
  }
  std::string by(Body between) {
    Body body = {put(s, tx, one())};
    for (Statement& b : between) body.push_back(std::move(b));
    body.push_back(put(y, tx, read(s, (tx + 1) % 64)));
    return verdicts(verified({guard(tx < 64, std::move(body))}));
  }
  BufferId s, y;
};

TEST(VerifyParts, ThreadsOfARegionExchangeBehindTheirOwnBarrier) {
  EXPECT_EQ(Region().by({barrier(1, {kAll, kAll})}), "legal");
  EXPECT_EQ(Region().by({barrier(15, {kAll, kAll, 0, 0})}), "legal");
  EXPECT_EQ(Region().by({}),
            "race refuted: s[1] is read by one thread and accessed by another with no barrier "
            "between: block (0, 0, 0), thread (1, 0, 0); and block (0, 0, 0), thread (0, 0, 0)\n");
  // One warp each: s[32] is of the other one.
  const std::string race = Region().by({warp_barrier()});
  EXPECT_NE(race.find("race refuted: s["), std::string::npos) << race;
}

TEST(VerifyParts, ExactlyTheMembersOfABarrierGetThere) {
  EXPECT_EQ(Region().by({barrier(1, {kAll, kAll >> 1})}),
            "divergence refuted: barrier 1 that a thread reaches which takes no part in it: block "
            "(0, 0, 0), thread (63, 0, 0)\n");
  EXPECT_EQ(Region().by({barrier(1, {kAll, kAll, 4})}),
            "divergence refuted: barrier 1 that one thread reaches and another does not: block (0, "
            "0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (66, 0, 0)\n");
  EXPECT_EQ(Region().by({barrier()}),
            "divergence refuted: a barrier that one thread reaches and another does not: block (0, "
            "0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (64, 0, 0)\n");
}

TEST(VerifyParts, LanesOfAWarpWaitForOneAnother) {
  const auto of_lanes = [](Statement between) {
    VerifyCase c(40);
    const BufferId s = c.shared("s", 40), y = c.output("y", DataType::Float, c.c(40));
    return verdicts(c.verified(
        {guard(c.tx % 32 < 8, {c.put(s, c.tx, c.one()), std::move(between),
                               c.put(y, c.tx, c.read(s, c.tx / 8 * 8 + (c.tx + 1) % 8))})}));
  };
  EXPECT_EQ(of_lanes(lane_barrier(0xff)), "legal");
  EXPECT_EQ(of_lanes(lane_barrier(0x7f)),
            "divergence refuted: a barrier of lanes 0x0000007f of a warp that a thread reaches "
            "which takes no part in it: block (0, 0, 0), thread (7, 0, 0)\n");
  EXPECT_EQ(of_lanes(lane_barrier(0x1ff)),
            "divergence refuted: a barrier of lanes 0x000001ff of a warp that one thread reaches "
            "and another does not: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread "
            "(8, 0, 0)\n");
  EXPECT_EQ(of_lanes(warp_barrier()),
            "divergence refuted: a barrier of a warp that one thread reaches and another does not: "
            "block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (8, 0, 0)\n");
}

TEST(VerifyParts, ANumberIsOfOneRegionAtATime) {
  const auto regions = [](int second, bool is_apart) {
    VerifyCase c(128);
    const Statement one = barrier(1, {kAll, kAll}), other = barrier(second, {0, 0, kAll, kAll});
    Body body = {guard(c.tx < 64, {one})};
    if (is_apart) body.push_back(barrier());
    body.push_back(guard(64 <= c.tx, {other}));
    const Kernel& k = c.with(std::move(body));
    const AccessMap map(k);
    const bool at_once = divergence_findings(map).open.empty();
    return verdicts(verify(k)) + (at_once ? ", proved without a run" : "");
  };
  EXPECT_EQ(regions(1, false),
            "divergence refuted: barrier 1 that one thread reaches where another may still wait: "
            "block (0, 0, 0), thread (64, 0, 0); and block (0, 0, 0), thread (0, 0, 0)\n");
  EXPECT_EQ(regions(2, false), "legal, proved without a run");
  EXPECT_EQ(regions(1, true), "legal, proved without a run");
}

// 0 hands on to 1, and that to 2: a chain of barriers orders them, of which they share none.
TEST(VerifyParts, OrderGoesOnFromOneBarrierToTheNext) {
  const auto chain = [](bool in_order) {
    VerifyCase c(96);
    const BufferId s = c.shared("s", 32), y = c.output("y", DataType::Float, c.c(32));
    Body links = {guard(c.tx < 64, {barrier(1, {kAll, kAll})}),
                  guard(32 <= c.tx, {barrier(2, {0, kAll, kAll})})};
    if (!in_order) std::swap(links[0], links[1]);
    return verdicts(c.verified({guard(c.tx < 32, {c.put(s, c.tx, c.one())}), links[0], links[1],
                                guard(64 <= c.tx, {c.put(y, c.tx - 64, c.read(s, c.tx - 64))})}));
  };
  EXPECT_EQ(chain(true), "legal");
  EXPECT_EQ(chain(false),
            "race refuted: s[0] is read by one thread and accessed by another with no barrier "
            "between: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (64, 0, 0)\n");
}

struct Looped : VerifyCase {
  Looped() : VerifyCase(64) {
    k = pool->symbol("k");
    j = pool->symbol("j");
    s = shared("s", 64);
    y = output("y", DataType::Float, c(64 * 16));
  }
  Statement fill() { return put(s, tx, one()); }
  Statement use(Expr at) { return put(y, at * 64 + tx, read(s, (tx + 1) % 64)); }
  std::string run(Body body) { return verdicts(verified({loop(k, c(4), std::move(body))})); }
  Expr k, j;
  BufferId s, y;
};

TEST(VerifyParts, AllLeaveALoopTogetherThatHasABarrier) {
  const auto leaving = [](const std::function<Expr(Looped&)>& when, bool is_behind) {
    Looped l;
    Body body = {l.fill(), barrier(), l.use(l.k)};
    if (!is_behind) body.push_back(barrier());
    body.push_back(guard(when(l), {leave(l.k)}));
    if (is_behind) body.push_back(barrier());
    return l.run(std::move(body));
  };
  const auto together = [](Looped& l) { return eq(l.k, 2); };
  const auto twice = [](const std::string& text) { return text + text; };  // at both barriers
  const auto alone = [](Looped& l) { return eq(l.k, l.tx); };
  EXPECT_EQ(leaving(together, false), "legal");
  EXPECT_EQ(leaving(together, true), "legal");
  EXPECT_EQ(leaving(alone, false),
            twice("divergence refuted: a barrier that one thread reaches and another does not: "
                  "block (0, 0, 0), thread (1, 0, 0), k = 1; and block (0, 0, 0), thread (0, 0, "
                  "0), k = 1\n"));
  EXPECT_NE(leaving(alone, true).find("divergence refuted"), std::string::npos);
}

TEST(VerifyParts, ABarrierBehindALoopIsReachedByWhoeverLeavesIt) {
  Looped l;
  EXPECT_EQ(verdicts(l.verified({loop(l.k, l.c(4), {guard(l.tx < 3, {leave(l.k)})}), l.fill(),
                                 barrier(), l.use(l.c(0))})),
            "legal");
}

TEST(VerifyParts, WhoLeavesTheOuterLoopMissesItsBarriers) {
  const auto leaving = [](bool is_outer) {
    Looped l;
    const Expr which = is_outer ? l.k : l.j;
    return l.run({loop(l.j, l.c(3), {guard(l.tx < 3, {leave(which)})}), barrier()});
  };
  EXPECT_EQ(leaving(false), "legal");
  EXPECT_EQ(leaving(true),
            "divergence refuted: a barrier that one thread reaches and another does not: block (0, "
            "0, 0), thread (3, 0, 0), k = 0; and block (0, 0, 0), thread (0, 0, 0), k = 0\n");
}

// A thread that leaves the inner loop does not leave the outer one where the others do.
TEST(VerifyParts, ALeaveIsReachedByThoseWhoHaveLeftNoLoopAroundIt) {
  const auto leaving = [](bool is_mended) {
    Looped l;
    Body inner = {guard(l.tx < 3, {leave(l.j)}), guard(eq(l.j, 1), {leave(l.k)})};
    if (is_mended) std::swap(inner[0], inner[1]);
    return l.run({loop(l.j, l.c(3), std::move(inner)), barrier()});
  };
  EXPECT_NE(leaving(false).find("divergence refuted"), std::string::npos);
  EXPECT_NE(leaving(true).find("divergence refuted"), std::string::npos);
  Looped l;
  EXPECT_EQ(l.run({loop(l.j, l.c(3), {guard(eq(l.j, 1), {leave(l.k)})}), barrier()}), "legal");
}

TEST(VerifyParts, ABarrierBehindALeaveIsNotAlwaysMet) {
  const auto turns = [](std::int64_t when) {
    Looped l;
    return l.run({l.fill(), barrier(), l.use(l.k), guard(eq(l.k, when), {go_on(l.k)}), barrier()});
  };
  const std::string race = turns(1);
  EXPECT_NE(race.find("race refuted: s["), std::string::npos) << race;
  EXPECT_NE(race.find("k = 1"), std::string::npos) << race;
  EXPECT_EQ(turns(3), "legal");  // nothing follows
  EXPECT_EQ(turns(7), "legal");  // never
}

TEST(VerifyParts, WhatIsWrittenBehindALeaveNeedNotHaveBeen) {
  const auto local = [](bool is_written_before) {
    VerifyCase c(8);
    const Expr k = c.pool->symbol("k");
    const BufferId l = c.local("l", 1), y = c.output("y", DataType::Float, c.c(8));
    Body body = {loop(k, c.c(2), {guard(c.tx < 3, {leave(k)}), c.put(l, c.c(0), c.one())}),
                 c.put(y, c.tx, c.read(l, c.c(0)))};
    if (is_written_before) body.insert(body.begin(), c.put(l, c.c(0), c.one()));
    return verdicts(c.verified(std::move(body)));
  };
  EXPECT_EQ(local(false),
            "lifetime refuted: l[0] is read before anything is written there: block (0, 0, 0), "
            "thread (0, 0, 0)\n");
  EXPECT_EQ(local(true), "legal");
}

TEST(VerifyParts, WhoHasLeftMakesNoAccess) {
  const auto bounded = [](std::int64_t elements) {
    VerifyCase c(16);
    const Expr k = c.pool->symbol("k");
    const BufferId y = c.output("y", DataType::Float, c.c(elements));
    return verdicts(
        c.verified({loop(k, c.c(1), {guard(10 <= c.tx, {leave(k)}), c.put(y, c.tx, c.one())})}));
  };
  EXPECT_EQ(bounded(10), "legal");
  EXPECT_EQ(bounded(9),
            "bounds refuted: y[9] is out of bounds: there are 9 elements: block (0, 0, 0), thread "
            "(9, 0, 0), k = 0\n");
}

// What takes a run is decided where sizes have few values, and for these alone.
TEST(VerifyParts, SizesOfFewValuesAreGoneThrough) {
  const auto sized = [](std::int64_t least, std::optional<std::int64_t> most,
                        bool is_mended = false) {
    VerifyCase c(64);
    const Expr n = c.size("N"), k = c.pool->symbol("k");
    c.kernel.facts.bound(n, c.c(least), most ? c.c(*most) : Expr());
    const BufferId s = c.shared("s", 64), y = c.output("y", DataType::Float, c.c(64) * n);
    return verdicts(c.verified(
        {loop(k, n,
              {guard(c.tx < 32,
                     {c.put(s, c.tx, c.one()), barrier(1, {kAll}),
                      c.put(y, k * 64 + c.tx, c.read(s, (c.tx + 1) % 32)),
                      guard(is_mended ? c.pool->truth(true) : k < 200, {barrier(1, {kAll})})})})}));
  };
  EXPECT_EQ(sized(1, 8), "legal");
  EXPECT_EQ(sized(190, 201), "legal");  // the last one writes nothing after
  EXPECT_NE(sized(195, 203).find("N = 202"), std::string::npos) << sized(195, 203);
  EXPECT_NE(sized(1, 1000).find("N = "), std::string::npos) << sized(1, 1000);
  EXPECT_EQ(sized(1, 16, true), "legal");
  EXPECT_NE(sized(1, {}, true).find("race unknown"), std::string::npos) << sized(1, {}, true);
}

}  // namespace
}  // namespace selvage
