// The cuts of a nest that plans of all kinds make.
#include <selvage/ir/reads.h>
#include <selvage/scheduler/carry_out.h>
#include <selvage/scheduler/loop_names.h>

#include <algorithm>
#include <tuple>

namespace selvage {

std::string NestCuts::unused(TensorId t, const char* name) const {
  return unused_loop_name(s_, t, name);
}

void NestCuts::append(Loops& order, std::optional<ScheduledLoop> loop) {
  if (loop) order.push_back(*loop);
}

NestCuts::Loops NestCuts::of(TensorId t, Loops loops) {
  for (ScheduledLoop& l : loops) l.tensor = t;
  return loops;
}

void NestCuts::put_in_order(TensorId t, Loops order) {
  Loops folded;
  for (ScheduledLoop l : s_.loops(t)) {
    const auto is_it = [&](const ScheduledLoop& o) { return o.domain == l.domain; };
    if (std::ranges::any_of(order, is_it)) continue;
    (s_.is_folded(t, l.domain) ? folded : order).push_back(l);
  }
  order.insert(order.end(), folded.begin(), folded.end());
  s_.reorder(order);
}

std::optional<ScheduledLoop> NestCuts::cut_vector(ScheduledLoop& loop) {
  if (plan_.vector <= 1) return std::nullopt;
  const auto [group, lane] =
      s_.split(loop, plan_.vector,
               {.outer = unused(loop.tensor, "group"), .inner = unused(loop.tensor, "v")});
  s_.bind(lane, ParallelType::Vectorize);
  loop = group;
  return lane;
}

NestCuts::Loops NestCuts::cut_blocks(ScheduledLoop loop, std::int64_t threads) {
  const TensorId t = loop.tensor;
  const auto [block, thread] =
      s_.split(loop, threads, {.outer = unused(t, "block"), .inner = unused(t, "thread")});
  s_.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  return {block, thread};
}

void NestCuts::cut_steps(ScheduledLoop loop, std::int64_t threads, ParallelType type,
                         std::int64_t at_once, Loops& order) {
  const TensorId t = loop.tensor;
  if (traffic_.scans > 0 && threads > 1 && at_once > 1) {
    return cut_neighbours(loop, threads, type, at_once, order);
  }
  ScheduledLoop step = loop;
  std::optional<ScheduledLoop> thread;
  if (threads > 1 && s_.graph()[loop.domain].extent.is_const(threads)) {
    s_.bind(loop, type);
  } else {
    if (threads > 1) {
      const char* name = type == ParallelType::TIDx ? "thread" : "folder";
      std::tie(step, thread) =
          s_.split(loop, threads, {.outer = unused(t, "step"), .inner = unused(t, name)});
      s_.bind(*thread, type);
    }
    if (at_once > 1 && s_.graph()[step.domain].extent.is_const(at_once)) {
      s_.bind(step, ParallelType::Unroll);
    } else if (at_once > 1) {
      const auto [outer, inner] =
          s_.split(step, at_once, {.outer = unused(t, "steps"), .inner = unused(t, "u")});
      s_.bind(inner, ParallelType::Unroll);
      order.push_back(outer);
      step = inner;
    }
  }
  order.push_back(step);
  append(order, thread);
}

// The threads of a scan take neighbours, so that they meet less often.
void NestCuts::cut_neighbours(ScheduledLoop loop, std::int64_t threads, ParallelType type,
                              std::int64_t at_once, Loops& order) {
  const TensorId t = loop.tensor;
  const auto [group, own] =
      s_.split(loop, at_once, {.outer = unused(t, "group"), .inner = unused(t, "u")});
  const auto [step, thread] =
      s_.split(group, threads, {.outer = unused(t, "step"), .inner = unused(t, "folder")});
  s_.bind(thread, type).bind(own, ParallelType::Unroll);
  order.insert(order.end(), {step, thread, own});
}

}  // namespace selvage
