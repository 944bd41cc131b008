#pragma once

#include <selvage/kernel/requests.h>
#include <selvage/lower/program.h>
#include <selvage/scheduler/launch_time.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// What one access in the text of a kernel costs.
struct AccessCost {
  std::string buffer;
  Memory memory = Memory::Global;
  AccessRequests requests;
  std::string thread_loop = {};  // the loop bound to TIDx around it; empty: none

  std::int64_t bytes() const { return requests.threads * requests.bytes; }
  // Of global memory: whether the threads of a warp ask for twice the sectors that their bytes
  // would fill, or more.
  bool is_scattered() const;
};

struct KernelCost {
  std::string name;
  LaunchWork work;
  LaunchTime time;
  std::vector<AccessCost> accesses;
  bool is_exact = true;  // no count depends on data
};

// What a program costs on a device: the requests of its kernels (kernel/requests.h), which are
// exact where `is_exact` says so, and what the model of the device makes of them. All else is an
// estimate: registers, what L1 and L2 serve, what is in flight, instructions, time.
struct ProgramCost {
  Device device;
  std::map<std::string, std::int64_t> sizes;  // that it is counted for
  // By the input of offsets, the items that each of its rows is taken to have.
  std::map<std::string, double> rows;
  double seconds = 0;
  std::int64_t floor_bytes = 0;  // each input and output once
  double dram_bytes = 0;
  std::vector<KernelCost> kernels;
};

// `sizes`: values of sizes by name; likely ones are taken for the others, as auto_schedule does.
// Nothing where a kernel's requests cannot be counted. Throws BadInput E614 where the program has
// no size of that name.
std::optional<ProgramCost> cost_of(const Program& program,
                                   const std::map<std::string, std::int64_t>& sizes = {},
                                   const Device& device = usual_device());

}  // namespace selvage
