#include <selvage/base/points.h>
#include <selvage/pictures/drawn_access.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kMostTried = 1 << 10;  // points of the loops that are not threads
constexpr std::int64_t kMostBytes = 16;

class Accesses {
 public:
  Accesses(const Schedule& schedule, const TensorAnalysis& analysis, PointStates& states, int bytes)
      : states_(states), threads_(schedule, analysis), element_(bytes) {
    for (std::size_t k = 0; k < analysis.loops.size(); ++k) {
      const ParallelType p = schedule.parallel(analysis.tensor, analysis.loops[k]);
      is_bound_ = is_bound_ || is_thread(p);
      if (p == ParallelType::Vectorize) {
        vector_ = k;
        lanes_ = states.extents()[k];
      } else if (!is_thread(p)) {
        others_.push_back(k);
      }
    }
  }

  std::optional<DrawnAccess> first() {
    const auto bytes = checked_mul(lanes_, element_);
    if (!is_bound_ || !bytes || *bytes > kMostBytes) return std::nullopt;
    DrawnAccess access;
    access.bytes = int(*bytes);
    access.phases = int(kWarp / phase_threads(access.bytes));
    std::vector<std::int64_t> extents, point(states_.extents().size(), 0);
    for (std::size_t loop : others_) extents.push_back(states_.extents()[loop]);
    bool is_found = false;
    int tried = 0;
    for_each_point(extents, [&](const auto& others) {
      for (std::size_t i = 0; i < others.size(); ++i) point[others_[i]] = others[i];
      is_found = add(point, access);
      return !is_found && ++tried < kMostTried;
    });
    return is_found ? std::optional(std::move(access)) : std::nullopt;
  }

 private:
  // Whether any thread accesses at all.
  bool add(std::vector<std::int64_t>& point, DrawnAccess& access) {
    bool is_any = false;
    for (std::int64_t thread = 0; thread < kWarp / access.phases; ++thread) {
      if (!threads_.put(thread, point)) break;
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        if (vector_) point[*vector_] = lane;
        const auto state = states_.at(point);
        if (!state || state->kind == PointState::Kind::Hole) continue;
        const auto begin = checked_mul(states_.address(), element_);
        if (!begin || *begin < 0) continue;
        is_any = true;
        const std::int64_t last = saturating_last(*begin);
        for (std::int64_t word = *begin / kWordBytes; word <= last; ++word) {
          put(word, thread, access);
        }
      }
    }
    if (vector_) point[*vector_] = 0;
    threads_.put(0, point);
    return is_any;
  }
  std::int64_t saturating_last(std::int64_t begin) const {
    return checked_add(begin, element_ - 1).value_or(begin) / kWordBytes;
  }
  static void put(std::int64_t number, std::int64_t thread, DrawnAccess& access) {
    std::vector<DrawnAccess::Word>& bank = access.banks[std::size_t(number % kBanks)];
    auto word = std::find_if(bank.begin(), bank.end(),
                             [&](const DrawnAccess::Word& w) { return w.number == number; });
    if (word == bank.end()) word = bank.insert(bank.end(), DrawnAccess::Word{number, {}});
    if (word->threads.empty() || word->threads.back() != thread) word->threads.push_back(thread);
  }

  PointStates& states_;
  ThreadNumbers threads_;
  std::int64_t element_;
  bool is_bound_ = false;
  std::optional<std::size_t> vector_;
  std::int64_t lanes_ = 1;
  std::vector<std::size_t> others_;  // loops that are neither threads nor lanes
};

}  // namespace

std::size_t DrawnAccess::ways() const {
  std::size_t most = 0;
  for (const auto& bank : banks) most = std::max(most, bank.size());
  return most;
}

std::optional<DrawnAccess> first_access(const Schedule& schedule, const TensorAnalysis& analysis,
                                        PointStates& states, int element_bytes) {
  return Accesses(schedule, analysis, states, element_bytes).first();
}

}  // namespace selvage
