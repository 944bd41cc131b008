#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/report/verdict.h>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

constexpr std::size_t kMostKernels = 3;  // by name

std::string by(const std::array<Expr, 3>& extents) {
  std::size_t last = 3;
  while (last > 1 && extents[last - 1].is_const(1)) --last;
  std::string text;
  for (std::size_t i = 0; i < last; ++i) text += (i > 0 ? " x " : "") + to_string(extents[i]);
  return text;
}

bool is_one(const std::array<Expr, 3>& extents) {
  return std::all_of(extents.begin(), extents.end(), [](Expr e) { return e.is_const(1); });
}

// The first variant of each step.
std::vector<const Kernel*> kernels_of(const Report& report) {
  std::vector<const Kernel*> kernels;
  if (report.threads && report.threads->lowered.kernel) {
    kernels.push_back(&*report.threads->lowered.kernel);
  }
  for (const FusionReport& fusion : report.fusions) {
    if (!fusion.program) continue;
    for (const ProgramStep& step : fusion.program->steps) kernels.push_back(&step.variants.front());
  }
  return kernels;
}

std::string made_text(const std::vector<const Kernel*>& kernels) {
  if (kernels.empty()) return "nothing of it is a kernel";
  if (kernels.size() > kMostKernels) {
    return "makes " + std::to_string(kernels.size()) + " kernels (--cuda prints their text)";
  }
  std::string text;
  for (const Kernel* k : kernels) {
    text += (text.empty() ? "" : "; ") + k->name + ", " + shape_text(k->launch);
  }
  return "makes " + text + " (--cuda prints " + (kernels.size() == 1 ? "its" : "their") + " text)";
}

}  // namespace

std::string shape_text(const Launch& launch) {
  if (is_one(launch.grid) && is_one(launch.block)) return "one thread";
  const std::int64_t blocks = launch.cluster_blocks();
  const std::string clusters = blocks > 1 ? ", in clusters of " + std::to_string(blocks) + "," : "";
  return counted(by(launch.hardware_grid()), "block") + clusters + " of " +
         counted(by(launch.hardware_block()), "thread");
}

void print_verdict(const Report& report, Lines& out) {
  std::vector<const Diagnostic*> errors;
  for (const Diagnostic& d : report.diagnostics) {
    if (d.severity == Severity::Error) errors.push_back(&d);
  }
  if (!errors.empty()) {
    std::string text = "Illegal: " + errors[0]->code + ", " + errors[0]->message;
    if (errors.size() > 1) {
      text += "; and " + counted(std::int64_t(errors.size()) - 1, "error") + " more";
    }
    return out.line(0, text);
  }
  if (report.exit_status() != 0) return out.line(0, "Wrong: legal, and a run of it went wrong");
  out.line(0, "Legal: " + made_text(kernels_of(report)));
}

}  // namespace selvage
