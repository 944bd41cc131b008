// What is proved, for any number of tiles, of rings of two roles.
#include <selvage/base/shuffle.h>
#include <selvage/kernel/role_rings.h>
#include <selvage/kernel/verify.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/codegen/run.h"
#include "tests/kernel/verify_case.h"
#include "tests/support/counts.h"
#include "tests/support/ring_draws.h"
#include "tests/support/role_rings.h"

namespace selvage::verify_roles {
namespace {

using namespace test;
using Load = RoleRing::Load;
using Use = RoleRing::Use;

template <class Change>
bool is_proved(Change change) {
  RoleRing ring;
  change(ring);
  return verify(ring.make()).is_legal();
}

// That the emulator finds.
std::int64_t faults_of(const Kernel& kernel) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  return run_emulated(kernel, {}, arrays).fault_count;
}

TEST(RoleRings, AreProvedForAnyNumberOfTilesWhereSlotsAreStages) {
  for (std::int64_t stages = 2; stages <= 6; ++stages) {
    EXPECT_TRUE(is_proved([&](RoleRing& r) { r.stages = r.slots = stages; })) << stages;
    EXPECT_TRUE(is_proved([&](RoleRing& r) { r.stages = stages, r.slots = stages + 2; }));
    EXPECT_FALSE(is_proved([&](RoleRing& r) { r.stages = stages, r.slots = stages - 1; }));
  }
  EXPECT_TRUE(is_proved([](RoleRing& r) { r.load.insert(r.load.begin() + 1, Load::Fence); }));
  EXPECT_TRUE(is_proved([](RoleRing& r) { r.use.insert(r.use.begin() + 2, Use::Meet); }));
}

TEST(RoleRings, AreNotProvedWhereAnythingIsWrong) {
  const std::function<void(RoleRing&)> changes[] = {
      [](RoleRing& r) { r.free_phase = 0; },
      [](RoleRing& r) { r.free_phase = -2; },
      [](RoleRing& r) { r.full_phase = 1; },
      [](RoleRing& r) { r.full_phase = -1; },
      [](RoleRing& r) { r.free_object = 1; },
      [](RoleRing& r) { r.full_object = 2; },
      [](RoleRing& r) { r.full_arrivals = 2; },
      [](RoleRing& r) { r.free_arrivals = 63; },
      [](RoleRing& r) { r.free_arrivals = 65; },
      [](RoleRing& r) { r.copying_thread = 40; },
      [](RoleRing& r) { r.uses_more = 1; },
      [](RoleRing& r) { r.announces = false; },
      [](RoleRing& r) { r.all_wait = true; },
      [](RoleRing& r) { r.load.erase(r.load.begin()); },
      [](RoleRing& r) { r.load.pop_back(); },
      [](RoleRing& r) { r.use.erase(r.use.begin()); },
      [](RoleRing& r) { std::erase(r.use, Use::Fence); },
      [](RoleRing& r) { r.use.pop_back(); },
      [](RoleRing& r) { std::swap(r.use[1], r.use[3]); },
      [](RoleRing& r) { r.writes_tile = true; }};
  for (std::size_t k = 0; k < std::size(changes); ++k) {
    EXPECT_FALSE(is_proved(changes[k])) << k;
    RoleRing few;
    few.tiles = 7;
    changes[k](few);
    EXPECT_GT(faults_of(few.make()), 0) << k;
  }
}

// As many tiles are on their way at once as there are objects, whether anything reads them or not.
TEST(RoleRings, AreProvedWhereNothingReadsTheTiles) {
  const auto reads_nothing = [](RoleRing& r) { std::erase(r.use, Use::Read); };
  EXPECT_TRUE(is_proved(reads_nothing));
  EXPECT_FALSE(is_proved([&](RoleRing& r) { reads_nothing(r), r.stages = 4; }));
}

// Slots and phases go on from run to run, whatever the number of tiles in each.
TEST(RoleRings, AreProvedForAnyNumberOfRuns) {
  for (std::int64_t stages = 2; stages <= 5; ++stages) {
    for (const bool stores : {false, true}) {
      EXPECT_TRUE(is_proved([&](RoleRing& r) {
        r.stages = r.slots = stages, r.runs_again = true, r.stores_between = stores;
      })) << stages;
    }
  }
  const std::function<void(RoleRing&)> changes[] = {
      [](RoleRing& r) { r.restarts_phases = true; },
      [](RoleRing& r) { r.restarts_slots = true; },
      [](RoleRing& r) { r.restarts_phases = r.restarts_slots = true; },
      [](RoleRing& r) { r.slots = 2; },
      [](RoleRing& r) { r.free_phase = 0; },
      [](RoleRing& r) { r.full_phase = -1; },
      [](RoleRing& r) { r.free_arrivals = 63; },
      [](RoleRing& r) { r.stores_twice = true; },
      [](RoleRing& r) { std::erase(r.use, Use::Fence); }};
  for (std::size_t k = 0; k < std::size(changes); ++k) {
    const auto again = [&](RoleRing& r) {
      r.runs_again = true;
      changes[k](r);
    };
    EXPECT_FALSE(is_proved(again)) << k;
    RoleRing few;
    few.tiles = 5, few.runs = 3;
    again(few);
    EXPECT_GT(faults_of(few.make()), 0) << k;
  }
  // Phases that begin at 0 again are right where two rounds of all objects are the whole run.
  RoleRing whole;
  whole.tiles = 6, whole.runs = 3, whole.runs_again = whole.restarts_phases = true;
  EXPECT_GT(faults_of(whole.make()), 0);  // phases are numbers here, not parities
}

// What different threads store in different iterations has no order but that of a barrier of
// theirs.
TEST(RoleRings, AreNotProvedWhereThreadsStoreOneElement) {
  const auto twice = [](bool meets, std::optional<std::int64_t> tiles) {
    RoleRing ring;
    ring.stores_twice = true;
    ring.tiles = tiles;
    if (meets) ring.use.insert(ring.use.begin(), Use::Meet);
    ring.make();
    const std::int64_t faults = tiles ? faults_of(ring.kernel) : 0;
    return std::pair(verify(ring.kernel).is_legal(), faults > 0);
  };
  EXPECT_FALSE(twice(false, {}).first);
  EXPECT_TRUE(twice(false, 7).second);
  EXPECT_TRUE(twice(true, {}).first);
}

// What lies where a tile does is used with no barrier in front of the first copy.
TEST(RoleRings, AreNotProvedWhereSomethingElseHasTheirBytes) {
  for (const std::int64_t other : {0, 4096}) {
    RoleRing ring;
    Kernel kernel = ring.make();
    for (Buffer& b : kernel.buffers) {
      if (b.memory == Memory::Shared) b.offset = b.name == "s" ? 0 : b.name == "full" ? 2048 : 3072;
    }
    EXPECT_TRUE(verify(kernel).is_legal());
    kernel.buffers.push_back({.name = "z",
                              .type = DataType::Float,
                              .memory = Memory::Shared,
                              .elements = ring.c(96),
                              .is_written = true,
                              .offset = other});
    const ValueId zero = kernel.values.constant(DataType::Float, 0.0, false);
    Body& body = std::get<Loop>(kernel.body[0].node).body;
    body.insert(body.begin(), store(BufferId(kernel.buffers.size() - 1), ring.t, zero));
    EXPECT_EQ(verify(kernel).is_legal(), other == 4096);
  }
}

// Rings of any make: what is proved for any number of tiles has no fault with any. Runs of the
// kernel decide, statement by statement.
TEST(RoleRings, AreProvedOnlyWhereRunsHaveNoFault) {
  RingDraws draws(20261129, 10);
  const auto below = [&](std::int64_t n) { return draws.below(n); };
  const auto rarely = [&](std::int64_t usual, std::int64_t other) {
    return draws.rarely(usual, other);
  };
  int sound = 0, proved = 0, all = 0;
  for (int k = 0; k < count(200, 3'000); ++k) {
    RoleRing drawn;
    drawn.stages = 1 + below(4);
    drawn.slots = std::max<std::int64_t>(1, drawn.stages + rarely(0, below(3) - 1));
    drawn.free_phase = rarely(-1, below(3) - 2);
    drawn.full_phase = rarely(0, below(3) - 1);
    drawn.free_object = rarely(0, below(3));
    drawn.full_object = rarely(0, below(3));
    drawn.full_arrivals = rarely(1, 2);
    drawn.free_arrivals = rarely(64, 63 + below(3));
    drawn.copying_thread = rarely(below(32), below(96));
    drawn.announces = rarely(1, 0) != 0;
    drawn.all_wait = rarely(0, 1) != 0;
    drawn.writes_tile = rarely(0, 1) != 0;
    draws.change(drawn.load);
    draws.change(drawn.use);
    if (below(4) == 0) drawn.use.insert(drawn.use.begin() + below(4), Use::Meet);
    if (below(4) == 0) drawn.load.insert(drawn.load.begin() + below(3), Load::Fence);
    drawn.runs_again = below(2) == 0;
    drawn.restarts_phases = drawn.runs_again && rarely(0, 1) != 0;
    drawn.restarts_slots = drawn.runs_again && rarely(0, 1) != 0;
    drawn.stores_between = drawn.runs_again && below(2) == 0;
    // Emulation calls it a fault whether or not they meet between.
    drawn.stores_twice = std::ranges::count(drawn.use, Use::Meet) == 0 && rarely(0, 1) != 0;
    const auto with_tiles = [&](std::optional<std::int64_t> tiles,
                                std::optional<std::int64_t> runs) {
      RoleRing own;
      own.runs_again = drawn.runs_again, own.restarts_phases = drawn.restarts_phases;
      own.restarts_slots = drawn.restarts_slots, own.stores_between = drawn.stores_between;
      own.stores_twice = drawn.stores_twice, own.runs = runs;
      own.stages = drawn.stages, own.slots = drawn.slots, own.free_phase = drawn.free_phase;
      own.full_phase = drawn.full_phase, own.free_object = drawn.free_object;
      own.full_object = drawn.full_object, own.full_arrivals = drawn.full_arrivals;
      own.free_arrivals = drawn.free_arrivals, own.copying_thread = drawn.copying_thread;
      own.announces = drawn.announces, own.all_wait = drawn.all_wait;
      own.writes_tile = drawn.writes_tile, own.load = drawn.load, own.use = drawn.use;
      own.tiles = tiles;
      return own;
    };
    bool has_no_fault = true;
    for (std::int64_t tiles = 1; tiles <= 9 && has_no_fault; ++tiles) {
      for (std::int64_t runs = 1; runs <= (drawn.runs_again ? 3 : 1) && has_no_fault; ++runs) {
        RoleRing own = with_tiles(tiles, runs);
        has_no_fault = faults_of(own.make()) == 0;
      }
    }
    RoleRing any = with_tiles({}, {});
    const bool is_legal = verify(any.make()).is_legal();
    // Of rings that run again a few shapes are not known.
    EXPECT_TRUE(is_legal == has_no_fault || (has_no_fault && drawn.runs_again))
        << "case " << k << "\n"
        << loop_nest(any.kernel);
    // One stage is no ring of one role, and runs alone would prove it.
    const bool is_ring = drawn.stages > 1;
    ++all;
    sound += has_no_fault && is_ring;
    proved += is_legal && is_ring;
  }
  std::printf("[FIGURE] rings of two roles: %d of %d right, %d of these proved for any number\n",
              sound, all, proved);
  EXPECT_GE(proved * 10, sound * 8);
}

}  // namespace
}  // namespace selvage::verify_roles
