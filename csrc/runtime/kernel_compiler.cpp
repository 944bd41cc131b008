#include <selvage/base/refuse.h>
#include <selvage/runtime/compile_helper.h>
#include <selvage/runtime/kernel_compiler.h>

namespace selvage {

namespace {

std::optional<Toolkit> toolkit_of_nvrtc() {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) return std::nullopt;
  return Toolkit{nvrtc->version(), nvrtc->library()};
}

CompiledKernels compile_by_nvrtc(std::span<const KernelSource> sources,
                                 const NvrtcOptions& options) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) {
    refuse<Error>("E713", "there is no NVRTC to compile for the GPU: " + Nvrtc::why_absent(),
                  "install the CUDA toolkit's NVRTC where the loader finds it (LD_LIBRARY_PATH), "
                  "or run on the virtual device");
  }
  return nvrtc->compile(sources, options);
}

}  // namespace

KernelCompiler KernelCompiler::nvrtc() {
  return {toolkit_of_nvrtc, compile_by_nvrtc, CompileHelper::path()};
}

}  // namespace selvage
