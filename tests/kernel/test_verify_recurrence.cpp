// What runs that come to the same state again prove for any number of iterations (theorem 19).
#include <selvage/base/shuffle.h>
#include <selvage/kernel/verify.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "tests/codegen/run.h"
#include "tests/kernel/verify_case.h"
#include "tests/support/bulk_rings.h"
#include "tests/support/counts.h"
#include "tests/support/role_rings.h"

namespace selvage::verify_recurrence {
namespace {

using namespace test;
using Part = BulkRing::Part;

std::int64_t faults_of(const Kernel& kernel) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  return run_emulated(kernel, {}, arrays).fault_count;
}
bool is_by_runs(const Verification& v) {
  return v.is_legal() && std::ranges::any_of(v.verdicts, [](const Verdict& verdict) {
           const auto& rules = std::get<Proved>(verdict).rules;
           return std::ranges::find(rules, "runs that recur") != rules.end();
         });
}
// The statements of a ring's iteration, and its variable.
struct Iteration {
  explicit Iteration(Kernel& kernel)
      : loop(std::get<Loop>(std::get<Loop>(kernel.body[0].node).body[0].node)) {}
  Loop& loop;
  Body& body = loop.body;
  Expr k = loop.variable;
};

BulkRing ring(BulkRing::Parts parts, std::int64_t stages, std::int64_t ahead,
              std::int64_t objects) {
  BulkRing r(4);
  r.parts = std::move(parts);
  r.stages = stages, r.ahead = r.waits_for = ahead, r.objects = objects;
  return r;
}

TEST(RunsThatRecur, ProveOrdersThatNoOtherTheoremIsAbout) {
  const BulkRing::Parts orders[] = {
      {Part::Wait, Part::Fence, Part::Copy, Part::Meet, Part::Arrive, Part::Use},
      {Part::Wait, Part::Meet, Part::Fence, Part::Copy, Part::Arrive, Part::Use},
      {Part::Wait, Part::Meet, Part::Copy, Part::Arrive, Part::Use, Part::Fence},
      // Nobody meets: each waits for what all have arrived at.
      {Part::Wait, Part::Fence, Part::Copy, Part::Arrive, Part::Use}};
  for (const auto& parts : orders) {
    EXPECT_TRUE(is_by_runs(verify(ring(parts, 4, 1, 1).make())));
    EXPECT_TRUE(is_by_runs(verify(ring(parts, 4, 1, 3).make())));
  }
  RoleRing one;
  one.stages = one.slots = 1;
  EXPECT_TRUE(is_by_runs(verify(one.make())));
}

// Tiles of 16 rows each, of rows that are any number or a multiple of 16, one of two sizes, and
// phases of which only the parity is known.
TEST(RunsThatRecur, AreOfAnyEndOfTheLoop) {
  const auto verdict = [](auto change) {
    BulkRing r =
        ring({Part::Wait, Part::Meet, Part::Fence, Part::Copy, Part::Arrive, Part::Use}, 3, 1, 2);
    r.make();
    change(r);
    return is_by_runs(verify(r.kernel));
  };
  const auto in_rows = [](BulkRing& r, bool is_divisible) {
    const Expr n = r.pool->symbol("n"), rows = r.pool->symbol("rows");
    r.kernel.sizes = {rows};
    r.kernel.facts.bound(rows, r.c(1), r.c(9600));
    if (is_divisible) r.kernel.facts.congruent(rows, 16);
    const Environment tiles = {{n, (rows + 15) / 16}};
    for (Buffer& b : r.kernel.buffers) b.elements = substitute(b.elements, tiles);
    Iteration own(r.kernel);
    own.loop.extent = substitute(own.loop.extent, tiles);
    for_each_statement(own.body, [&](Statement& s) {
      if (auto* g = std::get_if<Guard>(&s.node)) g->condition = substitute(g->condition, tiles);
    });
  };
  EXPECT_TRUE(verdict([&](BulkRing& r) { in_rows(r, false); }));
  EXPECT_TRUE(verdict([&](BulkRing& r) { in_rows(r, true); }));
  EXPECT_TRUE(verdict([](BulkRing& r) {
    const Expr m = r.size("m");
    for (Buffer& b : r.kernel.buffers) {
      if (b.memory == Memory::Global) b.elements = b.elements + m;
    }
  }));
  EXPECT_TRUE(verdict([](BulkRing& r) {
    for_each_statement(r.kernel.body, [](Statement& s) {
      auto* own = std::get_if<Wait>(&s.node);
      if (own != nullptr) own->by_parity = true, own->phase = own->phase % 2;
    });
  }));
}

// A fault in one iteration alone, far from both ends or near the last, or that comes only of some
// numbers of tiles.
TEST(RunsThatRecur, ProveNothingWhereOneIterationDiffers) {
  const auto verdict = [](auto condition_of) {
    BulkRing r =
        ring({Part::Wait, Part::Meet, Part::Fence, Part::Copy, Part::Arrive, Part::Use}, 3, 1, 2);
    r.make();
    Iteration own(r.kernel);
    const Expr n = r.pool->symbol("n");
    Statement& wait = own.body[0];
    wait = guard(condition_of(own.k, n), {wait});
    return verify(r.kernel);
  };
  EXPECT_TRUE(is_by_runs(verdict([](Expr k, Expr) { return 0 <= k; })));
  EXPECT_TRUE(is_by_runs(verdict([](Expr k, Expr) { return 1 <= k; })));
  EXPECT_FALSE(verdict([](Expr k, Expr) { return k <= 36 || 38 <= k; }).is_legal());
  EXPECT_FALSE(verdict([](Expr k, Expr n) { return k < n - 3; }).is_legal());
  EXPECT_FALSE(verdict([](Expr k, Expr) { return 1 <= k % 7; }).is_legal());
  EXPECT_FALSE(verdict([](Expr k, Expr n) { return n <= 599 || k < n; }).is_legal());
  // A run says of how many tiles: it is refuted.
  const Verification v = verdict([](Expr k, Expr) { return k <= 5 || 7 <= k; });
  ASSERT_TRUE(is_refuted(v.of(Hazard::Race)));
  EXPECT_EQ(v.findings[0].sizes[0].second, 6);
}

// Rings with statements that run in some iterations only: what is proved for any number of tiles
// has no fault with many.
TEST(RunsThatRecur, ProveOnlyWhatManyIterationsBearOut) {
  SplitMix64 random(20261203);
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  const auto condition = [&](Expr k, Expr n) {
    const std::int64_t c = below(below(2) == 0 ? 4 : 24), m = 2 + below(4);
    switch (below(6)) {
      case 0: return c <= k;
      case 1: return k <= c;
      case 2: return k <= c || c + 2 <= k;
      case 3: return k + c < n;
      case 4: return 1 <= (k + c) % m;
      default: return (n + c) % m <= 0;
    }
  };
  int sound = 0, proved = 0, all = 0;
  for (int drawn = 0; drawn < count(60, 2'000); ++drawn) {
    const std::int64_t stages = 2 + below(3), ahead = 1 + below(stages - 1);
    BulkRing::Parts parts = {Part::Wait, Part::Fence,  Part::Meet,
                             Part::Copy, Part::Arrive, Part::Use};
    if (below(2) == 0) parts.insert(parts.begin() + below(7), Part::Meet);
    if (below(2) == 0) parts.insert(parts.begin() + below(7), Part::Fence);
    const std::int64_t objects = ahead + below(2);
    const bool by_one = below(2) == 0;
    const auto guarded = std::size_t(below(std::int64_t(parts.size())));
    const std::uint64_t seed = random.next();
    const auto with_tiles = [&](std::optional<std::int64_t> tiles) {
      auto r = std::make_unique<BulkRing>(ring(parts, stages, ahead, objects));
      r->by_one = by_one;
      if (by_one) r->arrivals = 1;
      r->tiles = tiles;
      r->make();
      random = SplitMix64(seed);
      Iteration own(r->kernel);
      const Expr n = tiles ? r->c(*tiles) : r->pool->symbol("n");
      Statement& s = own.body[guarded];
      s = guard(condition(own.k, n), {s});
      return r;
    };
    const bool is_proved = verify(with_tiles({})->kernel).is_legal();
    bool has_no_fault = true;
    for (std::int64_t tiles = 1; tiles <= 45 && has_no_fault; ++tiles) {
      has_no_fault = faults_of(with_tiles(tiles)->kernel) == 0;
    }
    EXPECT_TRUE(!is_proved || has_no_fault) << drawn << "\n" << loop_nest(with_tiles({})->kernel);
    ++all;
    sound += has_no_fault;
    proved += is_proved;
  }
  std::printf("[FIGURE] rings with a guarded part: %d of %d right, %d of these proved\n", sound,
              all, proved);
  EXPECT_GT(proved, more_than(3));
}

}  // namespace
}  // namespace selvage::verify_recurrence
