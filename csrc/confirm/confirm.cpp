#include <selvage/base/refuse.h>
#include <selvage/confirm/confirm.h>
#include <selvage/confirm/solver.h>
#include <selvage/report/obligations.h>
#include <selvage/report/open_questions.h>
#include <selvage/report/point.h>

namespace selvage {

namespace {

Confirmation ask(const Obligation& obligation) {
  Confirmation answer{obligation.of, obligation.what, {}, Unknown{}};
  for (const Question& question : obligation.questions) {
    std::vector<Expr> assumptions = question.under, mentioned = question.under;
    mentioned.push_back(question.claim);
    const std::vector<Expr> known = conditions(*obligation.facts, mentioned);
    assumptions.insert(assumptions.end(), known.begin(), known.end());
    answer.claim = question.claim;
    answer.verdict = Solver(std::move(assumptions)).confirm(question.claim);
    if (!is_proved(answer.verdict)) break;
  }
  return answer;
}

Verdict ask(const RuleWanted& wanted) {
  return Solver(conditions(wanted.facts, std::span(&wanted.residue, 1))).confirm(wanted.residue);
}

Diagnostic refutation(const std::string& file, const TensorReport& tensor, const Confirmation& c) {
  return {.code = "E901",
          .place = {file, 0, 0},
          .message = "Z3 refutes what was made of " + tensor.name() + ": " + to_text(c),
          .notes = {"it fails at " + to_text(std::get<Refuted>(c.verdict).point)},
          .help = "this is a fault of Selvage: please report it with the file"};
}

}  // namespace

void confirm(Report& report) {
  if (!has_z3()) {
    refuse<BadInput>("E902", "--prove needs Z3, and this was built without it",
                     "./scripts/setup installs it; then build again");
  }
  for (const FusionReport& fusion : report.fusions) {
    for (TensorReport& tensor : report.tensors) {
      if (tensor.schedule != fusion.schedule) continue;
      tensor.confirmations.emplace();
      for (const Obligation& o : obligations_of(tensor, fusion)) {
        tensor.confirmations->push_back(ask(o));
      }
      tensor.wanted = rules_wanted(tensor, fusion);
      for (RuleWanted& w : *tensor.wanted) w.answer = ask(w);
      for (const Confirmation& c : *tensor.confirmations) {
        if (std::holds_alternative<Refuted>(c.verdict)) {
          report.diagnostics.push_back(refutation(report.file, tensor, c));
        }
      }
    }
  }
}

}  // namespace selvage
