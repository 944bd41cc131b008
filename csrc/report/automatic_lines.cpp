#include <selvage/base/refuse.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/report/automatic_lines.h>
#include <selvage/report/cost_lines.h>

#include <fmt/format.h>

#include <sstream>

namespace selvage {

namespace {

// The schedule, as a file would say it; nothing where no file can.
void print_file(const Schedule& schedule, Lines& out) {
  std::string text;
  if (refusal_of([&] { text = to_schedule_file(schedule.original(), schedule); })) return;
  const std::size_t begin = text.find("\nschedule:\n");
  if (begin == std::string::npos) return;
  out.line(2, "The same, said in a file:");
  std::istringstream lines(text.substr(begin + 1));
  for (std::string line; std::getline(lines, line);) out.verbatim(4, line);
}

}  // namespace

void print_automatic(const FusionReport& fusion, bool with_reasons, Lines& out) {
  if (fusion.automatic.empty()) return;
  out.heading("Scheduled automatically, for " + fusion.automatic[0].device.name);
  print_scaled(fusion.automatic[0].device, out);
  const Fusion& tensors = fusion.schedule->fusion();
  for (const AutomaticKernel& kernel : fusion.automatic) {
    std::string names;
    for (TensorId t : kernel.tensors) names += (names.empty() ? "" : ", ") + tensors[t].name;
    const LaunchTime& time = kernel.taken.time;
    out.line(2, names + ": " + kernel.taken.plan.text() +
                    (kernel.is_tuned && fusion.tuned == nullptr ? "; kept from tuning" : ""));
    out.line(4, fmt::format("{}, {:.0f} % of the peak bandwidth, limited by {}", time_text(time),
                            100 * time.peak_share, limit_text(time.limiter)));
    if (!with_reasons) continue;
    out.line(4, fmt::format("{:.0f} KiB in flight and {:.0f} % of the threads on each "
                            "multiprocessor, {:.1f} waves of blocks",
                            time.bytes_in_flight / 1024, 100 * time.occupancy, time.waves));
    if (!kernel.runner_up) continue;
    out.line(4, "next best: " + kernel.runner_up->plan.text() + ", " +
                    time_text(kernel.runner_up->time));
  }
  if (with_reasons) print_file(*fusion.schedule, out);
}

}  // namespace selvage
