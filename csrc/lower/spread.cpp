#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/one_thread.h>
#include <selvage/lower/spread.h>

#include <algorithm>
#include <string>

namespace selvage {

std::vector<SpreadLoop> spread_loops(const Schedule& schedule, const TensorAnalysis& analysis,
                                     std::size_t open, bool is_vectorised, const Kernel& kernel) {
  const TensorId t = analysis.tensor;
  const bool is_row = !is_vectorised && schedule.copied_by(t) == CopyBy::Bulk;
  const auto is_shared = [&](std::size_t loop, ParallelType among) {
    const ParallelType p = schedule.parallel(t, analysis.loops[loop]);
    return p == among && (p == ParallelType::Bulk || is_row) &&
           schedule.graph()[analysis.loops[loop]].extent.is(Op::Const);
  };
  std::vector<std::size_t>
      loops;  // outermost first; a vector is innermost wherever its loop stands
  for (std::size_t k = open; k < analysis.loops.size(); ++k) {
    if (is_shared(k, ParallelType::Bulk) || is_shared(k, ParallelType::Serial)) loops.push_back(k);
  }
  for (std::size_t k = open; k < analysis.loops.size(); ++k) {
    if (is_shared(k, ParallelType::Vectorize)) loops.push_back(k);
  }
  std::vector<SpreadLoop> spread;
  for (ParallelType axis : unbound_threads(schedule, t, analysis.loops, kernel)) {
    const Expr most = kernel.launch.block[std::size_t(selvage::axis(axis))];
    if (loops.empty()) break;
    if (!most.is(Op::Const)) continue;
    const std::int64_t all = schedule.graph()[analysis.loops[loops.back()]].extent.value();
    // So many threads that each turn is whole.
    std::int64_t n = std::min(all, most.value());
    while (all % n != 0) --n;
    spread.push_back({loops.back(), axis, n});
    loops.pop_back();
  }
  return spread;
}

void spread_over_threads(Body& body, std::span<const SpreadLoop> loops,
                         const TensorAnalysis& analysis, Kernel& kernel) {
  for (Statement& s : body) {
    for (Body* inner : bodies(s)) spread_over_threads(*inner, loops, analysis, kernel);
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || loop->parallel != ParallelType::Bulk) continue;
    loop->parallel = ParallelType::Serial;
    const Expr i = loop->variable;
    const auto own = std::ranges::find_if(
        loops, [&](const SpreadLoop& l) { return same(analysis.variables[l.loop], i); });
    if (own == loops.end()) continue;
    Loop threads = every(own->axis, kernel);
    const std::int64_t n = own->threads;
    const Expr turns = kernel.pool->constant(loop->extent.value() / n);
    const Expr turn = own_variable(std::string(i.name()) + ".turn", turns, kernel);
    loop->body.insert(loop->body.begin(), {Define{i, turn * n + threads.variable}});
    threads.body = threads.extent.is_const(n)
                       ? std::move(loop->body)
                       : guarded({threads.variable < n}, std::move(loop->body));
    s = {Loop{turn, turns, ParallelType::Serial, body_of(std::move(threads))}};
  }
}

}  // namespace selvage
