#include <selvage/scheduler/loop_names.h>

#include <algorithm>

namespace selvage {

std::string unused_loop_name(const Schedule& schedule, TensorId t, std::string name) {
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

ScheduledLoop merged(Schedule& schedule, const std::vector<ScheduledLoop>& loops) {
  ScheduledLoop all = loops[0];
  for (std::size_t k = 1; k < loops.size(); ++k) {
    const std::string name = unused_loop_name(schedule, all.tensor, "i" + std::to_string(k));
    all = schedule.merge(all, loops[k], name);
  }
  return all;
}

}  // namespace selvage
