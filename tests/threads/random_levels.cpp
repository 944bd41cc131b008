#include "tests/threads/random_terms.h"
#include "tests/threads/random_threads.h"

namespace selvage::thread_oracle {

namespace {

class LevelDraws {
 public:
  LevelDraws(Draws& draws, Terms& terms) : draws_(draws), terms_(terms) {}

  std::vector<Level> draw() {
    switch (draws_.between(0, 15)) {
      case 0:
      case 1: return {level("", {n(1, 40)})};
      case 2: return {level("", {n(1, 6), n(1, 7)})};
      case 3: return {level("", {n(1, 4), n(1, 4), n(1, 4)})};
      case 4:
      case 5: return {level("", {n(1, 4)}), level("", {n(1, 40)})};
      case 6: return {level("", {n(1, 3), n(1, 2)}), level("", {n(1, 5), n(1, 6)})};
      case 7: return {level("", {n(1, 3)}), level("", {n(1, 6)}), level("", {n(1, 7)})};
      case 8:
        return {level("", {n(1, 3)}), level("", {n(1, 3)}), level("", {n(1, 4)}),
                level("", {n(1, 4)})};
      case 9: return {level("block", {n(1, 2)}), level("warp", {n(1, 3)}), level("thread", {32})};
      case 10: return {level("warp", {n(1, 3)})};
      case 11:
        if (draws_.one_in(2)) return {level("warpgroup", {n(1, 2)})};
        return {level("warpgroup", {n(1, 2)}), level("warp", {4}), level("", {32})};
      case 12:
        return {level("block", {n(1, 2)}), level("cluster", {n(1, 3)}), level("thread", {n(2, 9)})};
      case 13: return {level("block", {n(1, 3)}), level("thread", {n(1, 24)})};
      case 14:
        if (draws_.one_in(6)) return {level("", {32, 32})};
        return {level("thread", {n(1, 3), n(2, 20)})};
      default:
        return {level("device", {2}), level("block", {n(1, 2)}), level("thread", {n(1, 12)})};
    }
  }

  Level level(std::string kind, const std::vector<std::int64_t>& extents) {
    Level level{.kind = std::move(kind), .indices = {}};
    for (std::int64_t extent : extents) {
      level.indices.push_back(terms_.new_variable("p", Variable::Kind::Parallel, extent));
    }
    return level;
  }

 private:
  std::int64_t n(std::int64_t least, std::int64_t most) { return draws_.between(least, most); }
  Draws& draws_;
  Terms& terms_;
};

}  // namespace

std::vector<std::vector<Level>> random_levels(Draws& draws, Terms& terms) {
  const std::vector<Level> all = LevelDraws(draws, terms).draw();
  std::vector<std::vector<Level>> groups;
  const bool is_cut = draws.one_in(2);
  for (const Level& level : all) {
    if (groups.empty() || (is_cut && draws.one_in(2))) groups.emplace_back();
    groups.back().push_back(level);
  }
  return groups;
}

}  // namespace selvage::thread_oracle
