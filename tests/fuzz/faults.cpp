#include "tests/fuzz/faults.h"

#include <selvage/simplifier/simplifier.h>

#include <span>

#include "tests/corpus/check.h"
#include "tests/corpus/exact_value.h"
#include "tests/corpus/points.h"
#include "tests/corpus/shrink.h"
#include "tests/fuzz/line_from_bytes.h"

namespace selvage::fuzz {

namespace {

using corpus::Checked;
using corpus::Domain;
using corpus::Line;
using corpus::Point;
using corpus::Problem;

constexpr std::size_t kPoints = 64;
constexpr std::uint64_t kSeed = 5;
// Of one simplification: rules applied and expressions made.
constexpr std::uint64_t kMostSteps = 200'000;

std::string wrong_steps(const Line& line) {
  const Problem problem(line);
  const std::uint32_t before = problem.pool->size();
  Simplifier simplifier(problem.facts);
  simplifier.simplify(problem.expression);
  std::uint64_t steps = problem.pool->size() - before;
  for (const std::uint64_t hits : simplifier.hits()) steps += hits;
  return steps <= kMostSteps ? "" : std::to_string(steps);
}

// Whether a verdict's counterexample is allowed and is one.
bool refutes(const Problem& problem, const Refuted& refuted) {
  Point point;
  for (Expr symbol : problem.symbols) {
    for (const auto& [s, value] : refuted.point) {
      if (same(s, symbol)) point.push_back(value);
    }
  }
  // A symbol that the claim does not depend on may be missing.
  if (point.size() != problem.symbols.size()) return true;
  return Domain(problem).contains(point) &&
         ExactValue(problem.expression, problem.symbols).at(point) == 0;
}

std::string wrong_claim(const Line& line) {
  const Problem problem(line);
  const Expr e = problem.expression;
  Simplifier simplifier(problem.facts);
  const bool is_truth = info(e.op()).result == Result::Truth;
  const Interval interval = simplifier.interval(e);
  const Congruence congruence = simplifier.congruence(e);
  const Verdict verdict = is_truth ? simplifier.prove(e) : Verdict(Unknown{e});
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    if (!refutes(problem, *refuted)) return "refuted by a point that is no counterexample";
  }
  ExactValue exact(e, problem.symbols);
  for (const Point& point : Domain(problem).points(kPoints, kSeed)) {
    const std::optional<__int128> value = exact.at(point);
    if (!value) continue;
    if (is_proved(verdict) && *value == 0) return "proved, and false";
    // The ends of an interval stand for infinity: a value past 64 bits is beyond them.
    if (*value < interval.lo && interval.has_lo()) return "a value below its interval";
    if (*value > interval.hi && interval.has_hi()) return "a value above its interval";
    const auto narrow = std::int64_t(*value);
    if (*value == narrow && !congruence.contains(narrow)) return "a value not of its congruence";
  }
  return "";
}

std::string kind_of(const std::string& fault) { return fault.substr(0, fault.find(':')); }

}  // namespace

std::string fault(const Line& line) {
  if (const std::string steps = wrong_steps(line); !steps.empty()) return "steps: " + steps;
  const Checked checked = corpus::check(line, kPoints);
  // Of facts that contradict each other, and of 1 / 0, anything may be said.
  if (checked.points == 0) return "";
  if (!checked.wrong_value.empty()) {
    return "value: " + checked.simplified + ' ' + checked.wrong_value;
  }
  if (const std::string claim = wrong_claim(line); !claim.empty()) return "claim: " + claim;
  if (!checked.not_idempotent.empty()) {
    return "again: " + checked.simplified + " becomes " + checked.not_idempotent;
  }
  return "";
}

std::string fault_of_bytes(const unsigned char* bytes, std::size_t size) {
  const Line line = line_from_bytes(std::span(bytes, size));
  const std::string first = fault(line);
  if (first.empty()) return "";
  const Line shortest =
      corpus::shrink(line, [&](const Line& l) { return kind_of(fault(l)) == kind_of(first); });
  return fault(shortest) + '\n' + to_text(shortest);
}

}  // namespace selvage::fuzz
