// What is proved of rings of two roles whose copies are made for all blocks of a cluster.
#include <selvage/kernel/verify.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "tests/codegen/run.h"
#include "tests/kernel/verify_case.h"
#include "tests/support/counts.h"
#include "tests/support/rank_rings.h"
#include "tests/support/ring_draws.h"

namespace selvage::rank_rings {
namespace {

using namespace test;
using Load = RankRing::Load;
using Use = RankRing::Use;
using Change = std::function<void(RankRing&)>;

bool is_proved(const Change& change) {
  RankRing ring;
  change(ring);
  return verify(ring.make()).is_legal();
}
// The first fault that the emulator finds; empty: none.
std::string fault_with(std::int64_t tiles, const Change& change) {
  RankRing ring;
  change(ring);
  ring.tiles = tiles;
  const Kernel& kernel = ring.make();
  std::vector<Array> arrays = arrays_for(kernel, {});
  const Emulation run = run_emulated(kernel, {}, arrays);
  return run.fault_count == 0 ? "" : run.faults.at(0).text;
}

TEST(RankRings, AreProvedForAnyNumberOfTiles) {
  for (std::int64_t stages = 2; stages <= 5; ++stages) {
    const auto right = [&](RankRing& r) { r.stages = r.slots = stages; };
    EXPECT_TRUE(is_proved(right)) << stages;
    EXPECT_EQ(fault_with(2 * stages + 1, right), "") << stages;
    EXPECT_FALSE(is_proved([&](RankRing& r) { r.stages = stages, r.slots = stages - 1; }));
  }
  EXPECT_TRUE(is_proved([](RankRing& r) { r.by_rank_0 = true; }));
  EXPECT_TRUE(is_proved([](RankRing& r) { r.is_for_all = false; }));
}

TEST(RankRings, AreRefusedWithAnyPartWrong) {
  const Change changes[] = {
      [](RankRing& r) { std::erase(r.load, Load::Wait); },
      [](RankRing& r) { std::erase(r.load, Load::Tell); },
      [](RankRing& r) { std::erase(r.load, Load::Meet); },
      [](RankRing& r) { std::erase(r.load, Load::Arrive); },
      [](RankRing& r) { std::erase(r.use, Use::Wait); },
      [](RankRing& r) { std::erase(r.use, Use::Arrive); },
      [](RankRing& r) { std::erase(r.use, Use::Fence); },
      [](RankRing& r) { std::swap(r.load[0], r.load[1]); },  // tells before its slot is free
      [](RankRing& r) { std::swap(r.load[2], r.load[3]); },  // copies before all have told
      [](RankRing& r) { r.tells_itself_alone = true; },
      [](RankRing& r) { r.ready_arrivals = 1; },
      [](RankRing& r) { r.ready_arrivals = 3; },
      [](RankRing& r) { r.ready_phase = 1; },
      [](RankRing& r) { r.ready_phase = -1; },
      [](RankRing& r) { r.ready_object = 1; },
      [](RankRing& r) { r.announces = false; },
      [](RankRing& r) { r.more_in_rank_1 = 1; },
      [](RankRing& r) { r.leaves_out_rank_1 = true; },
      [](RankRing& r) { r.stages = r.slots = 1; },
  };
  for (std::size_t k = 0; k < std::size(changes); ++k) {
    EXPECT_FALSE(is_proved(changes[k])) << k;
    EXPECT_NE(fault_with(7, changes[k]), "") << k;
  }
}

// What is proved for any number of tiles has no fault with any. Runs of the kernel decide.
TEST(RankRings, AreProvedOnlyWhereRunsHaveNoFault) {
  RingDraws draws(20261130, 12);
  const auto below = [&](std::int64_t n) { return draws.below(n); };
  const auto rarely = [&](std::int64_t usual, std::int64_t other) {
    return draws.rarely(usual, other);
  };
  int all = 0, right = 0, proved = 0;
  for (int k = 0; k < count(120, 3'000); ++k) {
    const std::int64_t stages = 1 + below(4), slots = stages + rarely(0, below(3) - 1);
    const std::int64_t free_phase = rarely(-1, below(2)), ready_phase = rarely(0, below(3) - 1),
                       full_phase = rarely(0, below(3) - 1), ready_object = rarely(0, below(3)),
                       full_arrivals = rarely(1, 2), ready_arrivals = rarely(2, 1 + below(3)),
                       free_arrivals = rarely(32, 31 + below(3)), more = rarely(0, 1);
    const bool itself = rarely(0, 1) != 0, is_for_all = rarely(1, 0) != 0,
               by_rank_0 = below(4) == 0, announces = rarely(1, 0) != 0;
    std::vector<Load> load = RankRing().load;
    std::vector<Use> use = RankRing().use;
    draws.change(load);
    draws.change(use);
    if (below(4) == 0) load.insert(load.begin() + below(3), Load::Fence);
    const Change draw = [&](RankRing& r) {
      r.stages = stages, r.slots = std::max<std::int64_t>(1, slots), r.load = load, r.use = use;
      r.free_phase = free_phase, r.ready_phase = ready_phase, r.full_phase = full_phase;
      r.ready_object = ready_object, r.full_arrivals = full_arrivals;
      r.ready_arrivals = ready_arrivals, r.free_arrivals = free_arrivals;
      r.more_in_rank_1 = more, r.tells_itself_alone = itself, r.is_for_all = is_for_all;
      r.by_rank_0 = by_rank_0, r.announces = announces;
    };
    std::string fault;
    for (std::int64_t tiles = 1; tiles <= 9 && fault.empty(); ++tiles) {
      fault = fault_with(tiles, draw);
    }
    const bool has_no_fault = fault.empty();
    const bool is_legal = is_proved(draw);
    RankRing shown;
    draw(shown);
    EXPECT_TRUE(has_no_fault || !is_legal) << "case " << k << ": " << fault << "\n"
                                           << loop_nest(shown.make());
    ++all;
    right += has_no_fault;
    proved += is_legal;
  }
  std::printf("[FIGURE] rings of roles that copy for all: %d of %d right, %d of these proved\n",
              right, all, proved);
  EXPECT_GE(proved * 10, right * 9);
}

}  // namespace
}  // namespace selvage::rank_rings
