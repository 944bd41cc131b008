#include <selvage/scheduler/loop_names.h>
#include <selvage/scheduler/pointwise.h>

namespace selvage {

namespace {

constexpr std::int64_t kThreads = 128;

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
  const Expr threads = schedule.fusion().pool().constant(kThreads);
  const auto [block, thread] = schedule.split(merged(schedule, loops), threads,
                                              {.outer = unused_loop_name(schedule, t, "block"),
                                               .inner = unused_loop_name(schedule, t, "thread")});
  schedule.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  folded.insert(folded.begin(), {block, thread});
  schedule.reorder(std::move(folded));
}

}  // namespace selvage
