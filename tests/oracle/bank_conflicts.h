// Bank conflicts of an access to shared memory, counted from the addresses of every warp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tests/oracle/layout.h"

namespace selvage::oracle {

// What a loop is bound to; Serial where it is not named.
enum class Role {
  Serial,
  BlockX,
  BlockY,
  BlockZ,
  ThreadX,
  ThreadY,
  ThreadZ,
  Vector,
  Unroll,
  Unswitch,
  Bulk
};
using Binding = std::map<int, Role>;  // by iterdomain
// The loop bound to a role that is bound once, or -1.
int bound_to(const Binding& binding, Role role);
// All loops bound to it, in the order of graph.loop.
std::vector<int> all_bound_to(const Graph& graph, const Binding& binding, Role role);

inline constexpr std::int64_t kBanks = 32, kWordBytes = 4, kWarp = 32;

// One access by one warp: the byte address of each thread, nothing for a thread that takes no part.
// A warp of at most 4 bytes a thread is served at once; of 8 in halves, of 16 in quarters, of
// consecutive threads. The degree is the most distinct words of 4 bytes that one such phase wants
// from one bank: 1 is free of conflicts, 0 no access at all. Throws std::invalid_argument for
// other numbers of bytes. A base that is aligned to a word changes nothing.
int conflict_degree(std::span<const std::optional<std::int64_t>> byte_addresses,
                    std::int64_t bytes);

struct BankConflicts {
  int degree = 0;         // the worst of all warps at all values of the loops not bound to threads
  int scalar_degree = 0;  // the same of groups that are partial, one element at a time
  // Where it is worst: loop indices of the first thread of the warp that takes part.
  std::vector<std::int64_t> point;
};
// Threads are numbered x fastest, and 32 consecutive ones are a warp. `block`: the extents of the
// whole block where it is larger than the loops bound to its threads; 0: as large as those.
// With a loop bound to Vector, a full group is one access; its address is that of its first point.
BankConflicts bank_conflicts(const Graph& graph, const Layout& layout, const Binding& binding,
                             std::array<std::int64_t, 3> block = {0, 0, 0});

}  // namespace selvage::oracle
