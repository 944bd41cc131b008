#include <selvage/index/region_threads.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/one_thread.h>

#include <algorithm>

namespace selvage {

namespace {

// The indices of a thread within the block that has its memory.
std::span<const ParallelType> thread_axes(const Kernel& kernel) {
  static constexpr ParallelType kAxes[] = {ParallelType::TIDx, ParallelType::TIDy,
                                           ParallelType::TIDz};
  return std::span(kAxes).first(kernel.launch.is_cluster ? 2 : 3);
}

}  // namespace

Expr& extent_of(Launch& launch, ParallelType p) {
  return is_block(p) ? launch.grid[std::size_t(axis(p))] : launch.block[std::size_t(axis(p))];
}

std::vector<ParallelType> unbound_threads(const Schedule& schedule, TensorId t,
                                          std::span<const DomainId> loops, const Kernel& kernel) {
  std::vector<ParallelType> axes;
  for (ParallelType p : thread_axes(kernel)) {
    const bool is_bound =
        std::ranges::any_of(loops, [&](DomainId d) { return schedule.parallel(t, d) == p; });
    if (!is_bound) axes.push_back(p);
  }
  return axes;
}

Body one_writer(std::span<const ParallelType> axes, Body body, Kernel& kernel) {
  for (ParallelType p : axes) {
    const Expr extent = extent_of(kernel.launch, p);
    if (extent.is_const(1)) continue;
    Loop loop = every(p, kernel);
    loop.body = guarded({elected(std::span(&loop.variable, 1), *kernel.pool)}, std::move(body));
    body = body_of(std::move(loop));
  }
  return body;
}

Expr own_variable(const std::string& name, Expr extent, Kernel& kernel) {
  const Expr variable = kernel.pool->symbol(name);
  if (kernel.facts.find(variable) == nullptr) kernel.facts.loop(variable, extent);
  return variable;
}

Loop every(ParallelType axis, Kernel& kernel) {
  const Expr extent = extent_of(kernel.launch, axis);
  return {own_variable("every." + std::string(to_string(axis)), extent, kernel), extent, axis, {}};
}

bool is_one_thread(std::span<const ParallelType> axes, const Kernel& kernel) {
  std::int64_t threads = 1;
  for (ParallelType p : thread_axes(kernel)) {
    const Expr extent = kernel.launch.block[std::size_t(axis(p))];
    if (!extent.is(Op::Const)) return false;
    if (!extent.is_const(1) && std::ranges::find(axes, p) == axes.end()) return false;
    threads *= extent.value();
  }
  return threads >= kWarp;
}

Body one_elected(std::span<const ParallelType> axes, Body body, Kernel& kernel) {
  if (!is_one_thread(axes, kernel)) return one_writer(axes, std::move(body), kernel);
  std::vector<Loop> loops;
  Expr is_first;
  for (ParallelType p : thread_axes(kernel)) {
    if (extent_of(kernel.launch, p).is_const(1)) continue;
    loops.push_back(every(p, kernel));
    const Expr own = eq(loops.back().variable, 0);
    is_first = is_first.valid() ? is_first && own : own;
  }
  body = body_of(Guard{.condition = is_first, .body = std::move(body), .elects = true});
  for (Loop& loop : loops) {
    loop.body = std::move(body);
    body = body_of(std::move(loop));
  }
  return body;
}

}  // namespace selvage
