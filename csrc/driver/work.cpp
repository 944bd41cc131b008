#include <selvage/driver/work.h>
#include <selvage/expr/conjuncts.h>
#include <selvage/kernel/expressions.h>
#include <selvage/kernel/statements.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

class WorkCounter {
 public:
  WorkCounter(const Kernel& kernel, const SizeValues& sizes)
      : sizes_(sizes), known_(with_values(kernel.facts, sizes)) {}

  double of(const Body& body) {
    double n = 0;
    for (const Statement& s : body) {
      const auto* loop = std::get_if<Loop>(&s.node);
      // A loop over an axis of the launch inside of another one over that axis is where its thread
      // is already.
      const bool is_axis = loop != nullptr && is_index(loop->parallel);
      const bool is_open = is_axis && !axes_.insert(loop->parallel).second;
      double inside = 0;
      for (const Body* inner : bodies(s)) inside = std::max(inside, of(*inner));
      if (is_axis && !is_open) axes_.erase(loop->parallel);
      n += 1 + (loop == nullptr || is_open ? inside : iterations(*loop) * inside);
    }
    return n;
  }

 private:
  double iterations(const Loop& loop) {
    if (exits_of(loop).ends || is_of_first(loop)) return 1;
    const Expr n = loop.begin.valid() ? loop.extent - loop.begin : loop.extent;
    const std::int64_t most = sizes_(n).value_or(known_.interval(n).hi);
    return most == INT64_MAX ? 1 : std::max(double(most), 0.0);
  }

  // Whether only index 0 along an axis of the launch does anything.
  static bool is_of_first(const Loop& loop) {
    const Body* body = &loop.body;
    while (is_index(loop.parallel) && body->size() == 1) {
      if (const auto* guard = std::get_if<Guard>(&body->front().node)) {
        const Expr first = eq(loop.variable, 0);
        return guard->otherwise.empty() &&
               std::ranges::any_of(conjuncts_of(guard->condition),
                                   [&](Expr c) { return same(c, first); });
      }
      const auto* inner = std::get_if<Loop>(&body->front().node);
      if (inner == nullptr || !is_index(inner->parallel)) return false;
      body = &inner->body;
    }
    return false;
  }

  const SizeValues& sizes_;
  Simplifier known_;
  std::set<ParallelType> axes_;  // of the launch, over which loops run around
};

}  // namespace

double statements_of_launch(const Kernel& kernel, const SizeValues& sizes) {
  return WorkCounter(kernel, sizes).of(kernel.body);
}

}  // namespace selvage
