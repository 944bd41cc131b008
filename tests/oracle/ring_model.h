// Rings of slots in shared memory, filled by copies that end later: all that can happen in them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace selvage::oracle {

// An mbarrier. Its phase ends at an arrival or a completion of bytes, if then no arrival is pending
// and all bytes that were announced have come; the next phase expects as many arrivals again.
//
//   wait(parity) passes iff phase % 2 != parity.    phase          0  1  2  3
//   So a wait for the end of phase j, parity j % 2,  wait for 0     -  +  -  +      + passes
//   cannot tell phase k from phase k + 2.            wait for 1     +  -  +  -
struct PhaseBarrier {
  std::uint8_t phase = 0;  // the number of phases that have ended
  std::int8_t pending = 0;
  std::int8_t bytes = 0;  // announced and not come; below 0 where they came first

  bool passes(int parity) const { return phase % 2 != parity; }
  // False where there are more arrivals than are pending: then anything may happen.
  bool arrive(int arrivals, int announced, int arrivals_of_a_phase);
  void complete(int completed, int arrivals_of_a_phase);

 private:
  void end_phase_if_complete(int arrivals_of_a_phase);
};

struct AgentOp {
  enum class Kind : std::uint8_t {
    Wait,        // until the barrier passes for the parity: that phase `number` has ended is meant
    Arrive,      // `number` times at once, which announces the bytes
    Copy,        // begins Agents::copies[number]
    WaitCopies,  // until all copies of the mask have ended
    Read,        // begins to read tile `number`, which is all parts of the slot
    ReadAtOnce,  // the same, and the read has ended, too
    WaitReads,   // until the first `number` reads of this agent have ended
  };
  Kind kind;
  int number = 0;
  int barrier = 0, parity = 0, bytes = 0, slot = 0;
  std::uint64_t copies = 0;
};

// What runs: agents, each a list of operations without loops; copies, each of which ends at any
// time after it has begun; reads, which end at any time, too, those of one agent in turn.
struct Agents {
  struct Copy {
    int agent = 0;
    int tile = 0, slot = 0, part = 0;
    int barrier = -1, bytes = 0;  // what is completed when it ends; -1: nothing
  };
  int parts = 1;                       // of a slot: each is written by a copy of its own
  std::vector<int> arrivals_of_phase;  // by barrier
  std::vector<Copy> copies;            // at most 64
  std::vector<std::vector<AgentOp>> programs;
};

inline constexpr int kMostAgents = 4, kMostParts = 15, kMostBarriers = 11;

struct RingState {
  std::array<std::uint8_t, kMostAgents> at{};     // the next operation of each agent
  std::array<std::uint8_t, kMostAgents> reads{};  // how many of its reads have ended
  std::uint64_t ended = 0;                        // copies
  std::array<std::int8_t, kMostParts> held{};     // by slot * parts + part: the tile that is there
  std::array<PhaseBarrier, kMostBarriers> barriers{};
};

enum class RingFault : std::uint8_t {
  Deadlock,     // an agent has not finished, and nothing can happen any more
  Overwritten,  // a copy begins where a read of the tile before has not ended, or not begun
  Stale,        // a read begins where a part of another tile is, or nothing
  Early,        // a wait passes though the phase that it means has not ended
  Late,         // a wait does not pass though that phase has ended
  Underflow,    // more arrivals than a phase has
};
inline constexpr int kRingFaults = 6;

struct RingRuns {
  std::size_t states = 0;
  // States (Deadlock, Late) and steps (all others) at which it happens.
  std::array<std::size_t, kRingFaults> counts{};
  // The fewest steps that lead to it: agents by number, copies "c3", ends of reads "r1" by agent.
  std::array<std::string, kRingFaults> shortest;

  std::size_t count(RingFault fault) const { return counts[static_cast<int>(fault)]; }
  const std::string& steps_to(RingFault fault) const { return shortest[static_cast<int>(fault)]; }
  // "deadlock, stale": all that can happen, in the order of RingFault; "" if the ring is right.
  std::string faults() const;
};
// Goes through all states that can be reached, the nearest first, and shows them to `visit`. Throws
// std::runtime_error past 2^22 states.
RingRuns explore(const Agents& agents, const std::function<void(const RingState&)>& visit = {});

// A ring of slots with two barriers each: copies end phases of `full`, releases phases of `empty`.
//
//   producer, tile i                                consumers, tile i
//     wait for phase i/S - 1 of empty[i%S]            wait for phase i/S of full[i%S]
//     arrive at full[i%S], announcing bytes           begin to read slot i%S
//     begin the copies of tile i to slot i%S          wait until lag reads are left
//                                                     release tile i-lag: arrive at empty[..]
//
// After the tiles of each iteration of the outer loop all reads end and their tiles are released.
struct Ring {
  int slots = 2, consumers = 1, lag = 0;
  int trips = 4, outer = 1;  // tiles of an iteration of the outer loop, and its iterations
  // Consumer 0 is the producer, too: it begins the copies of tile i + prefetch in iteration i,
  // before or behind what it does there as a consumer, and those of the first ones before all else.
  std::optional<int> prefetch = {};
  bool copies_last = false;
  unsigned released_by = ~0u;  // bit c: consumer c arrives at `empty`
  bool meets = false;          // all consumers wait for one another before each release
  bool restarts = false;       // i counts from 0 again in each iteration of the outer loop
  bool has_credits = false;    // consumers release all slots at first; the wait is for phase i/S
  int copies = 1, copy_bytes = 1;  // of one tile, and of one copy
  // Mistakes: the bytes announced for a tile, arrivals at `full`, and those of consumer 0 for a
  // release, more than there should be.
  int more_bytes = 0, more_filled = 0, more_released = 0;
};
Agents agents_of(const Ring& ring);
std::string to_string(const Ring& ring);

// A ring filled by groups of copies: iteration k begins the copies of tile k, one by each thread,
// and uses tile k - ahead, all of it. There are as many iterations as that takes.
struct GroupRing {
  enum class Part : std::uint8_t { Wait, Meet, Copy, Close, Use };
  std::vector<Part> body = {Part::Wait, Part::Meet, Part::Copy, Part::Close, Part::Use};
  int slots = 3, threads = 2, tiles = 4;
  int ahead = 2, pending = 1;  // a wait leaves so many groups

  bool is_before(Part one, Part other) const;  // where each stands first
};
Agents agents_of(const GroupRing& ring);
std::string to_string(const GroupRing& ring);

}  // namespace selvage::oracle
