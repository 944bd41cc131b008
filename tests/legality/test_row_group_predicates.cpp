// Groups of rows against brute force: at every loop point, whatever the offsets are, the row, the
// item and the position are right and the checks let through what is valid; and there is no check
// but on the group and on the position in it.
#include <selvage/base/diagnostic.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ragged.h>
#include <selvage/legality/analysis.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "tests/support/counts.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

std::int64_t tiles_of(std::int64_t n, std::int64_t size) { return (n + size - 1) / size; }

// How the row and the positions of a group are cut, each as split or, `outer`, as outer split; and
// how many positions in front of its items and behind them a row has.
struct GroupCut {
  std::int64_t height, width;
  bool is_outer, is_outer_position;
  std::int64_t left, right;

  std::string text() const {
    return "height " + std::to_string(height) + (is_outer ? " outer" : "") + ", width " +
           std::to_string(width) + (is_outer_position ? " outer" : "") + ", left " +
           std::to_string(left) + ", right " + std::to_string(right);
  }
};

class GroupJudge {
 public:
  explicit GroupJudge(const GroupCut& cut) : cut_(cut), schedule_(make()) {
    analysis_.emplace(analyze_loops(f_, *schedule_, y_.id()));
    inputs_ = analysis_->variables;
    const DomainGraph& graph = schedule_->graph();
    const RaggedRows &rows = graph[rows_], &groups = graph[graph[path_].ragged->rows];
    inputs_.insert(inputs_.end(),
                   {rows.row, rows.begin, rows.end, groups.begin, groups.end, B_, rows.items});
    const auto at = [&](DomainId d) { return (*analysis_->coordinates)[d]; };
    const DomainId logical = f_[y_.id()].logical[0];
    roots_ = {at(row_), at(item_), at(logical), graph[path_].extent};
    for (const KeptPredicate& kept : plan().kept) roots_.push_back(kept.condition);
    tape_.emplace(roots_, inputs_);
    needed_.assign(plan().kept.size(), false);
  }

  const PredicatePlan& plan() const { return analysis_->predicates; }
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    for (const KeptPredicate& k : plan().kept) names.push_back(schedule_->graph()[k.domain].name);
    std::ranges::sort(names);
    return names;
  }
  bool needs_each() const { return std::ranges::find(needed_, false) == needed_.end(); }

  // Looks at all points of loops. Empty: all is well.
  std::string disagreement(const std::vector<std::int64_t>& offsets) {
    const auto n = std::int64_t(offsets.size()) - 1, added = cut_.left + cut_.right;
    const std::int64_t height = cut_.is_outer ? tiles_of(n, cut_.height) : cut_.height;
    const std::int64_t groups = cut_.is_outer ? cut_.height : tiles_of(n, height);
    const auto first = [&](std::int64_t row) {
      const std::int64_t k = std::min(row, n);
      return offsets[std::size_t(k)] + added * k;
    };
    // One group more than there are, as loops of launches may run further.
    for (std::int64_t g = 0; g <= groups; ++g) {
      const bool is_group = g < groups && g * height < n;
      const std::int64_t begin = is_group ? first(g * height) : 0;
      const std::int64_t extent = is_group ? first(g * height + height) - begin : 0;
      const std::int64_t outer = cut_.is_outer_position ? cut_.width : tiles_of(extent, cut_.width);
      const std::int64_t inner = cut_.is_outer_position ? tiles_of(extent, cut_.width) : cut_.width;
      for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t i = 0; i < inner; ++i) {
          const std::int64_t x = o * inner + i;
          // Brute force: the row of the group that has the position.
          std::optional<std::pair<std::int64_t, std::int64_t>> found;
          for (std::int64_t r = g * height; is_group && r < std::min(g * height + height, n); ++r) {
            if (first(r) <= begin + x && begin + x < first(r + 1))
              found = {r, begin + x - first(r) - cut_.left};
          }
          if (found) {
            const std::int64_t length =
                offsets[std::size_t(found->first) + 1] - offsets[std::size_t(found->first)];
            if (found->second < 0 || found->second >= length) found.reset();
          }
          const std::string wrong = disagreement_at({g, o, i}, found, x, extent, begin, offsets);
          if (!wrong.empty()) {
            return wrong + " at group " + std::to_string(g) + ", position " + std::to_string(x);
          }
        }
      }
    }
    return {};
  }

 private:
  using Item = std::optional<std::pair<std::int64_t, std::int64_t>>;

  Schedule make() {
    B_ = f_.extent("B");
    rows_ = add_rows(f_.input("off", {B_ + 1}, DataType::Int64));
    const Tensor x = ragged_input(f_, "x", rows_, {}, DataType::Float);
    const Expr b = f_.fresh_index("b"), j = f_.fresh_index("j");
    y_ = f_.output("y", compute_ragged(f_, "", rows_, {b, j}, {}, item(x, rows_, {b, j})));
    Schedule s(f_);
    const auto loops = s.loops(y_);
    row_ = loops[0].domain, item_ = loops[1].domain;
    const auto [group, row] = s.split(
        loops[0], cut_.height, {.outer = "group", .inner = "row", .inner_split = !cut_.is_outer});
    ScheduledLoop items = loops[1];
    if (cut_.left != 0 || cut_.right != 0) {
      items = s.resize(items, f_.constant(cut_.left), f_.constant(cut_.right), "e");
    }
    const ScheduledLoop path = s.merge(row, items, "p");
    path_ = path.domain;
    s.split(path, cut_.width, {.inner_split = !cut_.is_outer_position});
    return s;
  }

  // The symbols as a kernel reads them, and what the brute force says.
  std::string disagreement_at(const std::vector<std::int64_t>& point, const Item& found,
                              std::int64_t x, std::int64_t extent, std::int64_t begin,
                              const std::vector<std::int64_t>& offsets) {
    const auto n = std::int64_t(offsets.size()) - 1, added = cut_.left + cut_.right;
    const std::int64_t height = cut_.is_outer ? tiles_of(n, cut_.height) : cut_.height;
    const auto a_row = [&](std::int64_t r) { return std::clamp<std::int64_t>(r, 0, n - 1); };
    std::int64_t row = a_row(point[0] * height);
    for (std::int64_t k = row + 1; k <= a_row(point[0] * height + height - 1); ++k) {
      if (offsets[std::size_t(k)] + added * k <= begin + x) row = k;
    }
    std::vector<std::int64_t> values = point;
    values.insert(values.end(), {row, offsets[std::size_t(row)], offsets[std::size_t(row) + 1],
                                 begin, begin + extent, n, offsets.back()});
    if (!tape_->evaluate(values)) return "a coordinate overflows";
    if (tape_->root(3) != extent) return "the extent of the group is wrong";
    std::size_t failing = 0, which = 0;
    for (std::size_t k = 0; k < needed_.size(); ++k) {
      if (tape_->root(4 + k) == 0) ++failing, which = k;
    }
    if (failing == 1) needed_[which] = true;
    if ((failing == 0) != found.has_value()) {
      return found ? "a valid point does not pass" : "a hole passes";
    }
    if (!found) return {};
    if (tape_->root(0) != found->first) return "the row is wrong";
    if (tape_->root(1) != found->second) return "the item is wrong";
    const std::int64_t position = offsets[std::size_t(found->first)] + found->second;
    return tape_->root(2) == position ? "" : "the position is wrong";
  }

  GroupCut cut_;
  Fusion f_;
  Expr B_;
  RowsId rows_{};
  Tensor y_;
  DomainId row_{}, item_{}, path_{};
  std::optional<Schedule> schedule_;
  std::optional<TensorAnalysis> analysis_;
  std::vector<Expr> inputs_, roots_;
  std::optional<Tape> tape_;
  std::vector<bool> needed_;  // by kept check: seen to fail alone
};

TEST(RowGroupPredicates, AreRightAtEveryPointAndCheckTheGroupAndThePosition) {
  std::mt19937_64 rng(7);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(rng);
  };
  for (int k = 0; k < count(40, 400) && !testing::Test::HasFailure(); ++k) {
    const bool is_resized = k % 3 == 0;
    const GroupCut cut{draw(1, 5),
                       draw(1, 5),
                       draw(0, 3) == 0,
                       draw(0, 3) == 0,
                       is_resized ? draw(0, 1) : 0,
                       is_resized ? draw(0, 2) : 0};
    SCOPED_TRACE(cut.text());
    GroupJudge judge(cut);
    for (int list = 0; list < count(30, 100) && !testing::Test::HasFailure(); ++list) {
      std::vector<std::int64_t> offsets = {0};
      for (std::int64_t r = draw(1, 12); r > 0; --r) {
        offsets.push_back(offsets.back() + (draw(0, 1) == 0 ? 0 : draw(0, 5)));
      }
      EXPECT_EQ(judge.disagreement(offsets), "") << testing::PrintToString(offsets);
    }
    std::vector<std::string> checked = judge.kept();
    if (cut.left == 0 && cut.right == 0) {
      std::erase(checked, "group");
      EXPECT_THAT(checked, testing::IsSubsetOf({"p"}));
      EXPECT_EQ(checked.empty(), cut.width == 1);
    }
    EXPECT_TRUE(judge.needs_each()) << testing::PrintToString(judge.kept());
  }
}

}  // namespace
}  // namespace selvage
