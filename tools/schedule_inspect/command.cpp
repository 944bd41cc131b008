#include <selvage/base/check.h>
#include <selvage/confirm/confirm.h>
#include <selvage/debugger/debug_file.h>
#include <selvage/frontend/expression_lines.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/pictures/dot.h>
#include <selvage/pictures/picture.h>
#include <selvage/report/cost_lines.h>
#include <selvage/report/file_schema.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <selvage/report/resources.h>
#include <selvage/report/rules_page.h>
#include <selvage/report/run_file.h>
#include <selvage/runtime/gpu_device.h>
#include <selvage/runtime/kept_plans.h>

#include <tools/schedule_inspect/command.h>
#include <tools/schedule_inspect/options.h>
#include <tools/schedule_inspect/progress_bar.h>
#include <tools/schedule_inspect/terminal.h>

#include <algorithm>
#include <istream>
#include <new>
#include <ostream>

namespace selvage {

namespace {

// Schedules what a file leaves open by the plans that are found fastest.
std::shared_ptr<const TuneResult> tune_file(const Options& options, std::ostream& err,
                                            ScheduleFile& file) {
  if (!file.written) refuse_to_tune(options);
  ProgressBar bar(err);
  TuneRequest request;
  if (!options.is_gpu) request.device = options.device;
  request.progress = [&](const TuneProgress& progress) { bar.show(progress); };
  auto tuned = std::make_shared<const TuneResult>(tune(*file.written, request));
  file.schedule = tuned->made.schedule;
  file.automatic = tuned->made.kernels;
  return tuned;
}

int inspect_file(const Options& options, std::istream& in, std::ostream& out, std::ostream& err) {
  const auto device = [&]() -> const Device& {
    return options.device ? *options.device : default_device();
  };
  const auto kept = [&](const Fusion& fusion, const Device& on) {
    PlanChoices plans = options.plans;
    plans.merge(kept_plans(fusion, {}, on));
    return plans;
  };
  ScheduleFile file = read_schedule_file(
      options.file, options.sizes, {.device = device, .plans = kept, .checks = options.checks()});
  if (file.threads) refuse_for_threads(options);
  check_plans(options, file);
  std::shared_ptr<const TuneResult> tuned;
  if (options.tune) tuned = tune_file(options, err, file);
  Report report = inspect(file, options.trust ? Trust::Caller : Trust::Proofs);
  for (FusionReport& fusion : report.fusions) fusion.tuned = tuned;
  if (options.is_watched()) {
    bool has_kernel = true;
    if (!options.trace.empty()) {
      has_kernel = trace_file(file, options.running, report, options.trace);
    }
    if (!options.frames.empty()) {
      has_kernel = draw_frames(file, options.running, report, options.frames);
    }
    if (options.debug) {
      const auto commands = commands_from(in, out);
      has_kernel = debug_file(file, options.running, report, device(), *commands, out);
    }
    if (has_kernel) return 0;
    err << to_text(report.diagnostics);
    return std::max(report.exit_status(), 1);
  }
  if (options.prove) confirm(report);
  if (!options.arch.empty()) compile_report(options.arch, report);
  if (options.page.cost) add_costs(device(), report);
  if (options.run) run_file(file, options.running, report);
  if (options.only_loads()) add_loads(file, options.running, report);
  const bool prints_svg = options.svg == "-";
  if (!options.svg.empty() && !prints_svg) write_svg(report, options.svg);
  out << (prints_svg     ? to_svg(report)
          : options.dot  ? to_dot(report)
          : options.json ? to_json(report)
                         : page(report, options.page));
  err << to_text(report.diagnostics);
  return report.exit_status();
}

int perform(const Options& options, std::istream& in, std::ostream& out, std::ostream& err) {
  switch (options.task) {
    case Options::Task::Inspect: return inspect_file(options, in, out, err);
    case Options::Task::Simplify: return simplify_file(options.file, out) ? 0 : 2;
    case Options::Task::Rules: out << rules_page(); return 0;
    case Options::Task::Schema: out << file_schema(); return 0;
    case Options::Task::Help: out << options.help; return 0;
    case Options::Task::Version: out << "schedule_inspect " SELVAGE_VERSION "\n"; return 0;
  }
  return 2;
}

}  // namespace

int perform_command(int argc, const char* const* argv, std::istream& in, std::ostream& out,
                    std::ostream& err) {
  const auto print = [&](const std::vector<Diagnostic>& diagnostics) {
    err << to_text(diagnostics);
  };
  std::string file = "schedule_inspect";  // what is being read
  try {
    const Options options = parse_options(argc, argv);
    if (!options.file.empty()) file = options.file;
    return perform(options, in, out, err);
  } catch (const BadFile& e) {
    print(e.diagnostics());
  } catch (const Illegal& e) {
    print({e.diagnostic()});
    return 1;
  } catch (const BadInput& e) {
    print({e.diagnostic()});
  } catch (const Error& e) {
    // A compiler or driver failed: the file is not at fault, and there is no result.
    print({e.diagnostic()});
    return 1;
  } catch (const InternalError& e) {
    err << "schedule_inspect: " << e.what() << "; please report it with the file\n";
  } catch (const std::bad_alloc&) {
    print({{.code = "E803",
            .place = {file, 0, 0},
            .message = "this machine has not enough memory for it",
            .help = "split the file, or make its extents smaller"}});
  }
  return 2;
}

}  // namespace selvage
