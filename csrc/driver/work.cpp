#include <selvage/driver/work.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

bool leaves(const Body& body, Expr loop) {
  return std::any_of(body.begin(), body.end(), [&](const Statement& s) {
    if (const auto* leave = std::get_if<Leave>(&s.node)) {
      return !leave->is_next && same(leave->loop, loop);
    }
    if (const auto* inner = std::get_if<Loop>(&s.node)) return leaves(inner->body, loop);
    const auto* guard = std::get_if<Guard>(&s.node);
    return guard != nullptr && (leaves(guard->body, loop) || leaves(guard->otherwise, loop));
  });
}

class WorkCounter {
 public:
  WorkCounter(const Kernel& kernel, const SizeValues& sizes)
      : sizes_(sizes), known_(with_values(kernel.facts, sizes)) {}

  double of(const Body& body) {
    double n = 0;
    for (const Statement& s : body) {
      ++n;
      if (const auto* loop = std::get_if<Loop>(&s.node)) n += iterations(*loop) * of(loop->body);
      if (const auto* guard = std::get_if<Guard>(&s.node)) {
        n += std::max(of(guard->body), of(guard->otherwise));
      }
    }
    return n;
  }

 private:
  double iterations(const Loop& loop) {
    if (leaves(loop.body, loop.variable)) return 1;
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
