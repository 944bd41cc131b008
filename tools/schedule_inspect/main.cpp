// schedule_inspect: what a schedule file means, for a person or as JSON.
#include <selvage/base/check.h>
#include <selvage/confirm/confirm.h>
#include <selvage/frontend/expression_lines.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/dot.h>
#include <selvage/report/file_schema.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <selvage/report/picture.h>
#include <selvage/report/resources.h>
#include <selvage/report/rules_page.h>
#include <selvage/report/run_file.h>

#include <tools/schedule_inspect/options.h>

#include <iostream>

namespace selvage {
namespace {

void print(const std::vector<Diagnostic>& diagnostics) { std::cerr << to_text(diagnostics); }

int inspect_file(const Options& options) {
  const ScheduleFile file = read_schedule_file(options.file, options.sizes);
  if (file.threads) refuse_for_threads(options);
  Report report = inspect(file);
  if (options.prove) confirm(report);
  if (!options.arch.empty()) compile_report(options.arch, report);
  if (options.run) run_file(file, options.running, report);
  const bool prints_svg = options.svg == "-";
  if (!options.svg.empty() && !prints_svg) write_svg(report, options.svg);
  std::cout << (prints_svg     ? to_svg(report)
                : options.dot  ? to_dot(report)
                : options.json ? to_json(report)
                               : page(report, options.page));
  print(report.diagnostics);
  return report.exit_status();
}

int perform(const Options& options) {
  switch (options.task) {
    case Options::Task::Inspect: return inspect_file(options);
    case Options::Task::Simplify: return simplify_file(options.file, std::cout) ? 0 : 2;
    case Options::Task::Rules: std::cout << rules_page(); return 0;
    case Options::Task::Schema: std::cout << file_schema(); return 0;
    case Options::Task::Help: std::cout << options.help; return 0;
    case Options::Task::Version: std::cout << "schedule_inspect " SELVAGE_VERSION "\n"; return 0;
  }
  return 2;
}

}  // namespace
}  // namespace selvage

int main(int argc, char** argv) {
  using namespace selvage;
  std::ios::sync_with_stdio(false);
  int status = 2;
  std::string file = "schedule_inspect";  // what is being read
  try {
    const Options options = parse_options(argc, argv);
    if (!options.file.empty()) file = options.file;
    status = perform(options);
  } catch (const BadFile& e) {
    print(e.diagnostics());
  } catch (const Illegal& e) {
    print({e.diagnostic()});
    status = 1;
  } catch (const BadInput& e) {
    print({e.diagnostic()});
  } catch (const Error& e) {
    // A compiler or a driver that fails: nothing is wrong with the file, and nothing came out of
    // it.
    print({e.diagnostic()});
    status = 1;
  } catch (const InternalError& e) {
    std::cerr << "schedule_inspect: " << e.what() << "; please report it with the file\n";
  } catch (const std::bad_alloc&) {
    print({{.code = "E803",
            .place = {file, 0, 0},
            .message = "this machine has not enough memory for it",
            .help = "split the file, or make its extents smaller"}});
  }
  if (!std::cout.flush()) {
    std::cerr << "schedule_inspect: error: cannot write to standard output\n";
    status = 2;
  }
  return status;
}
