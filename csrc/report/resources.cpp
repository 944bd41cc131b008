#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/report/resources.h>
#include <selvage/runtime/compile_cache.h>

namespace selvage {

void compile_report(const std::string& arch, Report& report) {
  for (FusionReport& fusion : report.fusions) {
    std::vector<KernelSource> sources;
    for (const std::vector<CudaText>& step : fusion.cuda) {
      for (const CudaText& c : step)
        sources.push_back({c.text, c.name, c.parameter_types, c.origins});
    }
    if (sources.empty()) continue;
    const auto compiled = CompileCache::instance().compile(sources, {.arch = arch});
    if (compiled->cubin.empty()) {
      refuse<Error>("E704",
                    "this NVRTC does not know " + arch +
                        ": it makes PTX of an older architecture, and what its kernels use is "
                        "decided by the driver of the GPU",
                    "name an older architecture, such as --arch sm_80, or install a newer NVRTC");
    }
    fusion.compiled = CompiledReport{arch, {}};
    for (const KernelSource& s : sources)
      fusion.compiled->kernels.push_back(compiled->kernel(s.name));
  }
}

void print_resources(const FusionReport& fusion, Lines& out) {
  if (!fusion.compiled) return;
  out.heading("Compiled for " + fusion.compiled->arch);
  for (const KernelResources& k : fusion.compiled->kernels) {
    std::string text = k.name + ": " + counted(k.registers, "register");
    if (k.shared_bytes > 0) text += ", " + counted(k.shared_bytes, "byte") + " of shared memory";
    const std::int64_t spilled = k.spill_store_bytes + k.spill_load_bytes;
    text += spilled == 0 ? ", no spills"
                         : ", " + std::to_string(k.spill_store_bytes) + " bytes spilled, " +
                               std::to_string(k.spill_load_bytes) + " read back";
    out.line(2, text);
  }
}

}  // namespace selvage
