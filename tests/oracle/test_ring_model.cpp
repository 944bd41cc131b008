// Theorems about rings of slots ("Rings" in doc/theory.md), each in every order of events.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/oracle/ring_model.h"
#include "tests/support/counts.h"

namespace selvage::oracle {
namespace {

std::string faults_of(const Ring& ring) { return explore(agents_of(ring)).faults(); }
std::string faults_of(const GroupRing& ring) { return explore(agents_of(ring)).faults(); }

constexpr int kMostTrips = 12;

// Three consumers of five slots have up to 1.5 million states.
int most_slots(int consumers) {
  return consumers == 1 ? 5 : consumers == 2 ? count(4, 5) : count(2, 5);
}

// Every number of consumers and slots, and of tiles.
template <class Test>
void for_rings(int most_consumers, const Test& test) {
  for (int consumers = 1; consumers <= most_consumers; ++consumers)
    for (int slots = 1; slots <= most_slots(consumers); ++slots)
      for (int trips = 1; trips <= kMostTrips; ++trips)
        test(Ring{.slots = slots, .consumers = consumers, .trips = trips});
}

// --- the barrier ---

TEST(RingModel, AWaitCannotTellAPhaseFromTheOneAfterTheNext) {
  for (std::uint8_t phase = 2; phase < 8; ++phase) {
    const PhaseBarrier now{.phase = phase}, before{.phase = static_cast<std::uint8_t>(phase - 2)};
    for (int meant = phase - 2; meant <= phase + 1; ++meant) {
      const int parity = meant % 2;
      EXPECT_EQ(now.passes(parity), before.passes(parity));
      const bool is_right = now.passes(parity) == (phase > meant);
      EXPECT_EQ(is_right, meant == phase || meant == phase - 1) << int{phase} << " " << meant;
    }
  }
  EXPECT_TRUE(PhaseBarrier{}.passes(1));  // the phase before the first has ended
  EXPECT_FALSE(PhaseBarrier{}.passes(0));
}

TEST(RingModel, APhaseEndsWithTheLastArrivalAndTheLastByte) {
  PhaseBarrier b{.pending = 2};
  EXPECT_TRUE(b.arrive(1, 8, 2));
  EXPECT_TRUE(b.arrive(1, 0, 2));
  b.complete(4, 2);
  EXPECT_EQ(b.phase, 0);
  EXPECT_FALSE(PhaseBarrier(b).arrive(1, 0, 2));  // one more than the phase has
  b.complete(4, 2);
  EXPECT_EQ(b.phase, 1);
  b.complete(8, 2);  // bytes may come before they are announced, as an arrival is pending
  EXPECT_EQ(b.phase, 1);
  EXPECT_TRUE(b.arrive(1, 8, 2));
  EXPECT_TRUE(b.arrive(1, 0, 2));
  EXPECT_EQ(b.phase, 2);
}

// --- separate roles ---

TEST(RingModel, SeparateRolesDoNotHangIffThereAreMoreSlotsThanTheLag) {
  for_rings(3, [](Ring ring) {
    for (ring.lag = 0; ring.lag <= ring.slots + 1; ++ring.lag) {
      const bool hangs = ring.lag >= ring.slots && ring.trips > ring.slots;
      EXPECT_EQ(faults_of(ring), hangs ? "deadlock" : "") << to_string(ring);
    }
  });
}

TEST(RingModel, AnOuterLoopChangesNothingWhereIndicesGoOn) {
  for_rings(2, [](Ring ring) {
    if (ring.trips > 5) return;
    for (ring.outer = 2; ring.outer <= 3; ++ring.outer)
      for (ring.lag = 0; ring.lag <= ring.slots; ++ring.lag) {
        const bool hangs = ring.lag >= ring.slots && ring.trips > ring.slots;
        EXPECT_EQ(faults_of(ring), hangs ? "deadlock" : "") << to_string(ring);
      }
  });
}

TEST(RingModel, ARestartIsRightIffTwiceTheSlotsDivideTheTrips) {
  for_rings(2, [](Ring ring) {
    ring.restarts = true;
    for (ring.outer = 2; ring.outer <= 3; ++ring.outer) {
      if (ring.consumers * ring.consumers * ring.outer * ring.trips > count(32, 48)) continue;
      for (ring.lag = 0; ring.lag < ring.slots; ++ring.lag) {
        const RingRuns runs = explore(agents_of(ring));
        const bool is_right = ring.trips % (2 * ring.slots) == 0;
        EXPECT_EQ(runs.faults().empty(), is_right) << to_string(ring);
        EXPECT_EQ(runs.count(RingFault::Stale) > 0, !is_right) << to_string(ring);
      }
    }
  });
}

// It need not hang: what is read early is released early, and that lets the producer go on.
TEST(RingModel, AWrongRestartMayGoOnWithWrongTiles) {
  const RingRuns runs = explore(agents_of(Ring{.trips = 3, .outer = 2, .restarts = true}));
  EXPECT_EQ(runs.faults(), "stale, early, late");
}

// --- one role ---

TEST(RingModel, OneRoleDoesNotHangIffPrefetchAndLagLeaveASlot) {
  for_rings(3, [](Ring ring) {
    if (ring.consumers == 3 && ring.trips > ring.slots + 2) return;
    for (bool copies_last : {false, true})
      for (int prefetch = 0; prefetch <= ring.slots + 1; ++prefetch)
        for (ring.lag = 0; ring.lag <= ring.slots; ++ring.lag) {
          ring.copies_last = copies_last;
          ring.prefetch = prefetch;
          const int needed = prefetch + ring.lag + (copies_last ? 0 : 1);
          const bool hangs =
              (ring.slots < needed && ring.trips > ring.slots) || (copies_last && prefetch == 0);
          EXPECT_EQ(faults_of(ring), hangs ? "deadlock" : "") << to_string(ring);
        }
  });
}

// --- who releases ---

TEST(RingModel, ParitySufficesIffEveryConsumerReleasesOrTheyMeet) {
  for_rings(3, [](Ring ring) {
    if (ring.trips > ring.slots + 2) return;
    const unsigned all = (1u << ring.consumers) - 1;
    for (ring.released_by = 1; ring.released_by <= all; ++ring.released_by)
      for (ring.lag = 0; ring.lag < std::min(ring.slots, 2); ++ring.lag) {
        ring.meets = false;
        const bool is_right = ring.released_by == all || ring.trips <= ring.slots;
        EXPECT_EQ(faults_of(ring), is_right ? "" : "deadlock, overwritten, stale, late")
            << to_string(ring);
        ring.meets = true;
        EXPECT_EQ(faults_of(ring), "") << to_string(ring);
      }
  });
}

TEST(RingModel, ALeaderThatReleasesAloneOvertakesTheOtherConsumer) {
  Ring ring{.slots = 2, .consumers = 2, .trips = 3, .released_by = 1};
  const RingRuns runs = explore(agents_of(ring));
  EXPECT_EQ(runs.faults(), "deadlock, overwritten, stale, late");
  // Agent 0 copies tiles 0 and 1; consumer 0, which is agent 1, reads and releases tile 0; tile 2
  // is copied over it, and consumer 1, which is agent 2, has not begun.
  EXPECT_EQ(runs.steps_to(RingFault::Overwritten), "0 0 0 0 0 0 c0 1 1 r1 1 1 0 0 0");
  EXPECT_EQ(runs.steps_to(RingFault::Late), "0 0 0 0 0 0 c0 1 1 r1 1 1 0 0 0 c2");
  ring.released_by = 3;
  EXPECT_EQ(faults_of(ring), "");
}

// --- where a ring begins ---

// What a state is to the agents, behind the arrivals that give credits: nothing before those.
std::optional<std::string> without_credits(const Ring& ring, RingState state) {
  if (ring.has_credits) {
    for (int c = 0; c < ring.consumers; ++c) {
      if (state.at[1 + c] < ring.slots) return {};
      state.at[1 + c] = static_cast<std::uint8_t>(state.at[1 + c] - ring.slots);
    }
    for (int s = 0; s < ring.slots; ++s) --state.barriers[ring.slots + s].phase;
  }
  return std::string(reinterpret_cast<const char*>(&state), sizeof state);
}

TEST(RingModel, CreditsAreTheSameAsTheOtherParity) {
  for_rings(3, [](Ring ring) {
    if (ring.trips > 6 || most_slots(ring.consumers + 1) < ring.slots) return;
    for (ring.lag = 0; ring.lag <= ring.slots; ++ring.lag) {
      std::set<std::string> states[2];
      std::string faults[2];
      for (bool has_credits : {false, true}) {
        ring.has_credits = has_credits;
        const auto keep = [&](const RingState& state) {
          if (const auto kept = without_credits(ring, state)) states[has_credits].insert(*kept);
        };
        faults[has_credits] = explore(agents_of(ring), keep).faults();
      }
      EXPECT_EQ(faults[0], faults[1]) << to_string(ring);
      EXPECT_TRUE(states[0] == states[1]) << to_string(ring);
    }
  });
}

// --- what is counted ---

TEST(RingModel, OneArrivalTooFewAtFullHangs) {
  for_rings(2, [](Ring ring) {
    ring.more_filled = -1;
    EXPECT_EQ(faults_of(ring), "deadlock") << to_string(ring);
  });
}

TEST(RingModel, OneArrivalTooManyAtFullIsAnUnderflowOrAPhaseTooEarly) {
  for_rings(2, [](Ring ring) {
    if (ring.trips > 7) return;
    ring.more_filled = 1;
    const RingRuns runs = explore(agents_of(ring));
    EXPECT_GT(runs.count(RingFault::Underflow), 0) << to_string(ring);
    EXPECT_GT(runs.count(RingFault::Late), 0) << to_string(ring);  // a phase more has ended
    EXPECT_EQ(runs.count(RingFault::Stale) > 0, ring.trips > ring.slots) << to_string(ring);
  });
}

TEST(RingModel, OneReleaseTooFewHangsWhenSlotsComeAgain) {
  for_rings(2, [](Ring ring) {
    ring.more_released = -1;
    EXPECT_EQ(faults_of(ring), ring.trips > ring.slots ? "deadlock" : "") << to_string(ring);
  });
}

TEST(RingModel, OneReleaseTooManyIsAPhaseTooEarly) {
  for_rings(2, [](Ring ring) {
    if (ring.trips > 7) return;
    ring.more_released = 1;
    const RingRuns runs = explore(agents_of(ring));
    EXPECT_EQ(runs.faults().empty(), ring.trips <= ring.slots) << to_string(ring);
    // One consumer ends two phases at once; of two, one ends the phase for both.
    const int early = ring.consumers == 1 ? 2 * ring.slots : ring.slots;
    EXPECT_EQ(runs.count(RingFault::Overwritten) > 0, ring.trips > early) << to_string(ring);
  });
}

// Bytes that come in pieces, in any order: a phase ends where those that came are those announced.
TEST(RingModel, BytesMustBeAllThatComeAndNoSumOfSomePieces) {
  for_rings(1, [](Ring ring) {
    if (ring.slots > 2 || ring.trips > 3) return;
    for (ring.copies = 1; ring.copies <= 3; ++ring.copies)
      for (ring.copy_bytes = 1; ring.copy_bytes <= 3; ++ring.copy_bytes) {
        const int all = ring.copies * ring.copy_bytes;
        for (int announced = 0; announced <= all + 2; ++announced) {
          ring.more_bytes = announced - all;
          const RingRuns runs = explore(agents_of(ring));
          const bool is_sum = announced < all && announced % ring.copy_bytes == 0;
          EXPECT_EQ(runs.count(RingFault::Stale) > 0, is_sum) << to_string(ring);
          if (!is_sum) {
            EXPECT_EQ(runs.faults(), announced == all ? "" : "deadlock") << to_string(ring);
          }
        }
      }
  });
}

// --- rings of groups ---

using Part = GroupRing::Part;

// Every order of a wait, a barrier, copies, the end of a group and a use of what was copied.
template <class Test>
void for_bodies(const Test& test) {
  GroupRing ring;
  std::sort(ring.body.begin(), ring.body.end());
  do {
    test(ring);
  } while (std::next_permutation(ring.body.begin(), ring.body.end()));
}

// After how many iterations the copies of one have ended, for the thread that began them.
int iterations_to_end(const GroupRing& ring) {
  return ring.pending + 1 + ring.is_before(Part::Close, Part::Copy) -
         ring.is_before(Part::Close, Part::Wait);
}

TEST(GroupRingModel, CopiesEndAsManyIterationsLaterAsGroupsMayBePending) {
  for_bodies([](GroupRing ring) {
    ring.threads = 1;
    for (ring.pending = 0; ring.pending <= 3; ++ring.pending)
      for (ring.ahead = 0; ring.ahead <= 5; ++ring.ahead) {
        ring.slots = ring.ahead + 1;
        ring.tiles = ring.slots;
        const int needed = iterations_to_end(ring) + ring.is_before(Part::Use, Part::Wait);
        EXPECT_EQ(faults_of(ring), ring.ahead >= needed ? "" : "stale") << to_string(ring);
      }
  });
}

TEST(GroupRingModel, OneBarrierAnIterationIsEnoughForOneSlotMoreThanTilesAhead) {
  int fewest_more_than_pending = 100;
  for_bodies([&](GroupRing ring) {
    for (ring.pending = 0; ring.pending <= count(1, 2); ++ring.pending) {
      const int ahead_needed = iterations_to_end(ring) + ring.is_before(Part::Meet, Part::Wait) +
                               ring.is_before(Part::Use, Part::Meet);
      const int slots_more =
          ring.is_before(Part::Meet, Part::Use) + ring.is_before(Part::Copy, Part::Meet);
      EXPECT_TRUE(slots_more <= 1 || ring.is_before(Part::Copy, Part::Meet));
      fewest_more_than_pending =
          std::min(fewest_more_than_pending, ahead_needed + slots_more - ring.pending);
      for (ring.ahead = std::max(0, ahead_needed - 1); ring.ahead <= ahead_needed + 1; ++ring.ahead)
        for (ring.slots = std::max(1, ring.ahead + slots_more - 1);
             ring.slots <= ring.ahead + slots_more; ++ring.slots) {
          ring.tiles = ring.slots + 1;
          const bool is_overwritten = ring.slots < ring.ahead + slots_more;
          const bool is_stale = is_overwritten || ring.ahead < ahead_needed;
          EXPECT_EQ(faults_of(ring), is_overwritten ? "overwritten, stale"
                                     : is_stale     ? "stale"
                                                    : "")
              << to_string(ring);
        }
    }
  });
  EXPECT_EQ(fewest_more_than_pending, 2);  // so a wait leaves slots - 2 groups at most
}

TEST(GroupRingModel, AWaitThatLeavesOneGroupMoreNeedsASecondBarrier) {
  for (int slots = 1; slots <= 4; ++slots) {
    GroupRing ring{.body = {Part::Copy, Part::Close, Part::Wait, Part::Meet, Part::Use},
                   .slots = slots,
                   .tiles = slots + 2,
                   .ahead = slots - 1,
                   .pending = slots - 1};
    EXPECT_EQ(faults_of(ring), "overwritten, stale") << to_string(ring);
    ring.body.push_back(Part::Meet);
    EXPECT_EQ(faults_of(ring), "") << to_string(ring);
  }
}

}  // namespace
}  // namespace selvage::oracle
