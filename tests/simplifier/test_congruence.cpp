#include <selvage/base/integer.h>
#include <selvage/simplifier/congruence.h>

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <ostream>
#include <vector>

namespace selvage {

void PrintTo(const Congruence& c, std::ostream* out) { *out << c.residue << " mod " << c.modulus; }

namespace {

std::vector<Congruence> small_congruences() {
  std::vector<Congruence> all;
  for (std::int64_t v = -3; v <= 3; ++v) all.push_back(Congruence::point(v));
  for (std::int64_t m = 1; m <= 6; ++m) {
    for (std::int64_t r = 0; r < m; ++r) all.push_back({m, r});
  }
  return all;
}

std::vector<std::int64_t> members(Congruence c, std::int64_t reach = 40) {
  std::vector<std::int64_t> all;
  for (std::int64_t v = -reach; v <= reach; ++v) {
    if (c.contains(v)) all.push_back(v);
  }
  return all;
}

// The smallest congruence that holds all values.
Congruence smallest(const std::vector<std::int64_t>& values) {
  std::int64_t g = 0;
  for (const std::int64_t v : values) g = std::gcd(g, v - values.front());
  return g == 0 ? Congruence::point(values.front()) : Congruence{g, *euclid_mod(values.front(), g)};
}

TEST(Congruence, SumsDifferencesAndProductsAreTheSmallestThatHoldAllValues) {
  for (const Congruence x : small_congruences()) {
    for (const Congruence y : small_congruences()) {
      std::vector<std::int64_t> sums, differences, products;
      for (const std::int64_t a : members(x)) {
        for (const std::int64_t b : members(y)) {
          sums.push_back(a + b);
          differences.push_back(a - b);
          products.push_back(a * b);
        }
      }
      ASSERT_EQ(x + y, smallest(sums));
      ASSERT_EQ(x - y, smallest(differences));
      ASSERT_EQ(x * y, smallest(products));
    }
  }
}

TEST(Congruence, QuotientsHoldAllValuesAndRemaindersNoMore) {
  for (const Congruence x : small_congruences()) {
    for (std::int64_t d = 1; d <= 12; ++d) {
      std::vector<std::int64_t> remainders;
      for (const std::int64_t a : members(x, 200)) {
        ASSERT_TRUE((x / Congruence::point(d)).contains(*euclid_div(a, d)));
        remainders.push_back(*euclid_mod(a, d));
      }
      ASSERT_EQ(x % Congruence::point(d), smallest(remainders))
          << x.residue << " mod " << x.modulus;
    }
  }
  EXPECT_EQ((Congruence{12, 7} / Congruence::point(4)), (Congruence{3, 1}));
}

TEST(Congruence, HullIsTheSmallestThatHoldsBoth) {
  for (const Congruence x : small_congruences()) {
    for (const Congruence y : small_congruences()) {
      std::vector<std::int64_t> values = members(x);
      for (const std::int64_t v : members(y)) values.push_back(v);
      ASSERT_EQ(hull(x, y), smallest(values));
    }
  }
}

TEST(Congruence, IntersectionHoldsTheMembersOfBoth) {
  for (const Congruence x : small_congruences()) {
    for (const Congruence y : small_congruences()) {
      std::optional<std::int64_t> common;
      for (const std::int64_t v : members(x)) {
        if (y.contains(v)) common = v;
      }
      Congruence both;
      ASSERT_EQ(intersect(x, y, &both), common.has_value());
      if (!common) continue;
      for (std::int64_t v = -100; v <= 100; ++v) {
        ASSERT_EQ(both.contains(v), x.contains(v) && y.contains(v));
      }
    }
  }
}

TEST(Congruence, WhatOverflowsIsEverything) {
  const Congruence large{INT64_MAX, INT64_MAX - 1};
  EXPECT_EQ(large + large, Congruence::everything());
  EXPECT_EQ(large * large, Congruence::everything());
  EXPECT_EQ(Congruence::point(INT64_MIN) - Congruence::point(1), Congruence::everything());
  EXPECT_EQ(Congruence::point(INT64_MIN) + Congruence::point(0), Congruence::point(INT64_MIN));
  Congruence both;
  EXPECT_TRUE(intersect(large, {INT64_MAX - 1, 3}, &both));
  EXPECT_TRUE(both == large || both == (Congruence{INT64_MAX - 1, 3}));
}

}  // namespace
}  // namespace selvage
