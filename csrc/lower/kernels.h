#pragma once

#include <selvage/lower/launch.h>
#include <selvage/lower/place.h>
#include <selvage/lower/program.h>
#include <selvage/lower/read_once.h>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// Every tensor of a fusion under one schedule, in its nest.
struct ScheduledNests {
  const Fusion& fusion;
  const Schedule& schedule;
  Nests nests;
  std::map<TensorId, PlacedTensors> placed;  // by root
  InputReads input_reads{fusion, schedule, nests};
};

// Trees of nests that one kernel holds.
using Group = std::vector<const NestTree*>;
std::vector<TensorId> tensors_of(const Group& group);

struct KernelRequest {
  const ScheduledNests& scheduled;
  const Group& group;
  const LaunchPlan& launch;
  std::string name;
  bool is_vectorised = true;
  const LowerOptions& options;
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
std::vector<Kernel> for_both_widths(std::span<const Expr> sizes, Kernel kernel,
                                    std::vector<Expr> computed, std::span<const Expr> conditions);

}  // namespace selvage
