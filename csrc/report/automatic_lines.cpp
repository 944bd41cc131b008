#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/report/automatic_lines.h>
#include <selvage/report/cost_lines.h>

#include <fmt/format.h>

#include <sstream>

namespace selvage {

namespace {

// The schedule, as a file would say it; nothing where no file can.
void print_file(const Schedule& schedule, Lines& out) {
  std::string text;
  try {
    text = to_schedule_section(schedule.original(), schedule);
  } catch (const BadInput&) {
    return;
  }
  out.line(2, "The same, said in a file:");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.verbatim(4, line);
}

std::string names_of(const Fusion& tensors, const AutomaticKernel& kernel) {
  std::string names;
  for (TensorId t : kernel.tensors) names += (names.empty() ? "" : ", ") + tensors[t].name;
  return names;
}

// The kernels that take the place of these at some sizes.
void print_by_size(const ProgramsBySize& programs, Lines& out) {
  for (std::size_t k = 0; k < programs.classes().size(); ++k) {
    const auto sized = programs.of_class(k);
    if (sized == nullptr) continue;
    out.line(2, "where " + to_string(programs.classes()[k].condition) + ", in place of these:");
    const Fusion& tensors = sized->made.schedule.fusion();
    for (const AutomaticKernel& kernel : sized->made.kernels) {
      out.line(4, names_of(tensors, kernel) + ": " +
                      (kernel.rows ? kernel.rows->text() : kernel.taken.plan.text()));
    }
  }
}

}  // namespace

void print_automatic(const FusionReport& fusion, bool with_reasons, Lines& out) {
  if (fusion.automatic.empty()) return;
  out.heading("Scheduled automatically, for " + fusion.automatic[0].device.name);
  print_scaled(fusion.automatic[0].device, out);
  const Fusion& tensors = fusion.schedule->fusion();
  for (const AutomaticKernel& kernel : fusion.automatic) {
    if (kernel.rows) {
      out.line(2, names_of(tensors, kernel) + ": " + kernel.rows->text());
      continue;
    }
    const LaunchTime& time = kernel.taken.time;
    out.line(2, names_of(tensors, kernel) + ": " + kernel.taken.plan.text() +
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
  if (fusion.program && fusion.program->by_size) print_by_size(*fusion.program->by_size, out);
  if (with_reasons) print_file(*fusion.schedule, out);
}

}  // namespace selvage
