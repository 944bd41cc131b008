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

// Every tensor of a fusion under one schedule, in its nest. All that it is made of must outlive it.
struct ScheduledNests {
  ScheduledNests(const Fusion& f, const Schedule& s, KnownSizes& known)
      : fusion(f), schedule(s), sizes(known), nests(nests_of(f, s)), input_reads(f, s, nests) {}

  // Places the trees of one kernel.
  void place(const Group& group);
  // Is a tensor stored in global memory by one of the placed nests?
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
  KnownMeetings& meetings;  // of kernels of the same launch, which are much the same
};

// The kernel of a group for 32-bit indices, and where these may not do, behind it one for 64-bit
// ones, each with its conditions at launch. `alignment`: conditions that both have because vectors
// are to be aligned.
struct KernelVariants {
  std::vector<Kernel> kernels;
  std::vector<Expr> alignment;
};
// Throws Illegal E442 where the block's shared memory does not hold what is kept there.
KernelVariants make_kernels(const KernelRequest& request);

// A kernel with a body and everything else but its index type and condition, for both widths of
// indices as far as there are sizes for it. `computed`: index expressions of the body;
// `conditions`: what must hold at launch besides.
std::vector<Kernel> for_both_widths(KnownSizes& sizes, Kernel kernel, std::vector<Expr> computed,
                                    std::span<const Expr> conditions);

}  // namespace selvage
