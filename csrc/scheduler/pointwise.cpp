#include <selvage/scheduler/pointwise.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kThreads = 128;

// A name that no size and no loop of the tensor has.
std::string unused(const Schedule& schedule, TensorId t, std::string name) {
  const auto is_taken = [&] {
    const auto& sizes = schedule.fusion().sizes();
    const auto& loops = schedule.loop_domains(t);
    return std::any_of(sizes.begin(), sizes.end(), [&](Expr s) { return s.name() == name; }) ||
           std::any_of(loops.begin(), loops.end(),
                       [&](DomainId d) { return schedule.name(t, d) == name; });
  };
  while (is_taken()) name += "_";
  return name;
}

}  // namespace

void schedule_pointwise(Schedule& schedule, TensorId t) {
  std::vector<ScheduledLoop> loops = schedule.loops(t), folded;
  std::erase_if(loops, [&](ScheduledLoop l) {
    const bool is_folded = schedule.is_folded(t, l.domain);
    if (is_folded) folded.push_back(l);
    return is_folded;
  });
  if (loops.empty()) {
    schedule.set_loops(t, schedule.loop_domains(t));  // one thread, whatever its readers do
    return;
  }
  ScheduledLoop all = loops[0];
  for (std::size_t k = 1; k < loops.size(); ++k) {
    all = schedule.merge(all, loops[k], unused(schedule, t, "i" + std::to_string(k)));
  }
  const Expr threads = schedule.fusion().pool().constant(kThreads);
  const auto [block, thread] = schedule.split(
      all, threads,
      {.outer = unused(schedule, t, "block"), .inner = unused(schedule, t, "thread")});
  schedule.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  folded.insert(folded.begin(), {block, thread});
  schedule.reorder(std::move(folded));
}

}  // namespace selvage
