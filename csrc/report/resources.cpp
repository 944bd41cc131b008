#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/report/resources.h>
#include <selvage/runtime/compile_cache.h>

namespace selvage {

namespace {

CompiledReport compiled_for(const std::string& arch, const std::vector<KernelSource>& sources) {
  const auto compiled = CompileCache::instance().compile(sources, {.arch = arch});
  if (compiled->cubin.empty()) {
    refuse<Error>("E704",
                  "this NVRTC does not know " + arch +
                      ": it makes PTX of an older architecture, and what its kernels use is "
                      "decided by the driver of the GPU",
                  "name an older architecture, such as --arch sm_80, or install a newer NVRTC");
  }
  CompiledReport report{arch, {}};
  for (const KernelSource& s : sources) report.kernels.push_back(compiled->kernel(s.name));
  return report;
}

KernelSource source_of(const CudaText& c) { return {c.text, c.name, c.parameter_types, c.origins}; }

}  // namespace

void compile_report(const std::string& arch, Report& report) {
  for (FusionReport& fusion : report.fusions) {
    std::vector<KernelSource> sources;
    for (const std::vector<CudaText>& step : fusion.cuda) {
      for (const CudaText& c : step) sources.push_back(source_of(c));
    }
    if (!sources.empty()) fusion.compiled = compiled_for(arch, sources);
  }
  if (report.threads && report.threads->cuda) {
    report.threads->compiled = compiled_for(arch, {source_of(*report.threads->cuda)});
  }
}

void print_resources(const CompiledReport& compiled, Lines& out) {
  out.heading("Compiled for " + compiled.arch);
  for (const KernelResources& k : compiled.kernels) {
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
