#include <selvage/index/hole_search.h>

#include <algorithm>

namespace selvage {

namespace {

class BranchAndPrune {
 public:
  BranchAndPrune(const HoleSystem& system, const Bounds& wanted, std::size_t variable, Half half,
                 std::uint64_t& budget)
      : system_(system),
        wanted_(wanted),
        component_(system.component(variable)),
        high_first_(half == Half::Hi),
        budget_(budget) {}

  // False: gave up.
  bool search(const Bounds& bounds) {
    // The widest loop is halved, those that the broken bound depends on first; where all are fixed,
    // everything is.
    std::size_t widest = system_.loops();
    std::uint64_t width = 0;
    bool related = false;
    for (std::size_t i = 0; i < system_.loops(); ++i) {
      const Interval r = bounds[i];
      const std::uint64_t w = std::uint64_t(r.hi) - std::uint64_t(r.lo);
      const bool relates = system_.component(i) == component_;
      if (w == 0 || (related && !relates)) continue;
      if (w > width || relates != related) width = w, widest = i, related = relates;
    }
    if (widest == system_.loops()) {
      std::vector<std::int64_t> point;
      for (std::size_t i = 0; i < system_.loops(); ++i) point.push_back(bounds[i].lo);
      // Propagation gives up after some rounds: what is left of one point is computed.
      if (is_wanted(point)) point_ = std::move(point);
      return true;
    }
    const Interval range = bounds[widest];
    // Ends first: that is where bounds break. One value at the near end, then the rest.
    const std::int64_t middle = range.lo + std::int64_t(width / 2);
    const Interval halves[2] = {{range.lo, middle}, {middle + 1, range.hi}};
    for (int k = 0; k < 2; ++k) {
      const Interval part = halves[high_first_ ? 1 - k : k];
      Bounds next = bounds;
      const std::uint64_t before = Bounds::steps;
      const bool alive = next.narrow(widest, part.lo, part.hi);
      const std::uint64_t spent = Bounds::steps - before + 1 + system_.size() / 16;  // and the copy
      if (spent >= budget_) {
        budget_ = 0;
        return false;
      }
      budget_ -= spent;
      if (!alive) continue;
      if (!search(next)) return false;
      if (!point_.empty()) return true;
    }
    return true;
  }

  std::vector<std::int64_t> take() { return std::move(point_); }

 private:
  bool is_wanted(const std::vector<std::int64_t>& point) const {
    const auto indices = system_.at(point);
    if (!indices) return false;
    for (std::size_t i = 0; i < indices->size(); ++i) {
      if (!wanted_[i].contains((*indices)[i])) return false;
    }
    return true;
  }

  const HoleSystem& system_;
  const Bounds& wanted_;  // every index of a point looked for lies within these
  std::uint32_t component_;
  bool high_first_;
  std::uint64_t& budget_;
  std::vector<std::int64_t> point_;
};

}  // namespace

SearchResult find_violation(const HoleSystem& system, const Bounds& start, std::size_t variable,
                            Half half, std::uint64_t& budget) {
  using Answer = SearchResult::Answer;
  if (budget == 0) return {Answer::GaveUp, {}};
  Bounds bounds = start;
  const std::uint64_t before = Bounds::steps;
  const bool alive = !bounds.empty() && bounds.deny(variable, half);
  budget -= std::min(budget, Bounds::steps - before + system.size() / 16);
  if (!alive) return {Answer::None, {}};
  BranchAndPrune search(system, bounds, variable, half, budget);
  if (!search.search(bounds)) return {Answer::GaveUp, {}};
  std::vector<std::int64_t> point = search.take();
  if (point.empty()) return {Answer::None, {}};
  return {Answer::Found, std::move(point)};
}

}  // namespace selvage
