#pragma once

#include <selvage/kernel/requests.h>
#include <selvage/kernel/statement_tree.h>

#include <vector>

namespace selvage {

// What a thread loads from global memory, as far as its loads wait for one another.
struct LoadTurns {
  double from_dram = 0, from_l2 = 0;  // rounds of loads, each after the one before has arrived
  double bytes_in_flight = 0;         // of a thread, of DRAM, in a round from there
  double of_last_block = 0;           // rounds from L2 in a LastBlock; in none of the others
};

// `asked`, `from_dram`: bytes of all threads, by access: that are asked of L2, and how many of them
// it has to fetch. Loads wait for those of the iteration before, for those in front of a barrier,
// and for one that gives their address, and each element that a search looks at for the one before;
// all others are under way together, as far as loops are unrolled.
LoadTurns load_turns(const Kernel& kernel, const StatementTree& tree,
                     const KernelRequests& requests, const std::vector<double>& asked,
                     const std::vector<double>& from_dram);

}  // namespace selvage
