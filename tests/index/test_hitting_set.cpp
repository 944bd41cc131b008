// The lightest hitting set against all subsets.
#include <selvage/index/hitting_set.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

struct Instance {
  std::vector<Members> sets;
  std::vector<std::int64_t> weights;
};

std::uint32_t bits(const Members& members) {
  std::uint32_t mask = 0;
  for (std::uint32_t m : members) mask |= 1u << m;
  return mask;
}

bool meets_all(const Instance& instance, std::uint32_t mask) {
  return std::all_of(instance.sets.begin(), instance.sets.end(),
                     [&](const Members& set) { return (bits(set) & mask) != 0; });
}

// (number of members, sum of weights): what is smaller is better.
std::pair<int, std::int64_t> cost(const Instance& instance, std::uint32_t mask) {
  std::int64_t weight = 0;
  for (std::size_t m = 0; m < instance.weights.size(); ++m) {
    if (mask >> m & 1) weight += instance.weights[m];
  }
  return {std::popcount(mask), weight};
}

std::pair<int, std::int64_t> least_cost(const Instance& instance) {
  std::pair<int, std::int64_t> best = {INT32_MAX, 0};
  for (std::uint32_t mask = 0; mask < 1u << instance.weights.size(); ++mask) {
    if (meets_all(instance, mask)) best = std::min(best, cost(instance, mask));
  }
  return best;
}

Instance random_instance(std::mt19937_64& rng) {
  Instance instance;
  const std::int64_t candidates = oracle::draw(rng, 1, 9);
  for (std::int64_t m = 0; m < candidates; ++m) {
    instance.weights.push_back(oracle::draw(rng, 1, 6));
  }
  const std::int64_t densest = oracle::draw(rng, 1, 4);
  for (std::int64_t k = oracle::draw(rng, 0, 12); k > 0; --k) {
    Members set;
    for (std::uint32_t m = 0; m < candidates; ++m) {
      if (oracle::draw(rng, 0, densest) == 0) set.push_back(m);
    }
    if (!set.empty()) instance.sets.push_back(set);
  }
  return instance;
}

HittingSet lightest(const std::vector<Members>& sets, const std::vector<std::int64_t>& weights) {
  std::uint64_t budget = 10'000'000;
  return minimum_hitting_set(sets, weights, budget);
}

TEST(HittingSet, IsTheFewestAndThenTheLightestOfAllSubsets) {
  std::mt19937_64 rng(5);
  for (int k = 0; k < count(2'000, 50'000); ++k) {
    const Instance instance = random_instance(rng);
    const HittingSet found = lightest(instance.sets, instance.weights);
    EXPECT_TRUE(found.exact);
    EXPECT_TRUE(std::is_sorted(found.members.begin(), found.members.end()));
    ASSERT_TRUE(meets_all(instance, bits(found.members)));
    ASSERT_EQ(cost(instance, bits(found.members)), least_cost(instance)) << "instance " << k;
  }
}

TEST(HittingSet, OfNothingIsEmpty) {
  const std::vector<std::int64_t> weights = {1, 1};
  EXPECT_TRUE(lightest({}, weights).members.empty());
  EXPECT_TRUE(lightest({}, {}).exact);
}

// One member may cost more than two others: fewest comes first.
TEST(HittingSet, PrefersFewMembersToLightOnes) {
  const std::vector<Members> sets = {{0, 1}, {0, 2}};
  const std::vector<std::int64_t> weights = {90'000, 1, 1};
  EXPECT_EQ(lightest(sets, weights).members, (Members{0}));
}

TEST(HittingSet, BreaksTiesByWeight) {
  const std::vector<Members> sets = {{0, 1, 2}};
  const std::vector<std::int64_t> weights = {7, 3, 5};
  EXPECT_EQ(lightest(sets, weights).members, (Members{1}));
}

// Past its budget it makes no claim, and what it gives still meets every set.
TEST(HittingSet, PastItsBudgetStillMeetsEverySet) {
  std::mt19937_64 rng(6);
  std::vector<Members> sets;
  const std::vector<std::int64_t> weights(120, 1);
  for (int k = 0; k < 400; ++k) {
    Members set;
    while (set.size() < 4) {
      const auto m = std::uint32_t(oracle::draw(rng, 0, 119));
      if (std::find(set.begin(), set.end(), m) == set.end()) set.push_back(m);
    }
    std::sort(set.begin(), set.end());
    sets.push_back(set);
  }
  std::uint64_t budget = 200'000;
  const HittingSet found = minimum_hitting_set(sets, weights, budget);
  EXPECT_EQ(budget, 0u);
  EXPECT_FALSE(found.exact);
  for (const Members& set : sets) {
    EXPECT_TRUE(std::any_of(set.begin(), set.end(), [&](std::uint32_t m) {
      return std::binary_search(found.members.begin(), found.members.end(), m);
    }));
  }
}

}  // namespace
}  // namespace selvage
