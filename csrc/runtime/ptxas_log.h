#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// What ptxas says that a kernel uses, per thread but for shared memory and barriers. A spill is a
// register kept in local memory: wanted is 0.
struct KernelResources {
  std::string name;
  int registers = 0;
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0;
  std::int64_t spill_load_bytes = 0;
  std::int64_t shared_bytes = 0;  // static; what a launch asks for comes on top
  int barriers = 0;
};

// The kernels that a log of ptxas -v names, in its order.
std::vector<KernelResources> parse_ptxas_log(std::string_view log);

}  // namespace selvage
