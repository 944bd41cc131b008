#include <selvage/expr/text.h>
#include <selvage/report/rules_page.h>

#include <algorithm>
#include <array>
#include <vector>

namespace selvage {

namespace {

// The rules that Z3 does not prove for every divisor. The tests hold this list against its answers
// (tests/confirm/test_rule_proof.cpp).
constexpr std::array<std::string_view, 0> kResisting = {};

constexpr std::string_view kIntroduction = R"(# Rewrite rules

What the simplifier may do to an expression, and nothing else: a rewrite that is not here does not
exist. `schedule_inspect --rules` prints this page; the table itself is `csrc/simplifier/rules.cpp`.

`x`, `y`, `z` stand for any integer, `a`, `b`, `c` for one that is proved to be at least 1, `p` and
`q` for a condition. `/` and `%` are Euclidean: `e = d * (e / d) + e % d` with `0 <= e % d < d`. A
rule applies where `when` is proved.

The tests take every rule by itself [`Rules.*`, `RuleProofs.*`]:

- it *holds* at every point of a box, negative numbers included;
- it is *proved* by Z3, for all integers (`^`: of 64 bits) or, where the table says so, for divisors
  from 1 to 8;
- it *decreases* one weight that all rules share (`csrc/simplifier/weight.h`), so no chain of rules
  goes on for ever;
- it *fires* on its own left side, unless a rule before it does.
)";

constexpr std::pair<std::string_view, std::string_view> kFamilies[] = {
    {"div", "Quotients"},
    {"mod", "Remainders"},
    {"sum", "Terms of a sum"},
    {"order", "Comparisons"},
    {"eq", "Equations"},
    {"min", "The lesser of two"},
    {"max", "The greater of two"},
    {"xor", "Exclusive or"},
    {"select", "Choices"},
    {"and", "And"},
    {"or", "Or"},
    {"not", "Not"},
};

std::string_view family(const Rule& rule) { return rule.name.substr(0, rule.name.find('/')); }

std::string title(std::string_view family) {
  for (const auto& [name, title] : kFamilies) {
    if (name == family) return std::string(title);
  }
  return std::string(family);
}

using Row = std::array<std::string, 6>;

Row row_of(const Rule& rule) {
  return {std::string(rule.name),
          to_string(rule.before),
          to_string(rule.after),
          rule.when.is_true() ? "always" : to_string(rule.when),
          proof_of(rule) == RuleProof::AllIntegers ? "for all" : "to 8",
          std::string(rule.source)};
}

// Columns as wide as their widest entry; no blanks at the end.
std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, 6> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text = "```text\n";
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + "```\n";
}

}  // namespace

RuleProof proof_of(const Rule& rule) {
  const bool resists =
      std::find(kResisting.begin(), kResisting.end(), rule.name) != kResisting.end();
  return resists ? RuleProof::DivisorsTo8 : RuleProof::AllIntegers;
}

std::string rules_page() {
  std::string text(kIntroduction);
  std::string_view open;
  std::vector<Row> rows;
  const auto close = [&] {
    if (!rows.empty()) text += table(rows);
    rows.clear();
  };
  for (const Rule& rule : all_rules()) {
    if (family(rule) != open) {
      close();
      open = family(rule);
      text += "\n## " + title(open) + "\n\n";
      rows.push_back({"name", "before", "after", "when", "proved", "source"});
    }
    rows.push_back(row_of(rule));
  }
  close();
  text += "\n" + std::to_string(all_rules().size()) + " rules.\n";
  return text;
}

}  // namespace selvage
