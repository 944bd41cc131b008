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

// What a loop is bound to; Serial for a loop that a Binding does not have.
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
// All loops bound to the role, in the order of graph.loop.
std::vector<int> all_bound_to(const Graph& graph, const Binding& binding, Role role);

inline constexpr std::int64_t kBanks = 32, kWordBytes = 4, kWarp = 32;

// The degree of one access by one warp: the most distinct words of 4 bytes that one phase wants
// from one bank; 1 is free of conflicts, 0 no access at all. Takes the byte address of each thread,
// nothing for a thread that takes no part. Accesses of at most 4 bytes are one phase for the warp,
// of 8 bytes two, of 16 bytes four, each of consecutive threads. Throws std::invalid_argument for
// other numbers of bytes. A base that is aligned to a word does not change the result.
int conflict_degree(std::span<const std::optional<std::int64_t>> byte_addresses,
                    std::int64_t bytes);

struct BankConflicts {
  int degree = 0;         // the worst of all warps at all values of the loops not bound to threads
  int scalar_degree = 0;  // the same for partial groups, element by element
  // Where `degree` is reached: loop indices of the first thread of the warp that takes part.
  std::vector<std::int64_t> point;
};
// Threads are numbered x fastest; 32 consecutive ones are a warp. `block`: the extents of the block
// if it is larger than the loops bound to its threads, else 0. With a loop bound to Vector, a full
// group is one access at the address of its first point.
BankConflicts bank_conflicts(const Graph& graph, const Layout& layout, const Binding& binding,
                             std::array<std::int64_t, 3> block = {0, 0, 0});

}  // namespace selvage::oracle
