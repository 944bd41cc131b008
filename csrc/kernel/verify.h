#pragma once

#include <selvage/kernel/verify_meeting.h>
#include <selvage/kernel/verify_replay.h>

#include <array>
#include <string>
#include <vector>

namespace selvage {

// One hazard at one statement that is refuted, or not proved absent.
struct KernelFinding {
  Hazard hazard = Hazard::Race;
  Verdict verdict = Unknown{};           // Refuted or Unknown
  const Statement* statement = nullptr;  // of the kernel; for a race, that of the `second` thread
  std::optional<BufferId> buffer;        // none: a barrier or a shuffle
  std::int64_t address = 0;              // the element, if refuted
  // If refuted: sizes and threads at which it happens. For a race, two threads that access the same
  // bytes, at least one of them to write; for a divergence, a thread that waits and one that never
  // arrives (no second: the first one's warp is not whole); else the thread of the access.
  Point sizes;
  std::optional<ThreadAt> first, second;
  std::string text;  // one sentence
};

// The verdicts about a kernel, one for each hazard, for all sizes that its facts and condition
// allow. Proved means:
//   Race        two threads that access one element of shared memory, or of global memory that the
//               kernel writes, at least one of them to write, have a barrier between their
//               accesses; threads of two blocks never access one element of global memory so.
//               Exempt are atomic stores of the same function, and stores to global memory with
//               duplicates allowed. Buffers that overlap by their offsets share bytes,
//               and so does one that replaces another
//   Divergence  either all members of a Barrier reach it together or none does, no other thread
//               reaches it, and no other barrier uses its id meanwhile; all 32 threads of a warp
//               reach a Shuffle
//   Lifetime    every element read from shared or local memory has been written before, and not
//               been overwritten since through a buffer that overlaps; no element of global memory
//               is read behind a store to a buffer that replaces it
//   Bounds      every address is inside its buffer; addresses of a Transfer, and the offsets of its
//               buffers, are multiples of its width
// Race and Lifetime presuppose Divergence and Bounds.
struct Verification {
  std::array<Verdict, kHazards> verdicts = {Proved{}, Proved{}, Proved{}, Proved{}};
  std::vector<KernelFinding> findings;  // at least one for each verdict that is not Proved
  // Where stores of boxes have been written out for it: the kernel of whose statements findings
  // speak.
  std::shared_ptr<const Kernel> written_out = {};

  const Verdict& of(Hazard h) const { return verdicts[std::size_t(h)]; }
  bool is_legal() const;  // all proved
};

// Refuted is exact: the kernel has a run, at the sizes that the finding names, in which these
// threads do that. Hazards that proofs leave open are looked for in runs (kernel/verify_replay.h):
// runs at all sizes decide, if there are at most 256 and the kernel is small; runs that come to the
// same state again decide for any number of iterations (kernel/verify_recurrence.h); runs at some
// sizes may refute. verify() ends on any kernel: what takes too long is Unknown, and so is all of a
// kernel with an index expression of more than 8,192 nodes.
Verification verify(const Kernel& kernel);

std::string_view to_string(Hazard h);

}  // namespace selvage
