#include <selvage/report/obligations.h>
#include <selvage/simplifier/rules.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

std::vector<std::string> rules_behind(const Obligation& obligation) {
  std::vector<std::uint64_t> hits(all_rules().size(), 0);
  for (const Question& q : obligation.simplified) {
    Facts facts = *obligation.facts;
    for (Expr e : q.under) facts.assume(e);
    Simplifier simplifier(std::move(facts));
    const std::vector<std::uint64_t> before = simplifier.hits();  // of simplifying the facts
    simplifier.simplify(q.claim);
    for (std::size_t i = 0; i < hits.size(); ++i) hits[i] += simplifier.hits()[i] - before[i];
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i] > 0) names.emplace_back(all_rules()[i].name);
  }
  return names;
}

void print_rules(const TensorReport& tensor, const FusionReport& fusion, Lines& out) {
  std::vector<std::string> lines;
  for (const Obligation& o : obligations_of(tensor, fusion)) {
    const std::vector<std::string> names = rules_behind(o);
    if (names.empty()) continue;
    std::string line = subject(o.of, o.what) + ": ";
    for (std::size_t i = 0; i < names.size(); ++i) line += (i > 0 ? ", " : "") + names[i];
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  if (lines.empty()) return;
  out.heading("Rules behind what was simplified (--rules prints them)");
  for (const std::string& line : lines) out.line(2, line);
}

}  // namespace selvage
