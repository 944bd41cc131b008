#include "tests/corpus/check.h"

#include <selvage/expr/text.h>
#include <selvage/simplifier/simplifier.h>

#include "tests/corpus/exact_value.h"
#include "tests/corpus/points.h"

namespace selvage::corpus {

namespace {

std::string to_text(std::optional<__int128> value) {
  if (!value) return "nothing";
  if (*value == std::int64_t(*value)) return std::to_string(std::int64_t(*value));
  return "a number past 64 bits";
}

std::string to_text(const Problem& problem, const Point& point) {
  std::string text;
  for (std::size_t k = 0; k < point.size(); ++k) {
    text += std::string(k == 0 ? "" : ", ") + std::string(problem.symbols[k].name()) + " = " +
            std::to_string(point[k]);
  }
  return text;
}

void compare(const Problem& problem, Expr simple, std::size_t points, Checked& checked) {
  constexpr std::uint64_t kSeed = 17;
  ExactValue before(problem.expression, problem.symbols), after(simple, problem.symbols);
  for (const Point& point : Domain(problem).points(points, kSeed)) {
    const std::optional<__int128> want = before.at(point), got = after.at(point);
    if (!want) continue;  // what is undefined may become anything
    ++checked.points;
    // More than 128 bits on the way are no fault.
    if (want == got || after.overflowed() || !checked.wrong_value.empty()) continue;
    checked.wrong_value =
        "is " + to_text(got) + ", not " + to_text(want) + ", at " + to_text(problem, point);
  }
}

}  // namespace

Checked check(const Line& line, std::size_t points) {
  const Problem problem(line);
  Simplifier simplifier(problem.facts);
  const Expr simple = simplifier.simplify(problem.expression);
  const Expr again = Simplifier(problem.facts).simplify(simple);
  Checked checked;
  checked.ran_out = simplifier.ran_out();
  checked.simplified = to_string(simple);
  checked.before = cost_of(problem.expression);
  checked.after = cost_of(simple);
  checked.clauses_before = clauses_of(problem.expression);
  checked.clauses_after = clauses_of(simple);
  compare(problem, simple, points, checked);
  if (!same(simple, again)) checked.not_idempotent = to_string(again);
  return checked;
}

}  // namespace selvage::corpus
