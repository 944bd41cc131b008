#pragma once

#include <selvage/base/array.h>
#include <selvage/kernel/kernel.h>

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

enum class FaultKind : std::uint8_t {
  OutOfBounds,    // an address that the buffer does not have
  Uninitialised,  // a read of an element that nothing has written
  DoubleWrite,    // an element written twice, or with duplicates allowed, by another value
  Race,           // an element that one thread writes and another reads
  Hole,           // a store where one of Store::valid does not hold
  Misaligned,     // an access of several elements that does not begin at a multiple of their number
  Overflow,       // an index expression that leaves the index type, or is undefined
};

// One thing that went wrong, and where.
struct Fault {
  FaultKind kind;
  std::string buffer;  // empty: none is concerned
  std::int64_t address = 0;
  std::array<std::int64_t, 3> block{}, thread{};
  std::vector<std::pair<std::string, std::int64_t>> point;  // variables in scope, outermost first
  std::string text;                                         // one sentence with all of that
};

struct Emulation {
  static constexpr std::size_t kMostFaults = 20;
  std::vector<Fault> faults;  // the first of them
  std::int64_t fault_count = 0;
  // By buffer: how often each element was stored; empty for those that are only read.
  std::vector<std::vector<std::uint32_t>> visits;
  std::int64_t stores = 0;
};

// Runs a kernel for every block and thread of its launch, one after the other, and checks every
// access and every index. Buffers that are written start uninitialised; the others are initialised.
//   sizes    the value of every symbol of kernel.sizes, by name
//   buffers  one per kernel buffer, of its type and with at least its elements, null for those that
//            are not global
// A store out of bounds is dropped, a read out of bounds gives 0; what comes after an index that
// overflows is skipped.
Emulation emulate(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::span<Array* const> buffers);

}  // namespace selvage
