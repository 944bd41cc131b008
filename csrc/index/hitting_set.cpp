#include <selvage/index/hitting_set.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kOneMember = 1'000'000'000;  // outweighs any sum of weights

class Search {
 public:
  Search(std::span<const Members> sets, std::span<const std::int64_t> weights,
         std::uint64_t& budget)
      : sets_(sets), budget_(budget), chosen_(weights.size(), 0), banned_(weights.size(), 0) {
    for (const Members& set : sets) total_ += set.size();
    for (std::int64_t w : weights) cost_.push_back(kOneMember + std::min<std::int64_t>(w, 100'000));
  }

  HittingSet run() {
    greedy();
    std::fill(chosen_.begin(), chosen_.end(), 0);
    branch(0);
    return {best_, exact_};
  }

 private:
  bool hit(const Members& set) const {
    return std::any_of(set.begin(), set.end(), [&](std::uint32_t m) { return chosen_[m] != 0; });
  }

  void record(std::int64_t cost) {
    best_cost_ = cost;
    best_.clear();
    for (std::uint32_t m = 0; m < chosen_.size(); ++m) {
      if (chosen_[m]) best_.push_back(m);
    }
  }

  // A first answer: takes the member that meets most of the sets that are left, again and again.
  void greedy() {
    std::int64_t cost = 0;
    for (;;) {
      std::vector<int> gain(chosen_.size(), 0);
      for (const Members& set : sets_) {
        if (hit(set)) continue;
        for (std::uint32_t m : set) ++gain[m];
      }
      std::size_t best = 0;
      for (std::size_t m = 0; m < gain.size(); ++m) {
        if (gain[m] > gain[best] || (gain[m] == gain[best] && cost_[m] < cost_[best])) best = m;
      }
      if (gain.empty() || gain[best] == 0) break;
      chosen_[best] = 1;
      cost += cost_[best];
    }
    record(cost);
  }

  // Disjoint sets that are not met yet each cost at least their lightest member.
  std::int64_t lower_bound() const {
    std::vector<char> used(chosen_.size(), 0);
    std::int64_t bound = 0;
    for (const Members& set : sets_) {
      if (hit(set)) continue;
      bool disjoint = true;
      std::int64_t lightest = INT64_MAX;
      for (std::uint32_t m : set) {
        disjoint = disjoint && !used[m];
        if (!banned_[m]) lightest = std::min(lightest, cost_[m]);
      }
      if (lightest == INT64_MAX) return INT64_MAX;
      if (!disjoint) continue;
      for (std::uint32_t m : set) used[m] = 1;
      bound += lightest;
    }
    return bound;
  }

  void branch(std::int64_t cost) {
    const std::uint64_t looked_at = 3 * total_;
    if (looked_at >= budget_) {
      budget_ = 0;
      exact_ = false;
      return;
    }
    budget_ -= looked_at;
    const std::int64_t bound = lower_bound();
    if (bound == INT64_MAX || cost + bound >= best_cost_) return;
    const Members* smallest = nullptr;
    std::size_t fewest = SIZE_MAX;
    for (const Members& set : sets_) {
      if (hit(set)) continue;
      const auto open = std::size_t(
          std::count_if(set.begin(), set.end(), [&](std::uint32_t m) { return !banned_[m]; }));
      if (open < fewest) fewest = open, smallest = &set;
      if (fewest == 1) break;
    }
    if (smallest == nullptr) return record(cost);
    Members order;
    for (std::uint32_t m : *smallest) {
      if (!banned_[m]) order.push_back(m);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return cost_[a] < cost_[b]; });
    for (std::uint32_t m : order) {
      chosen_[m] = 1;
      branch(cost + cost_[m]);
      chosen_[m] = 0;
      banned_[m] = 1;  // every answer with m has been looked at
    }
    for (std::uint32_t m : order) banned_[m] = 0;
  }

  std::span<const Members> sets_;
  std::uint64_t& budget_;
  std::vector<std::int64_t> cost_;
  std::vector<char> chosen_, banned_;
  Members best_;
  std::int64_t best_cost_ = INT64_MAX;
  std::uint64_t total_ = 1;  // members of all sets together
  bool exact_ = true;
};

}  // namespace

HittingSet minimum_hitting_set(std::span<const Members> sets, std::span<const std::int64_t> weights,
                               std::uint64_t& budget) {
  // Drops each set that contains another one: a member that meets the other meets both.
  std::vector<Members> minimal(sets.begin(), sets.end());
  std::sort(minimal.begin(), minimal.end(), [](const Members& a, const Members& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  minimal.erase(std::unique(minimal.begin(), minimal.end()), minimal.end());
  std::vector<Members> kept;
  for (Members& set : minimal) {
    const bool holds_another = std::any_of(kept.begin(), kept.end(), [&](const Members& k) {
      return std::includes(set.begin(), set.end(), k.begin(), k.end());
    });
    if (!holds_another) kept.push_back(std::move(set));
  }
  return Search(kept, weights, budget).run();
}

}  // namespace selvage
