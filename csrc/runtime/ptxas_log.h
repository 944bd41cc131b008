#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// The resources that a kernel uses according to ptxas: per thread, except shared memory and
// barriers. A spill is a register kept in local memory; best is 0.
struct KernelResources {
  std::string name;
  int registers = 0;
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0;
  std::int64_t spill_load_bytes = 0;
  std::int64_t shared_bytes = 0;  // static; what a launch asks for comes on top
  int barriers = 0;
};

// The kernels in a log of ptxas -v, in its order.
std::vector<KernelResources> parse_ptxas_log(std::string_view log);

}  // namespace selvage
