#pragma once

#include <selvage/base/array.h>
#include <selvage/kernel/kernel.h>
#include <selvage/kernel/requests.h>

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
  Uninitialised,  // a read of an element before any write
  Overwritten,    // a read behind a store to the buffer that replaces the one read
  DoubleWrite,    // a global element written twice or, with duplicates allowed, with two values
  Race,           // one thread writes an element, another accesses it, with no barrier between
  // A barrier or shuffle that some of its threads do not reach, or another thread does; a wait that
  // never ends, or for a phase that cannot be waited for; one arrival too many.
  DivergentBarrier,
  Hole,        // a store where one of Store::valid does not hold
  Misaligned,  // an access of several elements that does not begin at a multiple of their number
  Overflow,    // an index expression that leaves the index type, or is undefined
  Ended,       // an access of the memory of another block of a cluster, which may have ended
  Unkept,      // a number from memory that is not what Define says of it
  Failed,      // a check of the kernel (Kernel::checks)
};

struct FaultThread {
  std::array<std::int64_t, 3> block{}, thread{};
};

// One fault and its place.
struct Fault {
  FaultKind kind;
  std::string buffer = {};  // empty: the fault is about no buffer
  std::int64_t address = 0;
  std::array<std::int64_t, 3> block{}, thread{};
  // The other thread of a Race; the thread that is not at a barrier.
  std::optional<FaultThread> other = {};
  // Variables in scope, outermost first.
  std::vector<std::pair<std::string, std::int64_t>> point = {};
  std::string text = {};  // one sentence with all of that
};

struct Emulation {
  static constexpr std::size_t kMostFaults = 20;
  std::vector<Fault> faults;  // the first kMostFaults, and the first of each kind
  std::int64_t fault_count = 0;
  std::map<FaultKind, std::int64_t> counts;  // by kind
  // By buffer: the number of stores to each element; empty for a buffer that is only read, or not
  // global.
  std::vector<std::vector<std::uint32_t>> visits;
  std::int64_t stores = 0;
};

class RunWatcher;  // emulate/watch.h

// The order in which blocks, and threads of a block, run. The values of a kernel without faults do
// not depend on it; nor does it whether there are faults, and whether a race is among them.
struct RunOrder {
  enum class Kind : std::uint8_t { Forwards, Backwards, Drawn };
  Kind kind = Kind::Forwards;
  std::uint64_t seed = 0;  // of Drawn

  // Drawn from the seed; 0: forwards.
  static RunOrder from_seed(std::uint64_t seed) {
    return {seed == 0 ? Kind::Forwards : Kind::Drawn, seed};
  }
};

struct EmulationOptions {
  RunOrder order = {};
  KernelRequests* requests = nullptr;  // gets the requests of all warps, counted access by access
  RunWatcher* watcher = nullptr;       // is told of each step
};

// Runs a kernel for every block and thread of its launch and checks every access and every index.
//   sizes    the value of every symbol of kernel.sizes, by name
//   buffers  one array per kernel buffer, of its type and with at least its elements; null if it is
//            not global. If the number of elements depends on a size that the kernel is not passed,
//            the buffer has as many as the array
// Written buffers start uninitialised, all others initialised; so do global buffers that are stored
// atomically, which an earlier kernel has filled. An atomic store converts its value to the
// buffer's type, applies its function to the element and that, and rounds the result.
//
// Blocks run one after the other. Each thread of a block runs from entry to exit; if there are
// barriers or shuffles, all threads run to the next one before any goes on. There it must hold
// (else DivergentBarrier):
//   Barrier, Block    every thread of the block is there
//   Barrier, Warp     of each warp, either no thread is there or exactly its threads in `lanes`
//   Barrier, Threads  exactly its members are there; and if other threads were the last to wait at
//                     a barrier of the same id, all of them have surely passed it
//   Shuffle           as for a warp, and the warp has 32 threads
// After such a fault threads go on as if all had met (in a kernel with partial barriers: only those
// that are there). A shuffle reads the value that the giving thread has; it orders nothing else.
//
// If there are events, regions, while loops or numbers from memory, each thread runs at its own
// pace (kernel/block_run.h). A copy happens where it begins, for threads that have waited for its
// end; any other access of its elements, except two reads, is a Race.
//
// Shared buffers may overlap: a store to one destroys elements of the others, and accesses of the
// same bytes race whatever their buffers.
// A buffer that replaces another has the same array, and its stores race with reads of that one.
// A store out of bounds is dropped, a read out of bounds gives 0; a statement with an index that
// overflows is skipped.
Emulation emulate(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::span<Array* const> buffers, const EmulationOptions& options = {});

}  // namespace selvage
