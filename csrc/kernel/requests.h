#pragma once

#include <selvage/ir/sizes.h>
#include <selvage/kernel/statement_tree.h>
#include <selvage/kernel/statements.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// What the warps of a launch ask of global or shared memory by one access of the kernel's text.
struct AccessRequests {
  PlaceId place = 0;
  BufferId buffer = 0;
  AccessKind kind = AccessKind::Read;
  std::int64_t bytes = 4;       // that a thread accesses at once
  std::int64_t requests = 0;    // of warps, each by one or more of its threads
  std::int64_t threads = 0;     // that access, in all requests
  std::int64_t sectors = 0;     // of global memory, added up over the requests
  std::int64_t runs = 0;        // of neighbouring bytes in global memory, added up likewise
  std::int64_t wavefronts = 0;  // of shared memory, and those of them that conflicts cost
  std::int64_t conflicts = 0;
  // False: data decide how often it happens, or where. It is counted with the numbers of
  // kernel/typical_numbers.h, in a large launch a few blocks for all. Of the half lines as many are
  // taken as if no two accesses met, or where they lie anywhere, as so many random ones touch.
  bool is_exact = true;
  bool is_anywhere = false;  // nothing is known of where data tell it to be
  // The bytes from what the first thread of a warp accesses to what the second one does, in some
  // request; nothing where these two never access together.
  std::optional<std::int64_t> stride = {};
  // Of a load of global memory that leaves bytes of its sectors out: the bytes from one iteration
  // of the innermost serial loop around it to the next; nothing where there is no such loop, they
  // differ, or a number that is read in the loop tells them.
  std::optional<std::int64_t> step = {};
};

// The requests of a launch. They follow from indices and conditions alone; the emulator counts the
// same (emulate/request_log.h).
struct KernelRequests {
  std::vector<AccessRequests> accesses;  // in the order of the text
  // By buffer: the halves of 128-byte lines of global memory that are accessed, each once.
  std::vector<std::int64_t> half_lines;
  // The same of one block, in the middle of the launch; of all blocks where requests ask hardly for
  // more than each half line once.
  std::vector<std::int64_t> half_lines_of_block;
  std::vector<std::int64_t> runs;  // by statement (PlaceId): how many times warps run it
  // By statement: how many elements the searches in it look at, at most, one after another.
  std::vector<std::int64_t> probes;
  std::int64_t blocks = 0, threads = 0;  // of a block
};

// Counts the requests of a launch with these sizes. All buffers begin at multiples of 128 bytes.
// Nothing where a size has no value, where a statement stands in more serial loops than six, or
// where the count would take too long or too much memory.
//
// The blocks, warps and iterations of an access are a box of parameters. Over a box in which every
// condition has one truth and the addresses of all threads of a warp move alike, by whole sectors
// or banks, one request stands for all. Any other box is cut in two, or into residues, where the
// first undecided value asks for it, down to single requests.
std::optional<KernelRequests> requests_of(const Kernel& kernel, const SizeValues& sizes);

}  // namespace selvage
