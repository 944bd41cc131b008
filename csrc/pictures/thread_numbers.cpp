#include <selvage/base/integer.h>
#include <selvage/pictures/thread_numbers.h>

#include <algorithm>

namespace selvage {

ThreadNumbers::ThreadNumbers(const Schedule& schedule, const TensorAnalysis& analysis) {
  for (ParallelType type : {ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz}) {
    for (std::size_t k = 0; k < analysis.loops.size(); ++k) {
      if (schedule.parallel(analysis.tensor, analysis.loops[k]) != type) continue;
      const Expr extent = schedule.graph()[analysis.loops[k]].extent;
      const std::int64_t n = extent.is(Op::Const) ? extent.value() : 1;
      axes_.push_back({k, n, count_});
      count_ = checked_mul(count_, n).value_or(INT64_MAX);
    }
  }
}

bool ThreadNumbers::is_plain() const {
  return std::count_if(axes_.begin(), axes_.end(), [](const Axis& a) { return a.extent > 1; }) < 2;
}

bool ThreadNumbers::depends_only_on(const std::vector<std::size_t>& loops) const {
  return std::all_of(axes_.begin(), axes_.end(), [&](const Axis& a) {
    return a.extent == 1 || std::find(loops.begin(), loops.end(), a.loop) != loops.end();
  });
}

std::int64_t ThreadNumbers::at(std::span<const std::int64_t> point) const {
  std::int64_t number = 0;
  for (const Axis& a : axes_) {
    const auto part = checked_mul(point[a.loop], a.step);
    number = part ? checked_add(number, *part).value_or(INT64_MAX) : INT64_MAX;
  }
  return number;
}

bool ThreadNumbers::put(std::int64_t thread, std::vector<std::int64_t>& point) const {
  if (thread < 0 || thread >= count_) return false;
  for (const Axis& a : axes_) {
    point[a.loop] = thread % a.extent;
    thread /= a.extent;
  }
  return true;
}

}  // namespace selvage
