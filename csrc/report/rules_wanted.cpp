#include <selvage/expr/text.h>
#include <selvage/ir/domain_graph.h>
#include <selvage/report/point.h>
#include <selvage/report/rules_wanted.h>

#include <unordered_set>

namespace selvage {

namespace {

constexpr std::size_t kLongestResidue = 400;  // characters of a residue

std::string text_of(const RuleWanted& wanted) {
  if (text_length(wanted.residue, kLongestResidue) <= kLongestResidue)
    return to_string(wanted.residue);
  return "more than " + std::to_string(kLongestResidue) + " characters are left of " + wanted.what;
}

std::string text_of(const Verdict& answer) {
  return std::visit(overloaded{[](const Proved&) -> std::string { return "it always holds"; },
                               [](const Refuted& r) { return "it fails at " + to_text(r.point); },
                               [](const Unknown&) -> std::string { return "not decided"; }},
                    answer);
}

}  // namespace

void print_rules_wanted(std::span<const RuleWanted> wanted, Lines& out) {
  std::unordered_set<std::string> texts;
  std::vector<std::pair<std::string, std::string>> lines;
  for (const RuleWanted& w : wanted) {
    const std::string text = text_of(w);
    if (!texts.insert(text).second) continue;
    lines.emplace_back(text, "for " + w.what + (w.answer ? "; Z3: " + text_of(*w.answer) : ""));
  }
  if (lines.empty()) return;
  out.heading("Rules wanted, for what is neither proved nor refuted at random points: " +
              std::to_string(lines.size()));
  for (const auto& [text, about] : lines) {
    out.line(2, "rule wanted: " + text);
    out.line(6, about);
  }
}

}  // namespace selvage
