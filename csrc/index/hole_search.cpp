#include <selvage/index/hole_search.h>

#include <algorithm>

namespace selvage {

SearchResult find_violation(const HoleSystem& system, const Bounds& start, std::size_t variable,
                            Half half, std::uint64_t& budget) {
  if (budget == 0) return {Answer::GaveUp, {}};
  const auto charge = [&](std::uint64_t steps) {
    const std::uint64_t spent = steps + 1 + system.size() / 16;  // and the copy
    budget -= std::min(budget, spent);
    return budget > 0;
  };
  // Halves the widest loop, loops that the broken bound depends on first; if all loops are fixed,
  // all variables are. Begins with the half at the end where the bound breaks.
  const auto pick = [&](const IntervalBox& box) -> Halving {
    Halving next{Halving::Kind::Fixed};
    std::uint64_t width = 0;
    bool related = false;
    for (Relations::Variable i = 0; i < system.loops(); ++i) {
      const Interval r = box[i];
      const std::uint64_t w = std::uint64_t(r.hi) - std::uint64_t(r.lo);
      const bool relates = system.component(i) == system.component(variable);
      if (w == 0 || (related && !relates)) continue;
      if (w > width || relates != related) {
        next = {Halving::Kind::Variable, i, half == Half::Hi};
        width = w;
        related = relates;
      }
    }
    return next;
  };
  Bounds bounds = start;
  const bool is_left = !bounds.empty() && bounds.deny(variable, half);
  charge(bounds.steps() - start.steps());
  if (!is_left) return {Answer::None, {}};
  std::vector<std::int64_t> point;
  // Propagation gives up after some rounds, so the coordinates of a single point are computed.
  const auto is_wanted = [&](const IntervalBox& box) {
    point.clear();
    for (Relations::Variable i = 0; i < system.loops(); ++i) point.push_back(box[i].lo);
    const auto indices = system.at(point);
    if (!indices) return false;
    for (Relations::Variable i = 0; i < indices->size(); ++i) {
      if (!bounds[i].contains((*indices)[i])) return false;
    }
    return true;
  };
  const Answer answer = search(bounds, pick, is_wanted, charge);
  if (answer != Answer::Found) point.clear();
  return {answer, std::move(point)};
}

}  // namespace selvage
