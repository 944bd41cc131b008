#pragma once

#include <selvage/runtime/launch_shape.h>

#include <string>
#include <vector>

namespace selvage {

// One emitted kernel. The text includes no header and stays within C: NVRTC compiles it for the
// GPU, libtcc and gcc for the virtual device. It begins with
//   #ifndef KERNEL
//   #define KERNEL(name) extern "C" __global__ void name
//   #endif
// and defines KERNEL(name)(parameters) once.
struct KernelSource {
  std::string text;
  std::string name;                          // a C identifier
  std::vector<std::string> parameter_types;  // C types in order: "const float*", "long long"
  std::vector<std::string> origins = {};     // by line of the text: CudaText::origins
};

}  // namespace selvage
