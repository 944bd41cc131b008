#pragma once

#include <selvage/kernel/verify_meeting.h>
#include <selvage/kernel/verify_replay.h>

#include <array>
#include <string>
#include <vector>

namespace selvage {

// Something that goes wrong in a kernel, or is not proved to go right.
struct KernelFinding {
  Hazard hazard = Hazard::Race;
  Verdict verdict = Unknown{};           // Refuted or Unknown
  const Statement* statement = nullptr;  // of the kernel; of a race the second thread's
  std::optional<BufferId> buffer;        // none: a barrier or a shuffle
  std::int64_t address = 0;              // the element, where it is refuted
  // Where it is refuted: sizes, and who. Of a race, two threads that access bytes of which at least
  // one writes; of a divergence, one that waits and one that never comes (none: its warp is not
  // whole); else the one whose access it is.
  Point sizes;
  std::optional<ThreadAt> first, second;
  std::string text;  // one sentence
};

// What is known of a kernel, for each hazard and all sizes that its facts and condition allow:
//   Race        no two threads access one element of shared memory, or of global memory that the
//               kernel writes, at least one of them to write, with no barrier between; nor two
//               blocks one of global memory. Atomic stores of one function do not race, nor stores
//               of global memory with duplicates allowed. Buffers whose offsets make them overlap
//               share bytes
//   Divergence  those threads reach a Barrier together that take part in it, or none, and nobody
//               else, and no others use its number meanwhile; all 32 of a warp reach a Shuffle
//   Lifetime    what is read of shared or local memory has been written before, and not lost since
//               to a buffer that overlaps
//   Bounds      every address is inside its buffer, and of a Transfer a multiple of its width, the
//               buffer's offset as well
// Race and Lifetime take it for granted that nothing diverges and all is in bounds.
struct Verification {
  std::array<Verdict, kHazards> verdicts = {Proved{}, Proved{}, Proved{}, Proved{}};
  std::vector<KernelFinding> findings;  // where a verdict is not Proved: at least one

  const Verdict& of(Hazard h) const { return verdicts[std::size_t(h)]; }
  bool is_legal() const;  // all proved
};

// Refuted is exact: there is a run of the kernel, at the sizes that the finding names, in which
// these threads do that. What no proof decides is decided by going through the kernel, where its
// sizes have 256 values at most and it is small. It ends on any kernel: what takes too long is
// Unknown, and so is all of a kernel with an index expression of more than 8,192 nodes.
Verification verify(const Kernel& kernel);

std::string_view to_string(Hazard h);

}  // namespace selvage
