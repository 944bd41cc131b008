#pragma once

#include <selvage/kernel/expressions.h>
#include <selvage/kernel/kernel.h>

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace selvage {

// Where a thread keeps its arrays. Registers have no addresses: an array is in registers only if
// all loops that choose its elements, directly or through Defines, are unrolled. That is done for
// arrays of no more bytes than a thread has registers for, if no statement that accesses the array
// would be written out more than kMostUnrolled times for it. All others are in the thread's local
// memory, an L1 cache away.
inline constexpr std::int64_t kMostRegisterBytes = 1024;  // of the 255 registers of a thread
inline constexpr std::int64_t kMostUnrolled = 4096;
struct LocalArrays {
  std::unordered_set<std::uint32_t> choosers;  // ids of the variables of loops to be unrolled
  // By buffer: how often its statements would be written out; 0 for what is no local array, or has
  // one element.
  std::vector<std::int64_t> unrolled;
  std::vector<bool> is_in_registers;  // by buffer
};
LocalArrays local_arrays(const Kernel& kernel, const ComputedExpressions& computed);

}  // namespace selvage
