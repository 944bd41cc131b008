#pragma once

#include <selvage/kernel/verify_meeting.h>
#include <selvage/lower/index_type.h>
#include <selvage/lower/launch.h>
#include <selvage/lower/place.h>
#include <selvage/lower/program.h>
#include <selvage/lower/read_once.h>
#include <selvage/scheduler/groups.h>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// Every tensor of a fusion under one schedule, in its nest. The constructor's arguments must
// outlive it.
struct ScheduledNests {
  ScheduledNests(const Fusion& f, const Schedule& s, KnownSizes& known)
      : fusion(f), schedule(s), sizes(known), nests(nests_of(f, s)), input_reads(f, s, nests) {}

  // Places the trees of one kernel.
  void place(const Group& group);
  // Whether one of the placed nests stores the tensor in global memory.
  bool is_stored(TensorId t) const;

  const Fusion& fusion;
  const Schedule& schedule;
  KnownSizes& sizes;
  Nests nests;
  InputReads input_reads;
  std::map<TensorId, PlacedTensors> placed = {};  // by root
};

struct KernelRequest {
  const ScheduledNests& scheduled;
  const Group& group;
  const LaunchPlan& launch;
  std::string name;
  bool is_vectorised = true;
  const LowerOptions& options;
  KnownMeetings& meetings;  // of all kernels of the program
};

// The kernel of a group for 32-bit indices, followed by one for 64-bit indices unless 32 bits
// always suffice, each with its condition. `alignment`: the part of both conditions that aligns
// vectors.
struct KernelVariants {
  std::vector<Kernel> kernels;
  std::vector<Expr> alignment;
};
// Throws Illegal E442 if the kernel keeps more in shared memory than a block has.
KernelVariants make_kernels(const KernelRequest& request);

// Completes `kernel`, which lacks only its index type and condition: a kernel for each of the two
// widths of indices that some sizes need. `computed`: index expressions of the body; `conditions`:
// further conditions at launch.
std::vector<Kernel> for_both_widths(KnownSizes& sizes, Kernel kernel, std::vector<Expr> computed,
                                    std::span<const Expr> conditions);

}  // namespace selvage
