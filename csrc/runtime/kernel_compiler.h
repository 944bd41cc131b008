#pragma once

#include <selvage/runtime/compile_request.h>

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace selvage {

struct Toolkit {
  int version = 0;      // as Nvrtc::version()
  std::string library;  // the file of its compiler; empty: not known
  bool operator==(const Toolkit&) const = default;
};

// What compiles on a miss: NVRTC, or what a test puts in its place.
struct KernelCompiler {
  // None: there is no compiler, and `compile` throws. The first call of either opens it.
  std::function<std::optional<Toolkit>()> toolkit;
  std::function<CompiledKernels(std::span<const KernelSource>, const NvrtcOptions&)> compile;
  // The program of CompileHelper that compiles the same elsewhere; empty: none.
  std::string helper = {};

  // Without NVRTC, `compile` throws Error (E713), which says where it was looked for.
  static KernelCompiler nvrtc();
};

}  // namespace selvage
