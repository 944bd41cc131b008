#pragma once

#include <selvage/lower/kernels.h>

#include <memory>
#include <vector>

namespace selvage {

// A program while it is put together: the settled schedule, its nests, and the groups of nests that
// share a kernel.
struct ProgramDraft {
  // `settled`: a result of with_defaults(). Throws Illegal E418 as nests_of does.
  ProgramDraft(std::shared_ptr<const Schedule> settled, const LowerOptions& options);

  const Schedule& schedule() const { return *program.schedule; }
  const Fusion& fusion() const { return program.schedule->fusion(); }

  Program program;
  const LowerOptions& options;
  KnownSizes sizes;
  ScheduledNests scheduled;
  std::vector<Group> groups;  // of the roots of scheduled.nests
  KnownMeetings meetings;     // of all kernels: several compute the same in the same launch
};

// Adds the launches of a group: if blocks meet atomically, first a fill with the empty state; then
// the kernel, in as many variants as sizes and alignments need. If blocks cannot hold a row at some
// sizes, a slower kernel in narrow blocks is the last variant; if that is not legal, a check limits
// the sizes and says why.
void add_steps(ProgramDraft& draft, const Group& group);

}  // namespace selvage
