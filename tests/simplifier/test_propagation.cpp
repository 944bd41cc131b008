// Random relations between a few variables, against all their points.
#include <selvage/base/integer.h>
#include <selvage/base/points.h>
#include <selvage/simplifier/propagation.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/support/counts.h"

namespace selvage {
namespace {

using Values = std::vector<std::int64_t>;
using Part = Relations::Part;

class RandomRelations {
 public:
  explicit RandomRelations(std::uint64_t seed) : random_(seed) {
    const std::size_t variables = 2 + std::size_t(below(3));
    for (std::size_t v = 0; v < variables; ++v) {
      lo_.push_back(below(14) - 7);
      extents_.push_back(1 + below(v == 0 ? 12 : 9));
      relations.add_variable({lo_[v], lo_[v] + extents_[v] - 1});
    }
    for (std::int64_t n = 1 + below(4); n > 0; --n) add();
    for_each_point(extents_, [&](const auto& at) {
      Values point;
      for (std::size_t v = 0; v < lo_.size(); ++v) point.push_back(lo_[v] + at[v]);
      if (std::all_of(holds_.begin(), holds_.end(), [&](const auto& h) { return h(point); })) {
        points.push_back(point);
      }
      return true;
    });
  }

  Relations relations;
  std::vector<Values> points;  // at which all hold

 private:
  std::int64_t below(std::int64_t n) { return std::int64_t(random_() % std::uint64_t(n)); }
  Relations::Variable variable() { return Relations::Variable(below(std::int64_t(lo_.size()))); }

  void add() {
    std::vector<Part> parts;
    for (Relations::Variable v = 0; v < lo_.size(); ++v) {
      if (below(3) != 0) parts.push_back({v, below(2) == 0 ? 1 : below(11) - 5});
    }
    const std::int64_t constant = below(9) - 4, d = 1 + below(6);
    const Relations::Variable result = variable();
    const auto sum = [parts, constant](const Values& at) {
      std::int64_t total = constant;
      for (const Part& p : parts) total += p.coefficient * at[p.variable];
      return total;
    };
    switch (below(5)) {
      case 0: {
        const Interval range{below(10) - 5, Interval::kInfinity};
        relations.add_sum(parts, constant, range);
        holds_.push_back([=](const Values& at) { return range.contains(sum(at)); });
        return;
      }
      case 1:
        relations.add_sum(parts, constant, Interval::point(0));
        holds_.push_back([=](const Values& at) { return sum(at) == 0; });
        return;
      case 2:
        relations.add_quotient(result, parts, constant, d);
        holds_.push_back([=](const Values& at) { return at[result] == euclid_div(sum(at), d); });
        return;
      case 3:
        relations.add_remainder(result, parts, constant, d);
        holds_.push_back([=](const Values& at) { return at[result] == euclid_mod(sum(at), d); });
        return;
      default: {
        const Relations::Variable rows = variable(), v = variable();
        relations.add_xor(result, rows, v);
        holds_.push_back([=](const Values& at) { return at[result] == (at[rows] ^ at[v]); });
      }
    }
  }

  std::mt19937_64 random_;
  Values lo_, extents_;
  std::vector<std::function<bool(const Values&)>> holds_;
};

bool lies_in(const IntervalBox& box, const Values& point) {
  for (Relations::Variable v = 0; v < point.size(); ++v) {
    if (!box[v].contains(point[v])) return false;
  }
  return true;
}

TEST(Propagation, LosesNoPoint) {
  std::size_t narrowed = 0;
  for (int k = 0; k < count(3'000, 60'000); ++k) {
    const RandomRelations random{std::uint64_t(k)};
    IntervalBox box(random.relations);
    const IntervalBox before = box;
    const bool is_left = box.propagate();
    ASSERT_EQ(is_left, !box.empty());
    for (const Values& point : random.points) {
      ASSERT_TRUE(is_left) << k;
      ASSERT_TRUE(lies_in(box, point)) << k;
    }
    for (Relations::Variable v = 0; v < random.relations.variables(); ++v) {
      if (!(box[v] == before[v])) ++narrowed;
    }
  }
  EXPECT_GT(narrowed, 100u);
}

TEST(Propagation, LosesNoPointOfAHalfThatIsLookedInto) {
  for (int k = 0; k < count(1'500, 30'000); ++k) {
    const RandomRelations random{20'000 + std::uint64_t(k)};
    IntervalBox box(random.relations);
    if (!box.propagate()) continue;
    for (Relations::Variable v = 0; v < random.relations.variables(); ++v) {
      IntervalBox half = box;
      const std::int64_t most = (box[v].lo + box[v].hi) / 2;
      const bool is_left = half.narrow(v, Interval::kMinusInfinity, most);
      for (const Values& point : random.points) {
        if (point[v] > most) continue;
        ASSERT_TRUE(is_left && lies_in(half, point)) << k;
      }
    }
  }
}

// With every variable halved down to a point the search is exact.
TEST(Propagation, ASearchFindsAPointJustWhereThereIsOne) {
  std::size_t with = 0, without = 0;
  for (int k = 0; k < count(1'500, 30'000); ++k) {
    const RandomRelations random{90'000 + std::uint64_t(k)};
    const auto pick = [&](const IntervalBox& box) -> Halving {
      for (Relations::Variable v = 0; v < random.relations.variables(); ++v) {
        if (!box[v].is_point()) return {Halving::Kind::Variable, v, k % 2 == 0};
      }
      return {Halving::Kind::Fixed};
    };
    const auto is_wanted = [&](const IntervalBox& box) {
      return std::any_of(random.points.begin(), random.points.end(),
                         [&](const Values& point) { return lies_in(box, point); });
    };
    IntervalBox box(random.relations);
    const bool is_left = box.propagate();
    std::uint64_t steps = 0;
    const auto charge = [&](std::uint64_t more) {
      steps += more;
      return true;
    };
    const Answer answer = is_left ? search(box, pick, is_wanted, charge) : Answer::None;
    ASSERT_EQ(answer, random.points.empty() ? Answer::None : Answer::Found) << k;
    ++(random.points.empty() ? without : with);
    const auto refuse = [](std::uint64_t) { return false; };
    if (is_left && pick(box).kind == Halving::Kind::Variable) {
      EXPECT_EQ(search(box, pick, is_wanted, refuse), Answer::GaveUp);
    }
  }
  EXPECT_GT(with, 10u);
  EXPECT_GT(without, 10u);
}

}  // namespace
}  // namespace selvage
