#pragma once

#include <selvage/runtime/compile_request.h>

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace selvage {

// What compiles on a miss: NVRTC, or what a test puts in its place.
struct KernelCompiler {
  // Of the toolkit, as Nvrtc::version(). None: there is no compiler, and `compile` throws.
  std::optional<int> version;
  std::function<CompiledKernels(std::span<const KernelSource>, const NvrtcOptions&)> compile;

  // The program of CompileHelper that compiles the same elsewhere; empty: none.
  std::string helper = {};

  // Without NVRTC, `compile` throws Error (E713), which says where it was looked for.
  static KernelCompiler nvrtc();
};

}  // namespace selvage
