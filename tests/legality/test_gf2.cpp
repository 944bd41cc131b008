// Linear maps over GF(2), and maps of index expressions against evaluation.
#include <selvage/base/random.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/legality/gf2_index.h>

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "tests/support/counts.h"

namespace selvage {
namespace {

std::vector<std::uint64_t> random_images(SplitMix64& random, int inputs, int outputs) {
  std::vector<std::uint64_t> images;
  for (int i = 0; i < inputs; ++i) images.push_back(random.next() >> (64 - outputs));
  return images;
}

TEST(LinearMap, IsTheXorOfItsImages) {
  const LinearMap twice{{0b0010, 0b0100, 0b1000}};
  for (std::uint64_t x = 0; x < 8; ++x) EXPECT_EQ(twice(x), 2 * x);
  EXPECT_EQ(rank(twice.images), 3);
  SplitMix64 random(1);
  for (int n = 0; n < count(200, 5000); ++n) {
    const int inputs = 1 + int(random.next() % 64), outputs = 1 + int(random.next() % 64);
    const LinearMap f{random_images(random, inputs, outputs)};
    for (int i = 0; i < inputs; ++i) {
      EXPECT_EQ(f(std::uint64_t{1} << i), f.images[std::size_t(i)]);
    }
    const std::uint64_t x = random.next(), y = random.next();
    EXPECT_EQ(f(x ^ y), f(x) ^ f(y));
  }
}

// In the bits of a mask, too, which is what the rank theorem asks for.
TEST(LinearMap, ItsRankCountsTheImage) {
  SplitMix64 random(2);
  for (int n = 0; n < count(200, 5000); ++n) {
    LinearMap f{random_images(random, int(random.next() % 9), 1 + int(random.next() % 12))};
    if (n % 2 == 0 && f.images.size() > 1) f.images.back() = f.images.front();
    const std::uint64_t mask = n % 3 == 0 ? ~std::uint64_t{0} : random.next();
    std::set<std::uint64_t> met;
    for (std::uint64_t x = 0; x < std::uint64_t{1} << f.images.size(); ++x) {
      met.insert(f(x) & mask);
    }
    EXPECT_EQ(met.size(), std::size_t{1} << rank(f.images, mask));
  }
}

struct IndexCase {
  ExprPool pool;
  std::vector<BitVariable> variables;
  explicit IndexCase(const std::vector<std::pair<std::string, int>>& bits) {
    for (const auto& [name, n] : bits) variables.push_back({pool.symbol(name), n});
  }
  std::optional<IndexMap> map(const std::string& text) {
    return index_map(parse_expr(pool, text), variables);
  }
  std::optional<IndexMap::By> by(const std::string& text) {
    const auto m = map(text);
    return m ? std::optional(m->by) : std::nullopt;
  }
};

constexpr auto kStructure = IndexMap::By::Structure;
constexpr auto kAllPoints = IndexMap::By::AllPoints;

TEST(IndexMap, DigitsXorAndPowersAreToldByStructure) {
  IndexCase k({{"x", 5}, {"y", 4}});
  EXPECT_EQ(k.by("y * 32 + x"), kStructure);
  EXPECT_EQ(k.by("y * 32 + (x ^ y * 2)"), kStructure);
  EXPECT_EQ(k.by("x / 4 * 16 + x % 4"), kStructure);
  EXPECT_EQ(k.by("y * 4 + x / 4 * 64 + x - x / 4 * 4"), kStructure);
  EXPECT_EQ(k.by("31 - x"), kStructure);
  EXPECT_EQ(k.by("x / 8 * 8 + x"), kStructure);  // x % 8 + x / 8 * 16: no carry
  EXPECT_EQ(k.by("x * 33"), kStructure);         // x and x * 32 share no digit
  EXPECT_EQ(k.by("7"), kStructure);
  EXPECT_EQ(k.map("31 - x")->map.offset, 31u);
  EXPECT_EQ(k.map("y * 32 + x")->map.linear.images[5], 32u);
}

TEST(IndexMap, WhatTheStructureDoesNotTellIsTriedAtAllPoints) {
  IndexCase k({{"x", 5}, {"y", 4}});
  EXPECT_EQ(k.by("min(x, 31)"), kAllPoints);
  EXPECT_EQ(k.by("x * 3 / 3"), kAllPoints);
  EXPECT_EQ(k.by("select(x < 16, x, x - 16)"), kAllPoints);
}

TEST(IndexMap, WhatIsNotAffineIsNone) {
  IndexCase k({{"x", 5}, {"y", 4}});
  for (const char* text : {"x * 17", "x + y", "(x + y) % 32", "x / 3", "min(x, 16)", "x - y",
                           "x * y", "-1 - x", "x + z", "x / (y - y)"}) {
    EXPECT_EQ(k.by(text), std::nullopt) << text;
  }
  IndexCase wide({{"x", 61}, {"y", 4}});
  EXPECT_EQ(wide.by("x"), std::nullopt);  // 65 bits
  IndexCase large({{"x", 40}});
  EXPECT_EQ(large.by("x ^ 5"), kStructure);
  EXPECT_EQ(large.by("min(x, x)"), std::nullopt);       // too many points
  EXPECT_EQ(large.by("x * 4294967296"), std::nullopt);  // past 2^62
}

// Whatever it says, it says at every point; and what is affine is found.
TEST(IndexMap, AgreesWithEvaluationOnRandomIndices) {
  SplitMix64 random(4);
  const auto below = [&](int n) { return int(random.next() % std::uint64_t(n)); };
  int structure = 0, points = 0, none = 0;
  for (int n = 0; n < count(300, 5000); ++n) {
    IndexCase k({{"x", below(4)}, {"y", below(4)}, {"z", below(4)}});
    std::vector<Expr> list;
    for (const BitVariable& v : k.variables) list.push_back(v.variable);
    for (int step = 0; step < 6; ++step) {
      const Expr a = list[std::size_t(below(int(list.size())))];
      const Expr b = list[std::size_t(below(int(list.size())))];
      const std::int64_t power = std::int64_t{1} << below(5);
      switch (below(7)) {
        case 0: list.push_back(a ^ b); break;
        case 1: list.push_back(a * power); break;
        case 2: list.push_back(a / power); break;
        case 3: list.push_back(a % power); break;
        case 4: list.push_back(a * 16 + b % 16); break;
        case 5: list.push_back(a + b); break;
        default: list.push_back(power * 2 - 1 - a % power); break;
      }
    }
    const Expr e = list.back();
    const auto map = index_map(e, k.variables);
    int bits = 0;
    std::vector<Expr> symbols;
    for (const BitVariable& v : k.variables) {
      bits += v.bits;
      symbols.push_back(v.variable);
    }
    std::vector<std::uint64_t> value;
    for (std::uint64_t x = 0; x < std::uint64_t{1} << bits; ++x) {
      std::vector<std::int64_t> at;
      std::uint64_t rest = x;
      for (const BitVariable& v : k.variables) {
        at.push_back(std::int64_t(rest % (std::uint64_t{1} << v.bits)));
        rest >>= v.bits;
      }
      value.push_back(std::uint64_t(evaluate(e, symbols, at).value()));
    }
    bool is_affine = true;
    for (std::uint64_t x = 0; x < value.size(); ++x) {
      std::uint64_t expected = value[0];
      for (std::uint64_t rest = x; rest != 0; rest &= rest - 1) {
        expected ^= value[std::size_t{1} << std::countr_zero(rest)] ^ value[0];
      }
      is_affine = is_affine && expected == value[x];
      if (map) {
        ASSERT_EQ(map->map(x), value[x]) << to_string(e) << " at " << x;
      }
    }
    EXPECT_EQ(map.has_value(), is_affine) << to_string(e);
    ++(!map ? none : map->by == kStructure ? structure : points);
  }
  EXPECT_GT(structure, more_than(50));
  EXPECT_GT(none, more_than(10));
  RecordProperty("by structure", structure);
  RecordProperty("by all points", points);
}

// As a divisor, and where there are too many points to try them.
TEST(IndexMap, AVariableTimesZeroIsGone) {
  IndexCase k({{"x", 40}});
  EXPECT_EQ(k.by("x / (x * (x - x) + 4)"), kStructure);
  EXPECT_EQ(k.by("x / (x * 0 + 4)"), kStructure);
}

}  // namespace
}  // namespace selvage
