#include <selvage/base/check.h>
#include <selvage/ir/about.h>
#include <selvage/ir/reads.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <selvage/report/point.h>
#include <selvage/report/repeated_lines.h>
#include <selvage/report/report.h>

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>

namespace selvage {

namespace {

// Whether a tensor is a fold inside of a statement, which the file's schedule cannot name.
bool is_inner_fold(const Subject& subject, TensorId t) {
  const TensorInfo& tensor = subject.schedule.fusion()[t];
  return tensor.fold && !subject.places.contains(tensor.name) &&
         subject.schedule.making(t) == nullptr;
}

// If the help is about such a fold, adds that the fold needs a statement of its own first.
void name_inner_fold(Diagnostic& diagnostic, const Subject& subject) {
  if (subject.places.empty() || !subject.tensors.empty() || diagnostic.help.empty()) return;
  for (std::uint32_t t : diagnostic.tensors) {
    if (!is_inner_fold(subject, TensorId(t))) continue;
    diagnostic.help = "give the fold a statement of its own, " +
                      subject.schedule.fusion()[TensorId(t)].name +
                      "[...] = ..., which the schedule can name; then " + diagnostic.help;
    return;
  }
}

// The place of a tensor in the file or, if the file does not name it, of a tensor that reads it.
std::optional<Place> place_of(const Subject& subject, TensorId t) {
  const Fusion& fusion = subject.schedule.fusion();
  const auto own = subject.places.find(fusion[t].name);
  if (own != subject.places.end()) return own->second;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    if (std::ranges::count(tensors_read(fusion, TensorId(k)), t) == 0) continue;
    if (const auto place = place_of(subject, TensorId(k))) return place;
  }
  return std::nullopt;
}

// The place of the first of these tensors that the file names; else of one that reads one of them.
std::optional<Place> place_of(const Subject& subject, std::span<const std::uint32_t> tensors) {
  if (subject.places.size() == 1) return subject.places.begin()->second;
  for (std::uint32_t t : tensors) {
    const auto own = subject.places.find(subject.schedule.fusion()[TensorId(t)].name);
    if (own != subject.places.end()) return own->second;
  }
  for (std::uint32_t t : tensors) {
    if (const auto place = place_of(subject, TensorId(t))) return place;
  }
  return std::nullopt;
}

// Adds a diagnostic; one without a place gets that of its tensors.
void add(Report& report, Diagnostic diagnostic, const Subject& subject) {
  if (diagnostic.place.line == 0) {
    if (const auto place = place_of(subject, diagnostic.tensors)) diagnostic.place = *place;
  }
  name_inner_fold(diagnostic, subject);
  if (diagnostic.place.file.empty()) diagnostic.place.file = report.file;
  report.diagnostics.push_back(std::move(diagnostic));
}

// Adds a diagnostic, unless one of lowering, from the `first` on, has the same message.
void add_once(const Diagnostic& diagnostic, const Subject& subject, std::size_t first,
              Report& report) {
  const bool is_said =
      std::any_of(report.diagnostics.begin() + std::ptrdiff_t(first), report.diagnostics.end(),
                  [&](const Diagnostic& d) { return d.message == diagnostic.message; });
  if (!is_said) add(report, diagnostic, subject);
}

// Adds a refusal of the analysis of a tensor, which lowering has not reported.
void add_refusal(const Finding& finding, TensorId t, const Subject& subject, std::size_t first,
                 Report& report) {
  if (finding.is_legal()) return;
  Diagnostic diagnostic{.code = finding.code, .place = {}, .message = finding.reason};
  diagnostic.help = finding.help;
  diagnostic.tensors = as_subjects(t);
  add_once(diagnostic, subject, first, report);
}

std::vector<TensorId> tensors_of(const Subject& subject) {
  if (!subject.tensors.empty()) return subject.tensors;
  const Fusion& fusion = subject.schedule.fusion();
  std::vector<TensorId> tensors;
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    const TensorId t = TensorId(i);
    if (fusion[t].definition && !subject.schedule.is_inlined(t)) tensors.push_back(t);
  }
  return tensors;
}

// Whether t is in a kernel whose launch the hardware refuses (E442). Such tensors are left out of
// the report; those of other kernels are not.
bool is_refused(const Diagnostic& refusal, TensorId t) {
  return refusal.code == "E442" && std::ranges::count(refusal.tensors, std::uint32_t(t)) > 0;
}

// The lowered program. Nothing if there is no kernel, or if the schedule is illegal: then sets
// `refused`.
std::optional<Program> lowered(const Subject& subject, std::optional<Diagnostic>& refused) {
  if (!subject.has_kernel) return std::nullopt;
  try {
    const LowerOptions options{.items_may_be_lost = subject.items_may_be_lost};
    Program program = lower(subject.schedule.fusion(), subject.schedule, options);
    if (!subject.automatic.empty()) {
      program.by_size = programs_by_size(subject.schedule.original(), {},
                                         subject.automatic[0].device, {}, options);
    }
    return program;
  } catch (const Illegal& refusal) {
    refused = refusal.diagnostic();
  }
  return std::nullopt;
}

// Whether the refusal is about a tensor's memory. The analysis of the tensor reports such a one
// better: with a point in the names of the file.
bool is_of_memory(const Diagnostic& refusal) {
  return refusal.code == "E443" || refusal.code.starts_with("E47");
}

void add_proof(const Subject& subject, Trust trust, FusionReport& found, Report& report) {
  for (const OpenFinding& open : prove(found.program->steps).open) {
    Diagnostic d = diagnostic_of(open);
    if (trust == Trust::Caller && d.code == "E446") {
      d.severity = Severity::Warning;
      d.message = "taken on trust: " + d.message;
    } else {
      found.may_run = false;
    }
    add(report, std::move(d), subject);
  }
}

void warn_of_repeated_work(const Subject& subject, FusionReport& found, Report& report) {
  for (const RepeatedWork& work : repeated_work(*found.program)) {
    Diagnostic warning = warning_of(subject.schedule, *found.program, work);
    found.repeated.push_back(warning);
    add(report, std::move(warning), subject);
  }
}

void warn_of_lost_items(const Subject& subject, const Schedule& schedule,
                        const TensorAnalysis& analysis, Report& report) {
  if (!subject.items_may_be_lost || is_proved(analysis.coverage.verdict)) return;
  const std::string& name = schedule.fusion()[analysis.tensor].name;
  Diagnostic warning{.code = "E431", .severity = Severity::Warning, .place = {}, .message = {}};
  if (analysis.coverage.lost.empty()) {
    warning.message = "it is not proved that the loops of " + name + " visit every item of it";
  } else {
    warning.message = "the loops of " + name + " do not visit every item of it";
    warning.notes.push_back("not visited: " + to_text(analysis.coverage.lost));
  }
  warning.help = "resize by nothing negative if every item is wanted";
  warning.tensors = as_subjects(analysis.tensor);
  add(report, std::move(warning), subject);
}

// Whether one thread alone computes a tensor in shared memory, though some nest around the tensor's
// runs on many threads.
bool is_left_to_one_thread(const Schedule& schedule, const TensorAnalysis& a) {
  const auto has_threads = [&](TensorId t) {
    const auto& loops = schedule.loop_domains(t);
    return std::any_of(loops.begin(), loops.end(), [&](DomainId d) {
      return is_thread(schedule.parallel(t, d)) && !schedule.graph()[d].extent.is_const(1);
    });
  };
  if (!a.storage || a.storage->memory != Memory::Shared || a.elements.is_const(1)) return false;
  // A bulk copy is begun by one thread and made by none.
  if (has_threads(a.tensor) || is_by_proxy(schedule.copied_by(a.tensor))) return false;
  for (auto site = schedule.site(a.tensor); site; site = schedule.site(site->tensor)) {
    if (has_threads(site->tensor)) return true;
  }
  return false;
}

void warn_of_one_thread(const Subject& subject, const Schedule& schedule, const TensorAnalysis& a,
                        Report& report) {
  if (!is_left_to_one_thread(schedule, a)) return;
  const std::string& name = schedule.fusion()[a.tensor].name;
  std::string loop;
  for (DomainId d : a.loops) {
    if (schedule.parallel(a.tensor, d) == ParallelType::Serial) loop = schedule.name(a.tensor, d);
  }
  Diagnostic warning{.code = "E436", .severity = Severity::Warning, .place = {}, .message = {}};
  warning.message = "all of " + name + ", in shared memory, is left to the first thread of each " +
                    "block: none of its loops is bound to a thread index";
  if (!loop.empty())
    warning.help = "bind one of them: " + name + ": [{bind: {" + loop + ": TIDx}}]";
  warning.tensors = as_subjects(a.tensor);
  add(report, std::move(warning), subject);
}

Diagnostic refusal(const TensorReport& tensor, const Finding& finding) {
  Diagnostic d{.code = finding.code, .place = {}, .message = finding.reason};
  const Point at = witness_of(tensor, finding.verdict);
  if (!at.empty()) d.notes.push_back("at " + to_text(at));
  d.help = finding.help;
  return d;
}

// The refusals of a tensor, as errors, and what its kernel leaves to the user, as warnings.
std::vector<Diagnostic> diagnostics_of(const Subject& subject, const TensorReport& tensor) {
  std::vector<Diagnostic> list;
  for (const Finding& f : refusals(tensor.legality)) list.push_back(refusal(tensor, f));
  const std::optional<Fills>& fills = tensor.legality.fills;
  if (!fills) return list;
  // A kernel stores items only, and so fills no holes.
  if (subject.has_kernel && fills->fits && fills->fits->is_legal() &&
      !fills->initialised.is_legal()) {
    Diagnostic d{.code = "E475", .severity = Severity::Warning, .place = {}, .message = {}};
    d.message = "the kernel of " + tensor.name() + " fills no holes: " + fills->initialised.reason;
    d.help =
        "fill its memory with " + to_text(*fills->value) + " before the launch; or leave fill out";
    list.push_back(std::move(d));
  }
  return list;
}

// Adds the report of a tensor with its legality, and its refusals as diagnostics. A refusal of its
// vector access is left out if a diagnostic from the `first` on says the same.
void add_tensor(const Subject& subject, const Schedule& schedule, TensorAnalysis analysis,
                std::size_t first, Report& report) {
  warn_of_lost_items(subject, schedule, analysis, report);
  warn_of_one_thread(subject, schedule, analysis, report);
  TensorReport tensor = report_of(schedule, std::move(analysis), subject.names);
  const TensorAnalysis& a = tensor.analysis;
  if (a.vector) add_refusal(a.vector->finding, a.tensor, subject, first, report);
  try {
    const Fusion& fusion = tensor.fusion();
    if (subject.reading != nullptr) {
      tensor.read = analyze(fusion, *subject.reading, a.tensor);
      tensor.reading = subject.reading;
    }
    tensor.legality = legality_of(fusion, *tensor.schedule, a, tensor.reading,
                                  tensor.read ? &*tensor.read : nullptr, subject.read_by);
    for (Diagnostic& d : diagnostics_of(subject, tensor)) {
      d.tensors = as_subjects(a.tensor);
      add(report, std::move(d), subject);
    }
  } catch (Illegal& refusal) {
    refusal.about(as_subjects(a.tensor));
    add(report, refusal.diagnostic(), subject);
  }
  report.tensors.push_back(std::move(tensor));
}

}  // namespace

bool TensorReport::is_loop(DomainId d) const {
  return std::find(analysis.loops.begin(), analysis.loops.end(), d) != analysis.loops.end();
}

int Report::exit_status() const {
  const bool has_error =
      std::any_of(diagnostics.begin(), diagnostics.end(),
                  [](const Diagnostic& d) { return d.severity == Severity::Error; });
  const bool has_failed =
      std::any_of(runs.begin(), runs.end(), [](const RunResult& r) { return !r.passed(); });
  const bool threads_failed =
      threads && (!threads->differences.empty() ||
                  std::any_of(threads->runs.begin(), threads->runs.end(),
                              [](const ThreadRun& r) { return !r.passed(); }));
  return has_error || has_failed || threads_failed ? 1 : 0;
}

TensorReport report_of(const Schedule& schedule, TensorAnalysis analysis,
                       const std::vector<std::pair<std::string, DomainId>>& names) {
  TensorReport report{&schedule, std::move(analysis), {}, {}, {}};
  const TensorAnalysis& a = report.analysis;
  std::unordered_set<std::string> taken;
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    taken.insert(report.names[index_of(a.loops[i])] = std::string(a.variables[i].name()));
  }
  const auto add = [&](DomainId d, std::string name) {
    std::string& own = report.names[index_of(d)];
    if (own.empty()) {
      const std::string stem = name;
      for (int n = 2; !taken.insert(name).second; ++n) name = stem + "_" + std::to_string(n);
      own = name;
    }
    report.iterdomains.emplace_back(own, d);
  };
  std::unordered_set<std::size_t> listed;
  for (const auto& [name, d] : names) {
    if (!a.coordinates->has(d)) continue;
    if (listed.insert(index_of(d)).second) add(d, name);
    if (report.names.at(index_of(d)) != name && taken.insert(name).second) {
      report.iterdomains.emplace_back(name, d);
    }
  }
  std::vector<DomainId> rest = a.path.domains;
  std::sort(rest.begin(), rest.end());
  for (DomainId d : rest) {
    if (!listed.contains(index_of(d))) add(d, schedule.name(a.tensor, d));
  }
  return report;
}

std::vector<Subject> subjects_of(const ScheduleFile& file) {
  std::vector<Subject> subjects;
  for (const FileTensor& tensor : file.tensors) {
    Subject& subject = subjects.emplace_back(Subject{.schedule = *tensor.schedule});
    subject.tensors = {tensor.tensor};
    subject.has_kernel = tensor.has_kernel;
    subject.items_may_be_lost = true;
    for (const NamedDomain& d : tensor.iterdomains) subject.names.emplace_back(d.name, d.domain);
    subject.places[tensor.name] = tensor.place;
    if (tensor.reading) subject.reading = &*tensor.reading;
    subject.read_by = {tensor.reads_under_guard, tensor.reads_to_reduce};
  }
  if (file.schedule) {
    subjects.push_back(
        {.schedule = *file.schedule, .places = file.places, .automatic = file.automatic});
  }
  return subjects;
}

namespace {

Report inspect_threads(const ScheduleFile& file, std::vector<Diagnostic> diagnostics) {
  Report report{file.path, {}, {}, std::move(diagnostics), {}};
  ThreadReport& threads = report.threads.emplace(
      ThreadReport{.program = file.threads, .lowered = lower_threads(*file.threads), .cuda = {}});
  for (const Diagnostic& d : threads.lowered.diagnostics) report.diagnostics.push_back(d);
  if (threads.lowered.kernel) threads.cuda = cuda(*threads.lowered.kernel);
  return report;
}

}  // namespace

Report inspect(const ScheduleFile& file, Trust trust) {
  std::vector<Diagnostic> diagnostics = file.illegal;
  diagnostics.insert(diagnostics.end(), file.warnings.begin(), file.warnings.end());
  if (file.threads != nullptr) return inspect_threads(file, std::move(diagnostics));
  Report report = inspect(file.path, subjects_of(file), std::move(diagnostics), trust);
  report.as_fusion = file.as_fusion;
  report.mappings = file.mappings;
  return report;
}

Report inspect(std::string file, const std::vector<Subject>& subjects,
               std::vector<Diagnostic> diagnostics, Trust trust) {
  Report report{std::move(file), {}, {}, std::move(diagnostics), {}};
  for (const Subject& subject : subjects) {
    const Schedule& schedule = subject.schedule;
    FusionReport& found = report.fusions.emplace_back();
    found.schedule = &schedule;
    found.automatic = subject.automatic;
    const std::vector<TensorId> tensors = tensors_of(subject);
    if (!tensors.empty()) found.name = schedule.fusion()[tensors[0]].name;
    const std::size_t errors = report.diagnostics.size();
    std::optional<Diagnostic> refused;
    found.program = lowered(subject, refused);
    if (refused && !is_of_memory(*refused)) add(report, *refused, subject);
    if (found.program) {
      add_proof(subject, trust, found, report);
      found.schedule = found.program->schedule.get();
      warn_of_repeated_work(subject, found, report);
      for (const TensorAnalysis& a : found.program->tensors) {
        add_tensor(subject, *found.schedule, a, errors, report);
      }
      for (const ProgramStep& step : found.program->steps) {
        found.cuda.push_back(cuda(step.variants));
      }
      continue;
    }
    for (TensorId t : tensors) {
      const auto refuses = [&](const Diagnostic& d) { return is_refused(d, t); };
      if (std::any_of(report.diagnostics.begin() + std::ptrdiff_t(errors), report.diagnostics.end(),
                      refuses)) {
        continue;
      }
      try {
        add_tensor(subject, schedule, analyze(schedule.fusion(), schedule, t), errors, report);
      } catch (Illegal& refusal) {
        refusal.about(as_subjects(t));
        add_once(refusal.diagnostic(), subject, errors, report);
      }
    }
    if (refused) add_once(*refused, subject, errors, report);
  }
  return report;
}

}  // namespace selvage
