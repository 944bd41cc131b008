#include <selvage/index/hole_search.h>

namespace selvage {

namespace {

class BranchAndPrune {
 public:
  BranchAndPrune(const HoleSystem& system, Half half, std::uint64_t& budget)
      : system_(system), high_first_(half == Half::Hi), budget_(budget) {}

  // False: gave up.
  bool search(const Bounds& bounds) {
    // The widest loop is halved; where all are fixed, everything is.
    std::size_t widest = system_.loops();
    std::uint64_t width = 0;
    for (std::size_t i = 0; i < system_.loops(); ++i) {
      const Interval r = bounds[i];
      const std::uint64_t w = std::uint64_t(r.hi) - std::uint64_t(r.lo);
      if (w > width) width = w, widest = i;
    }
    if (widest == system_.loops()) {
      for (std::size_t i = 0; i < system_.loops(); ++i) point_.push_back(bounds[i].lo);
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
      const std::uint64_t spent = Bounds::steps - before + 1;
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
  const HoleSystem& system_;
  bool high_first_;
  std::uint64_t& budget_;
  std::vector<std::int64_t> point_;
};

}  // namespace

SearchResult find_violation(const HoleSystem& system, const Bounds& start, std::size_t variable,
                            Half half, std::uint64_t& budget) {
  using Answer = SearchResult::Answer;
  Bounds bounds = start;
  if (bounds.empty() || !bounds.deny(variable, half)) return {Answer::None, {}};
  BranchAndPrune search(system, half, budget);
  if (!search.search(bounds)) return {Answer::GaveUp, {}};
  std::vector<std::int64_t> point = search.take();
  if (point.empty()) return {Answer::None, {}};
  // Propagation stops after some rounds, so a point found is checked by computing it.
  const auto all = system.at(point);
  if (!all) return {Answer::GaveUp, {}};
  return {Answer::Found, std::move(point)};
}

}  // namespace selvage
