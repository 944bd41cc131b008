// What a case does: each thread by itself from one meeting to the next, one after the other.
#pragma once

#include "tests/threads/thread_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace selvage::thread_oracle {

struct Outcome {
  // By region, by thread: how often it has run it.
  std::vector<std::vector<std::int64_t>> executed;
  std::vector<std::vector<std::int64_t>> arrays;  // by array; of global ones what they hold after
  // What must not be, the first of each; empty: nothing.
  std::string race;   // accesses that no meeting orders; looked for if asked
  std::string stray;  // out of bounds, or read before anything is written
  std::string stuck;  // a meeting that not all who must be there reach
};

// The meetings of a case, all of them:
//   after an inthreads that is not asynchronous   who runs the code around it
//   sync                                          those that it names
//   before and after what stands beside inner levels, and these: all threads that get there. Those
//   who never come are not waited for: such a meeting need not be a barrier
// `order`: of the threads of a block; 0 as they are numbered, 1 backward, else drawn from it.
Outcome run_case(const ThreadCase& program, const Numbering& numbering,
                 const std::vector<Region>& regions, const std::vector<std::int64_t>& symbol_values,
                 std::uint64_t order, bool looks_for_races);

}  // namespace selvage::thread_oracle
