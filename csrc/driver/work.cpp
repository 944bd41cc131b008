#include <selvage/driver/work.h>
#include <selvage/kernel/expressions.h>
#include <selvage/kernel/statements.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

class WorkCounter {
 public:
  WorkCounter(const Kernel& kernel, const SizeValues& sizes)
      : sizes_(sizes), known_(with_values(kernel.facts, sizes)) {}

  double of(const Body& body) {
    double n = 0;
    for (const Statement& s : body) {
      double inside = 0;
      for (const Body* inner : bodies(s)) inside = std::max(inside, of(*inner));
      const auto* loop = std::get_if<Loop>(&s.node);
      n += 1 + (loop == nullptr ? inside : iterations(*loop) * inside);
    }
    return n;
  }

 private:
  double iterations(const Loop& loop) {
    if (exits_of(loop).ends) return 1;
    const Expr n = loop.begin.valid() ? loop.extent - loop.begin : loop.extent;
    const std::int64_t most = sizes_(n).value_or(known_.interval(n).hi);
    return most == INT64_MAX ? 1 : std::max(double(most), 0.0);
  }

  const SizeValues& sizes_;
  Simplifier known_;
};

}  // namespace

double statements_of_launch(const Kernel& kernel, const SizeValues& sizes) {
  return WorkCounter(kernel, sizes).of(kernel.body);
}

}  // namespace selvage
