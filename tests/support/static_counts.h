#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace selvage {

// What can be counted in a compiled kernel without running it. Every instruction counts once, in
// loops as well.
struct StaticCounts {
  int instructions = 0;
  // Accesses of memory by their bytes: {16: 2} is two of 16 bytes each.
  std::map<int, int> global_loads, global_stores, shared_loads, shared_stores;
  int local_loads = 0, local_stores = 0;  // spills, and arrays that are not in registers
  int comparisons = 0;                    // of integers, into a predicate
  int branches = 0;                       // under a predicate
  int predicated = 0;                     // any instruction under a predicate
  int barriers = 0;                       // of the block
  int warp_barriers = 0;  // in PTX only: the machine has none where a warp's threads are together
  int shuffles = 0;       // each of 32 bits
  int atomics = 0;
  std::map<int, int> copies;  // from global to shared memory that end later, by their bytes
  int copy_groups = 0;        // closings of groups of these
  // In SASS only: bulk copies; boxes that tensor maps load and store; what is done with barrier
  // objects, which are made ready, arrived at and asked; elections of one thread of a warp.
  int bulk_copies = 0, box_loads = 0, box_stores = 0, object_events = 0, elections = 0;
  // Bulk copies, and boxes, that are combined with what there is.
  int bulk_reductions = 0, box_reductions = 0;
  int register_changes = 0;  // setmaxnreg
  int multiplications = 0;   // of matrices, by warpgroups
  int cluster_barriers = 0;  // waits of all blocks of a cluster
  // In SASS only: the instructions on the shortest way from the entry to an exit, without calls, so
  // without what serves rare values. It goes once through a loop.
  int on_shortest_path = 0;
  int loops = 0;  // in SASS only: branches backwards
};

// The counts of a PTX text by name of kernel. A vector of four floats is one access of 16 bytes.
// The map is empty if the text holds no kernel.
std::map<std::string, StaticCounts> count_ptx(std::string_view ptx);

// The counts of a cubin by name of kernel, for sm_70 or later. Instructions are 16 bytes each: the
// operation in bits 0 to 11, its predicate in bits 12 to 15 (7: none), the width of an access in
// bits 73 to 75. Throws std::invalid_argument if the file is not such a cubin.
std::map<std::string, StaticCounts> count_sass(std::span<const std::byte> cubin);

}  // namespace selvage
