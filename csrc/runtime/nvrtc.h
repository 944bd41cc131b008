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

// One call of the compiler: kernels that share a binary, and how they are compiled.
struct CompileRequest {
  std::vector<KernelSource> sources;
  NvrtcOptions options = {};
};

// Emitted text compiled for the GPU: one binary, with the kernels under their own names.
struct CompiledKernels {
  std::vector<std::byte> cubin;  // empty if the compiler knows only older architectures
  std::string ptx;               // if asked for, or, for an older architecture, in place of cubin
  std::string log;
  std::vector<KernelResources> kernels;  // of the cubin

  const KernelResources& kernel(std::string_view name) const;
};

struct NvrtcCalls;

// NVIDIA's run-time compiler, found by the loader or in the CUDA toolkit's usual folders. It needs
// no GPU and no driver.
class Nvrtc {
 public:
  // Null if there is none; why_absent() lists the files that were tried, and what each lacks.
  // Loaded once, for good.
  static const Nvrtc* instance();
  static const std::string& why_absent();
  // The same from a given file, closed with the last owner. Throws Error (E713) if the file does
  // not open or lacks a call under CALL (nvrtc_calls.def).
  static std::unique_ptr<const Nvrtc> open(const std::string& library);

  ~Nvrtc();

  int version() const;          // 1000 * major + minor
  std::string library() const;  // its file
  // The numbers of the architectures that it knows (90: sm_90), in order; empty: unknown.
  const std::vector<int>& architectures() const { return architectures_; }

  // Compiles kernels to one binary. If this NVRTC does not know the architecture, or makes no
  // binaries (before CUDA 11.1), the result is only PTX, for the newest architecture that it knows
  // and that is not newer; the driver compiles that. Throws Error (E704) with NVRTC's message and
  // the emitted line, or if there is no such architecture. Several kernels in one call take half
  // the time each; their names must differ, helpers may repeat. Several threads may call it, though
  // NVRTC's front end takes one at a time.
  CompiledKernels compile(std::span<const KernelSource> sources,
                          const NvrtcOptions& options = {}) const;
  CompiledKernels compile(const KernelSource& source, const NvrtcOptions& options = {}) const;

 private:
  struct Loaded;
  explicit Nvrtc(std::unique_ptr<const NvrtcCalls> calls);
  static std::unique_ptr<const Nvrtc> try_open(const std::string& library, std::string& why);
  static const Loaded& loaded();
  std::string target_for(const std::string& arch) const;
  std::unique_ptr<const NvrtcCalls> calls_;
  std::vector<int> architectures_;
};

}  // namespace selvage
