#include <selvage/base/refuse.h>
#include <selvage/runtime/compile_helper.h>
#include <selvage/runtime/kernel_compiler.h>

namespace selvage {

KernelCompiler KernelCompiler::nvrtc() {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) {
    return {
        std::nullopt, [](std::span<const KernelSource>, const NvrtcOptions&) -> CompiledKernels {
          refuse<Error>("E713", "there is no NVRTC to compile for the GPU: " + Nvrtc::why_absent(),
                        "install the CUDA toolkit's NVRTC where the loader finds it "
                        "(LD_LIBRARY_PATH), or run on the virtual device");
        }};
  }
  return {nvrtc->version(),
          [nvrtc](std::span<const KernelSource> sources, const NvrtcOptions& options) {
            return nvrtc->compile(sources, options);
          },
          CompileHelper::path()};
}

}  // namespace selvage
