#pragma once

#include <selvage/base/array.h>
#include <selvage/kernel/kernel.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

enum class FaultKind : std::uint8_t {
  OutOfBounds,    // an address that the buffer does not have
  Uninitialised,  // a read of an element that nothing has written
  DoubleWrite,    // a global element written twice, or with duplicates allowed, by another value
  Race,           // an element that one thread writes and another accesses, and no barrier between
  // A barrier or shuffle at which not all threads are that must meet there; a wait that nobody
  // ends, or for another phase than there can be; an arrival more than there may be.
  DivergentBarrier,
  Hole,        // a store where one of Store::valid does not hold
  Misaligned,  // an access of several elements that does not begin at a multiple of their number
  Overflow,    // an index expression that leaves the index type, or is undefined
  Unkept,      // a number from memory that is not what Define says of it
};

struct FaultThread {
  std::array<std::int64_t, 3> block{}, thread{};
};

// One thing that went wrong, and where.
struct Fault {
  FaultKind kind;
  std::string buffer = {};  // empty: none is concerned
  std::int64_t address = 0;
  std::array<std::int64_t, 3> block{}, thread{};
  // The other one: of a Race, or who is not at a barrier.
  std::optional<FaultThread> other = {};
  // Variables in scope, outermost first.
  std::vector<std::pair<std::string, std::int64_t>> point = {};
  std::string text = {};  // one sentence with all of that
};

struct Emulation {
  static constexpr std::size_t kMostFaults = 20;
  std::vector<Fault> faults;  // the first of them, and the first of each kind
  std::int64_t fault_count = 0;
  std::map<FaultKind, std::int64_t> counts;  // by kind
  // By buffer: how often each element was stored; empty for those that are only read, or not
  // global.
  std::vector<std::vector<std::uint32_t>> visits;
  std::int64_t stores = 0;
};

// Runs a kernel for every block and thread of its launch and checks every access and every index.
//   sizes    the value of every symbol of kernel.sizes, by name
//   buffers  one per kernel buffer, of its type and with at least its elements, null for those that
//            are not global; where the number depends on a size that the kernel is not passed, it
//            has as many as the array
//   seed     other than 0, blocks and threads run in an order drawn from it. Of a kernel without
//            faults no value depends on the order; neither does it whether there are faults, and
//            whether there is a race among them.
// Buffers that are written start uninitialised, the others initialised; so do global ones that are
// stored atomically, which somebody has filled before. An atomic store converts its value to the
// buffer's type, applies its function to what is there and that, and rounds the result.
//
// Blocks run one after the other. The threads of a block each run from entry to exit; where there
// are barriers or shuffles, from one to the next, all of them, before any goes on. What may differ
// between threads at these is a fault (DivergentBarrier):
//   Barrier, Block   every thread of the block is there
//   Barrier, Warp    every thread of each warp of which one is there
//                    (of its lanes, and nobody else)
//   Barrier, Threads its members are there, nobody else; and what threads other than these last
//                    waited at a barrier of that number, they surely have passed it
//   Shuffle          the same as of a warp, and the warp has 32 threads
// after which they go on as if all had met (those who were there, in a kernel that has barriers of
// a part of the block, or of a warp). The value of a shuffle is read as the thread has it
// that gives it; a shuffle orders nothing but that.
//
// Where there are events, regions, while loops or numbers from memory each thread goes on at its
// own pace (csrc/kernel/block_run.h). A copy has happened where it begins, for all who have waited
// for its end; whoever else accesses what it does, but for two that read, makes a Race.
//
// Shared buffers may overlap: what is stored in one is lost to the others, and accesses of the same
// bytes race through whichever buffers they go.
// A store out of bounds is dropped, a read out of bounds gives 0; what comes after an index that
// overflows is skipped.
Emulation emulate(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::span<Array* const> buffers, std::uint64_t seed = 0);

}  // namespace selvage
