#include <selvage/base/words.h>
#include <selvage/debugger/debug_file.h>
#include <selvage/debugger/frames.h>
#include <selvage/debugger/trace.h>
#include <selvage/driver/error_model.h>
#include <selvage/kernel/statements.h>
#include <selvage/report/run_lines.h>
#include <selvage/report/where.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace selvage {

namespace {

// The kernels of a file, to be run under a watcher.
class WatchedFile {
 public:
  WatchedFile(const ScheduleFile& file, const RunFileOptions& options, const Report& report)
      : file_(file), options_(options), report_(report) {
    options_.on = Machine::Emulate;
    options_.check = true;  // makes up sizes
    if (report_.threads) {
      LoweredThreads lowered = lower_threads(*report_.threads->program, {.verifies = false});
      is_runnable_ = lowered.kernel.has_value();
      places_ = std::move(lowered.places);
    } else {
      is_runnable_ = std::ranges::any_of(
          report_.fusions, [](const FusionReport& f) { return f.program.has_value(); });
    }
    if (is_runnable_) check_run_names(options_, report_);
  }

  bool is_runnable() const { return is_runnable_; }

  // What is said of the results.
  std::string run(RunWatcher& watcher, RunOrder order) const {
    Lines lines;
    const EmulationOptions emulation{.order = order, .watcher = &watcher};
    if (report_.threads) {
      ThreadRunRequest request = request_for(file_, options_, *report_.threads);
      request.checks = false;
      request.runs_refused = true;
      request.emulation = emulation;
      const ThreadRun run = run_threads(*report_.threads->program, request);
      std::vector<std::string> written;
      for (const auto& [name, array] : run.outputs) written.push_back(name);
      lines.line(0, "The run has come to its end; it has written " +
                        (written.empty() ? "nothing" : listed(written)) + ".");
      for (const std::string& fault : run.faults) lines.line(2, "fault: " + fault);
      return lines.take();
    }
    std::vector<RunResult> results;
    for (const FusionReport& subject : report_.fusions) {
      if (!subject.program) continue;
      RunRequest request = plain_request(subject);
      request.emulation = emulation;
      results.push_back(selvage::run(subject.schedule->original(), *subject.program, request));
    }
    print_runs(results, lines);
    return lines.take();
  }

  // The values of all computed tensors by the unscheduled programs.
  std::map<std::string, BoundedArray> expected() const {
    std::map<std::string, BoundedArray> all;
    if (report_.threads) return all;
    for (const FusionReport& subject : report_.fusions) {
      if (!subject.program) continue;
      const Fusion& fusion = subject.schedule->original();
      const RunResult plain = selvage::run(fusion, *subject.program, plain_request(subject));
      all.merge(run_reference_tensors(fusion, plain.sizes, plain.inputs,
                                      error_model(*subject.program, Machine::Emulate)));
    }
    return all;
  }

  Shapes shapes() const {
    Shapes shapes;
    if (!report_.threads) return shapes;
    for (const ThreadArray& a : report_.threads->program->arrays) shapes[a.name] = a.shape;
    return shapes;
  }

  std::set<std::string> memories() const {
    std::set<std::string> names;
    for (const FusionReport& subject : report_.fusions) {
      if (!subject.program) continue;
      for (const ProgramStep& step : subject.program->steps) {
        for (const Buffer& b : step.variants.front().buffers) names.insert(b.name);
      }
    }
    return names;
  }

  // Where the file says what a statement of a kernel does.
  std::string source(const RunView& view, PlaceId at) const {
    const Statement& statement = *view.tree()[at].statement;
    if (report_.threads) {
      if (statement.origin == 0 || statement.origin > places_.size()) return {};
      return text_of(places_[statement.origin - 1]);
    }
    const StatementParts parts = parts_of(statement);
    for (const StatementAccess& a : parts.accesses) {
      if (!writes(a.kind)) continue;
      const auto place = file_.places.find(view.kernel().buffers[a.buffer].name);
      if (place != file_.places.end()) return text_of(place->second);
    }
    return {};
  }

 private:
  static std::string text_of(const Place& place) {
    return place.line == 0 ? "" : place.file + ":" + std::to_string(place.line);
  }
  RunRequest plain_request(const FusionReport& subject) const {
    RunRequest request = request_for(file_, options_, subject);
    request.on_all = request.checks = false;
    return request;
  }

  const ScheduleFile& file_;
  RunFileOptions options_;
  const Report& report_;
  bool is_runnable_ = false;
  std::vector<Place> places_;  // of a thread program: LoweredThreads::places
};

}  // namespace

bool debug_file(const ScheduleFile& file, const RunFileOptions& options, const Report& report,
                const Device& device, CommandSource& commands, std::ostream& out) {
  const WatchedFile watched(file, options, report);
  if (!watched.is_runnable()) return false;
  DebuggedProgram program{
      .shapes = watched.shapes(), .device = device, .memories = watched.memories()};
  program.source = [&](const RunView& view, PlaceId at) { return watched.source(view, at); };
  program.expected = [&] { return watched.expected(); };
  if (!report.threads) {
    program.where = [&](const std::string& text, Lines& lines) {
      const auto item = parse_item(text);
      if (!item) throw BadCommand("'" + text + "' is no item of a tensor; write where y[17, 3]");
      print_where(report, *item, lines);
    };
  }
  Session session(program, commands, out);
  while (true) {
    try {
      session.begin_run();
      session.end_run(watched.run(session, session.order()));
    } catch (const Session::Restart&) {
      continue;
    } catch (const Session::Quit&) {
      return true;
    }
  }
}

namespace {

[[noreturn]] void refuse_to_write(const std::string& what, const std::string& path) {
  throw BadInput({.code = "E802",
                  .place = {path, 0, 0},
                  .message = what + " cannot be written: " + std::string(std::strerror(errno)),
                  .help = "name a file in a folder that exists and can be written to"});
}

}  // namespace

bool trace_file(const ScheduleFile& file, const RunFileOptions& options, const Report& report,
                const std::string& path) {
  const WatchedFile watched(file, options, report);
  if (!watched.is_runnable()) return false;
  std::ofstream out(path);
  Trace trace(watched.shapes(), out);
  if (out) watched.run(trace, {});
  if (!out.flush()) refuse_to_write("the trace", path);
  return true;
}

bool draw_frames(const ScheduleFile& file, const RunFileOptions& options, const Report& report,
                 const std::string& folder) {
  const WatchedFile watched(file, options, report);
  if (!watched.is_runnable()) return false;
  Frames frames(watched.shapes());
  watched.run(frames, {});
  std::error_code ignored;  // a file that cannot be written says why
  std::filesystem::create_directories(folder, ignored);
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::ofstream out(path);
    if (!(out << text).flush()) refuse_to_write("the picture", path);
  };
  const std::vector<std::string> pictures = frames.pictures();
  for (std::size_t k = 0; k < pictures.size(); ++k) {
    write(fmt::format("frame_{:03}.svg", k + 1), pictures[k]);
  }
  write("run.svg", frames.animated());
  return true;
}

}  // namespace selvage
