#include <selvage/report/legality.h>
#include <selvage/report/point.h>

namespace selvage {

namespace {

Diagnostic refusal(const TensorReport& tensor, const Finding& finding) {
  Diagnostic d{.code = finding.code, .place = {}, .message = finding.reason};
  const Point at = witness_of(tensor, finding.verdict);
  if (!at.empty()) d.notes.push_back("at " + to_text(at));
  d.help = finding.help;
  return d;
}

}  // namespace

std::vector<Diagnostic> diagnostics_of(const Subject& subject, const TensorReport& tensor) {
  std::vector<Diagnostic> list;
  for (const Finding& f : refusals(tensor.legality)) list.push_back(refusal(tensor, f));
  const std::optional<Fills>& fills = tensor.legality.fills;
  if (!fills) return list;
  // The kernel stores items and nothing else.
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

}  // namespace selvage
