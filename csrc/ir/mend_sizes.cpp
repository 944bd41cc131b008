#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/mend_sizes.h>
#include <selvage/simplifier/simplifier.h>

namespace selvage {

namespace {

constexpr std::int64_t kMostMin = std::int64_t{1} << 40;  // the largest one tried

bool suffices(const Facts& facts, Expr e, Expr size, std::int64_t min) {
  Facts more = facts;
  more.bound(size, facts.pool().constant(min), {});
  const Interval& range = more.find(size)->range;
  return range.lo <= range.hi && Simplifier(std::move(more)).proves_nonnegative(e - 1);
}

}  // namespace

std::string larger_min(const Facts& facts, Expr e) {
  for (Expr size : symbols_of(e)) {
    std::int64_t enough = 1, less = 0;
    while (enough <= kMostMin && !suffices(facts, e, size, enough)) {
      less = enough;
      enough *= 2;
    }
    if (enough > kMostMin) continue;
    while (enough - less > 1) {
      const std::int64_t middle = less + (enough - less) / 2;
      (suffices(facts, e, size, middle) ? enough : less) = middle;
    }
    const std::string name = to_string(size), min = std::to_string(enough);
    return "give " + name + " a min of " + min + ": " + name + ": {min: " + min + "}";
  }
  return "use sizes that make it at least 1";
}

}  // namespace selvage
