#include <selvage/kernel/launch_limits.h>
#include <selvage/scheduler/narrow_blocks.h>

#include <algorithm>
#include <vector>

namespace selvage {

std::optional<Schedule> with_narrow_blocks(const Schedule& schedule, const Launch& launch,
                                           std::span<const TensorId> tensors) {
  std::int64_t known = 1;
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < 3; ++k) {
    if (launch.block[k].is(Op::Const)) {
      known *= launch.block[k].value();
    } else {
      open.push_back(k);
    }
  }
  if (open.size() != 1 || known > kMaxThreads) return std::nullopt;
  const std::int64_t most =
      open[0] == 2 ? std::min(kMaxBlock[2], kMaxThreads / known) : kMaxThreads / known;
  Schedule narrow = schedule;
  const ParallelType axis = ParallelType(int(ParallelType::TIDx) + int(open[0]));
  for (TensorId t : tensors) {
    for (DomainId d : schedule.loop_domains(t)) {
      if (schedule.parallel(t, d) != axis) continue;
      const auto [outer, inner] = narrow.split({t, d}, most);
      narrow.bind(inner, axis);
      // What was computed inside the loop is computed inside both.
      for (TensorId hosted : tensors) {
        const auto& site = schedule.site(hosted);
        if (site && site->tensor == t && site->loop == d) narrow.compute_at(hosted, inner);
      }
    }
  }
  return narrow;
}

}  // namespace selvage
