#include <selvage/base/check.h>
#include <selvage/report/report.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

void add(Report& report, Diagnostic diagnostic, const Subject& subject) {
  if (diagnostic.place.line == 0) diagnostic.place = subject.place;
  if (diagnostic.place.file.empty()) diagnostic.place.file = report.file;
  report.diagnostics.push_back(std::move(diagnostic));
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

// Lowers and emits; nothing, and a diagnostic, where that is illegal.
std::optional<Program> lowered(const Subject& subject, Report& report) {
  if (!subject.has_kernel) return std::nullopt;
  try {
    return lower(subject.schedule.fusion(), subject.schedule,
                 {.items_may_be_lost = subject.items_may_be_lost});
  } catch (const Illegal& refusal) {
    add(report, refusal.diagnostic(), subject);
  }
  return std::nullopt;
}

void warn_of_lost_items(const Subject& subject, const TensorAnalysis& analysis, Report& report) {
  if (!subject.items_may_be_lost || is_proved(analysis.coverage.verdict)) return;
  const std::string& name = subject.schedule.fusion()[analysis.tensor].name;
  Diagnostic warning{.code = "E431", .severity = Severity::Warning, .place = {}, .message = {}};
  if (analysis.coverage.lost.empty()) {
    warning.message = "it is not proved that the loops of " + name + " visit every item of it";
  } else {
    warning.message = "the loops of " + name + " do not visit every item of it";
    std::string item;
    for (const auto& [symbol, value] : analysis.coverage.lost) {
      item += (item.empty() ? "" : ", ") + std::string(symbol.name()) + " = " +
              std::to_string(value);
    }
    warning.notes.push_back("not visited: " + item);
  }
  warning.help = "resize by nothing negative if every item is wanted";
  add(report, std::move(warning), subject);
}

}  // namespace

const std::string& TensorReport::name_of(DomainId d) const {
  const auto it = std::lower_bound(domains.begin(), domains.end(), d);
  SELVAGE_CHECK(it != domains.end() && *it == d);
  return names[std::size_t(it - domains.begin())];
}

int Report::exit_status() const {
  const bool has_error =
      std::any_of(diagnostics.begin(), diagnostics.end(),
                  [](const Diagnostic& d) { return d.severity == Severity::Error; });
  const bool has_failed =
      std::any_of(runs.begin(), runs.end(), [](const RunResult& r) { return !r.passed(); });
  return has_error || has_failed ? 1 : 0;
}

TensorReport report_of(const Schedule& schedule, TensorAnalysis analysis) {
  TensorReport report{&schedule, std::move(analysis), {}, {}};
  const TensorAnalysis& a = report.analysis;
  report.domains = a.path.domains;
  std::sort(report.domains.begin(), report.domains.end());
  report.names.resize(report.domains.size());
  std::unordered_set<std::string> taken;
  const auto slot = [&](DomainId d) -> std::string& {
    const auto it = std::lower_bound(report.domains.begin(), report.domains.end(), d);
    return report.names[std::size_t(it - report.domains.begin())];
  };
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    taken.insert(slot(a.loops[i]) = std::string(a.variables[i].name()));
  }
  for (DomainId d : report.domains) {
    std::string& name = slot(d);
    if (!name.empty()) continue;
    name = schedule.name(a.tensor, d);
    const std::string stem = name;
    for (int n = 2; !taken.insert(name).second; ++n) name = stem + "_" + std::to_string(n);
  }
  return report;
}

Report inspect(std::string file, const std::vector<Subject>& subjects,
               std::vector<Diagnostic> diagnostics) {
  Report report{std::move(file), {}, {}, std::move(diagnostics), {}};
  for (const Subject& subject : subjects) {
    const Schedule& schedule = subject.schedule;
    FusionReport& found = report.fusions.emplace_back();
    found.schedule = &schedule;
    const std::size_t errors = report.diagnostics.size();
    found.program = lowered(subject, report);
    if (found.program) {
      for (const TensorAnalysis& a : found.program->tensors) {
        warn_of_lost_items(subject, a, report);
        report.tensors.push_back(report_of(schedule, a));
      }
      for (const ProgramStep& step : found.program->steps) {
        std::vector<CudaText>& texts = found.cuda.emplace_back();
        for (const Kernel& kernel : step.variants) texts.push_back(cuda(kernel));
      }
      continue;
    }
    for (TensorId t : tensors_of(subject)) {
      try {
        TensorAnalysis a = analyze(schedule.fusion(), schedule, t);
        warn_of_lost_items(subject, a, report);
        report.tensors.push_back(report_of(schedule, std::move(a)));
      } catch (const Illegal& refusal) {
        // What has stopped the lowering need not be said twice.
        const std::string& message = refusal.diagnostic().message;
        const bool is_said = std::any_of(
            report.diagnostics.begin() + std::ptrdiff_t(errors), report.diagnostics.end(),
            [&](const Diagnostic& d) { return d.message == message; });
        if (!is_said) add(report, refusal.diagnostic(), subject);
      }
    }
  }
  return report;
}

}  // namespace selvage
