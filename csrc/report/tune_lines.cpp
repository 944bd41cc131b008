#include <selvage/base/words.h>
#include <selvage/report/tune_lines.h>

#include <fmt/format.h>

namespace selvage {

namespace {

std::string microseconds(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }

void print_kernel(const TunedKernel& kernel, Lines& out) {
  out.line(2, kernel.root + ": " + counted(std::int64_t(kernel.plans.size()), "plan"));
  for (const TriedPlan& p : kernel.plans) {
    out.line(4, fmt::format("{}, predicted {} ({}): {}{}", microseconds(p.measured),
                            microseconds(p.predicted), off_text(p.predicted, p.measured),
                            p.plan.text(), p.is_taken ? "; taken" : ""));
  }
}

}  // namespace

std::string off_text(double predicted, double measured) {
  return fmt::format("{:+.0f} %", 100 * (predicted / measured - 1));
}

void print_tuned(const FusionReport& fusion, bool with_reasons, Lines& out) {
  if (fusion.tuned == nullptr) return;
  const TuneResult& tuned = *fusion.tuned;
  if (tuned.kernels.empty()) {
    return out.heading("Tuning: no plan runs at these sizes; others may be given by --size");
  }
  out.heading(tuned.is_timed ? fmt::format("Tuned on {}: the median of {}, L2 flushed before each",
                                           tuned.device.name, counted(tuned.runs, "run"))
                             : "Tuned for " + tuned.device.name +
                                   " by exact counts of each plan's kernels, as none was run");
  for (const TunedKernel& kernel : tuned.kernels) print_kernel(kernel, out);
  if (with_reasons) out.line(2, fmt::format("it took {:.1f} s", tuned.seconds));
  out.line(2, tuned.is_kept ? "The plans that were taken are kept, and will be found without --tune"
                            : "The plans that were taken are not kept: there is no cache on disk "
                              "(SELVAGE_CACHE_DIR)");
}

}  // namespace selvage
