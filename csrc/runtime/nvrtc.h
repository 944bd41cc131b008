#pragma once

#include <selvage/runtime/kernel_source.h>
#include <selvage/runtime/ptxas_log.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace selvage {

struct NvrtcOptions {
  std::string arch = "sm_90a";
  bool fmad = false;  // contract a*b + c: faster, and no longer equal to the virtual device
  bool ptx = false;   // keep the PTX as well
  std::vector<std::string> more = {};
};

// Emitted text compiled for the GPU: one binary, with the kernels under their own names.
struct CompiledKernels {
  std::vector<std::byte> cubin;
  std::string ptx;  // if asked for
  std::string log;
  std::vector<KernelResources> kernels;

  const KernelResources& kernel(std::string_view name) const;
};

// NVIDIA's run-time compiler, found by the loader or in the CUDA toolkit's usual folders. It needs
// no GPU and no driver.
class Nvrtc {
 public:
  // Null when there is none; why_absent() says what was tried. Loaded once, for good.
  static const Nvrtc* instance();
  static const std::string& why_absent();

  ~Nvrtc();

  int version() const;          // 1000 * major + minor
  std::string library() const;  // its file

  // Throws Error (E704) with NVRTC's message and the emitted line. Several kernels in one go take
  // half the time each; their names must differ, helpers may repeat. Safe from several threads,
  // though NVRTC lets one at a time through its front end.
  CompiledKernels compile(std::span<const KernelSource> sources,
                          const NvrtcOptions& options = {}) const;
  CompiledKernels compile(const KernelSource& source, const NvrtcOptions& options = {}) const;

 private:
  struct Calls;
  struct Loaded;
  explicit Nvrtc(std::unique_ptr<const Calls> calls);
  static const Loaded& loaded();
  std::unique_ptr<const Calls> calls_;
};

}  // namespace selvage
