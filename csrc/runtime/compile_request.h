#pragma once

#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/nvrtc.h>

#include <vector>

namespace selvage {

// One call of the compiler: kernels that share a binary, and how they are compiled.
struct CompileRequest {
  std::vector<KernelSource> sources;
  NvrtcOptions options = {};
};

}  // namespace selvage
