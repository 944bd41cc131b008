#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

namespace selvage {

// How many random programs a property test draws. The environment variable SELVAGE_COUNTS says:
//   small  `small`, a fixed sample that is quick; the default
//   full   `full`, run before anything is called finished
//   tenth  a tenth of `small`, at least one: for slow, sanitized builds, which look for what is
//          undefined more than for what is wrong
inline int count(int small, int full) {
  const char* variable = std::getenv("SELVAGE_COUNTS");
  const std::string counts = variable == nullptr ? "" : variable;
  if (counts.empty() || counts == "small") return small;
  if (counts == "full") return full;
  if (counts == "tenth") return std::max(1, small / 10);
  throw std::invalid_argument("SELVAGE_COUNTS is small, full or tenth, not '" + counts + "'");
}

// What a rate or a number of cases is required of: not of the few that SELVAGE_COUNTS=tenth draws.
inline bool is_sample_large() {
  const char* variable = std::getenv("SELVAGE_COUNTS");
  return variable == nullptr || std::string(variable) != "tenth";
}

// For EXPECT_GT(found, more_than(20)): how often something must occur in the small sample, and for
// EXPECT_LE(missed * 100, at_most(2 * all)): how often it may.
inline int more_than(int times) { return is_sample_large() ? times : -1; }
inline int at_most(int times) {
  return is_sample_large() ? times : std::numeric_limits<int>::max();
}

// Whether all cases are tried, of those too that stand for one another.
inline bool is_run_full() { return count(0, 1) == 1; }

template <class List>
List every_nth_of(const List& all, std::size_t step) {
  static std::size_t calls = 0;
  const std::size_t first = calls++ % std::min(step, std::max<std::size_t>(1, all.size()));
  List some;
  for (std::size_t k = first; k < all.size(); k += step) some.push_back(all[k]);
  return some;
}

// Of a list of cases all; where SELVAGE_COUNTS=tenth every fourth, beginning elsewhere at each
// call.
template <class List>
List some_of(List all) {
  constexpr std::size_t kStep = 4;
  return is_sample_large() ? all : every_nth_of(all, kStep);
}
// Of a list of cases that stand for one another all in a full run; else every `step`-th, beginning
// elsewhere at each call.
template <class List>
List sampled(List all, std::size_t step) {
  return is_run_full() ? all : every_nth_of(all, step);
}

}  // namespace selvage
