#pragma once

#include <selvage/lower/kernels.h>

#include <memory>
#include <vector>

namespace selvage {

// A program while it is put together: the settled schedule, its nests, which of them share a
// kernel.
struct ProgramDraft {
  // `settled`: as with_defaults() gives it. Throws Illegal E418 as nests_of does.
  ProgramDraft(std::shared_ptr<const Schedule> settled, const LowerOptions& options);

  const Schedule& schedule() const { return *program.schedule; }
  const Fusion& fusion() const { return program.schedule->fusion(); }

  Program program;
  const LowerOptions& options;
  KnownSizes sizes;
  ScheduledNests scheduled;
  std::vector<Group> groups;  // of the roots of scheduled.nests
};

// The launches of a group: where blocks meet atomically, a fill with the empty state before; then
// the kernel, in as many variants as sizes and alignments ask for. What blocks cannot hold for some
// sizes has a slower kernel behind it, in narrow blocks; where that is not legal, its sizes are
// limited, by a check that says why.
void add_steps(ProgramDraft& draft, const Group& group);

}  // namespace selvage
