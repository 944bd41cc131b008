// Matrices over GF(2) against dense arithmetic modulo 2, and maps of index expressions against
// evaluation.
#include <selvage/base/random.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/legality/gf2_index.h>

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <bit>
#include <set>

#include "tests/support/counts.h"

namespace selvage {
namespace {

BitMatrix random_matrix(SplitMix64& random, int rows, int columns) {
  std::vector<std::uint64_t> list;
  for (int r = 0; r < rows; ++r) {
    list.push_back(random.next() &
                   (columns == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << columns) - 1));
  }
  return BitMatrix(list, columns);
}

// The same as a matrix of integers, for Eigen to compute with; then its entries modulo 2.
Eigen::MatrixXi dense(const BitMatrix& m) {
  Eigen::MatrixXi d(m.height(), m.width());
  for (int r = 0; r < m.height(); ++r) {
    for (int c = 0; c < m.width(); ++c) d(r, c) = m.at(r, c) ? 1 : 0;
  }
  return d;
}
Eigen::MatrixXi dense(std::uint64_t vector, int size) {
  Eigen::MatrixXi d(size, 1);
  for (int k = 0; k < size; ++k) d(k, 0) = int(vector >> k & 1);
  return d;
}
Eigen::MatrixXi odd(const Eigen::MatrixXi& m) {
  return m.unaryExpr([](int v) { return v & 1; });
}

TEST(BitMatrix, ComputesAsEigenDoesModulo2) {
  SplitMix64 random(3);
  for (int n = 0; n < count(100, 3'000); ++n) {
    const int a = 1 + int(random.next() % 64), b = 1 + int(random.next() % 64);
    const BitMatrix x = random_matrix(random, a, b), y = random_matrix(random, b, a);
    EXPECT_EQ(dense(x * y), odd(dense(x) * dense(y)));
    EXPECT_EQ(dense(y * x), odd(dense(y) * dense(x)));
    for (std::uint64_t k : x.kernel()) {
      EXPECT_EQ(odd(dense(x) * dense(k, b)), Eigen::MatrixXi::Zero(a, 1));
    }
    const std::uint64_t wanted = x(random.next() & (~std::uint64_t{0} >> (64 - b)));
    const auto solution = x.solve(wanted);
    ASSERT_TRUE(solution);
    EXPECT_EQ(odd(dense(x) * dense(*solution, b)), dense(wanted, a));
    const BitMatrix square = random_matrix(random, a, a);
    if (const auto inverse = square.inverse()) {
      EXPECT_EQ(odd(dense(square) * dense(*inverse)), Eigen::MatrixXi::Identity(a, a));
    }
  }
}

TEST(BitMatrix, AppliesRowByRow) {
  const BitMatrix twice({0b000, 0b001, 0b010, 0b100}, 3);
  for (std::uint64_t x = 0; x < 8; ++x) EXPECT_EQ(twice(x), 2 * x);
  EXPECT_EQ(twice, BitMatrix::from_images(std::vector<std::uint64_t>{2, 4, 8}, 4));
  EXPECT_EQ(twice.rank(), 3);
  EXPECT_EQ(twice.solve(6), 3u);
  EXPECT_EQ(twice.solve(1), std::nullopt);
  EXPECT_EQ(twice.solve(16), std::nullopt);
}

TEST(BitMatrix, AProductIsOneMapAfterTheOther) {
  SplitMix64 random(1);
  for (int n = 0; n < count(200, 5000); ++n) {
    const int a = int(random.next() % 65), b = int(random.next() % 65), c = int(random.next() % 65);
    const BitMatrix second = random_matrix(random, a, b), first = random_matrix(random, b, c);
    const BitMatrix both = second * first;
    for (int k = 0; k < 8; ++k) {
      const std::uint64_t x = random_matrix(random, 1, c).rows()[0];
      EXPECT_EQ(both(x), second(first(x)));
    }
    for (int i = 0; i < a; ++i) {
      for (int j = 0; j < c; ++j) {
        int sum = 0;
        for (int k = 0; k < b; ++k) sum += second.at(i, k) && first.at(k, j) ? 1 : 0;
        ASSERT_EQ(both.at(i, j), sum % 2 == 1);
      }
    }
  }
}

TEST(BitMatrix, RankCountsTheImageAndTheKernelIsWhatIsLost) {
  SplitMix64 random(2);
  for (int n = 0; n < count(200, 5000); ++n) {
    const int columns = int(random.next() % 9);
    BitMatrix m = random_matrix(random, int(random.next() % 9), columns);
    if (n % 2 == 0 && m.height() > 1) {  // less than full rank
      std::vector<std::uint64_t> rows = m.rows();
      rows.back() = rows.front();
      m = BitMatrix(rows, columns);
    }
    std::set<std::uint64_t> image;
    for (std::uint64_t x = 0; x < std::uint64_t{1} << columns; ++x) image.insert(m(x));
    EXPECT_EQ(image.size(), std::size_t{1} << m.rank());
    const std::vector<std::uint64_t> kernel = m.kernel();
    EXPECT_EQ(int(kernel.size()), columns - m.rank());
    for (std::uint64_t x : kernel) EXPECT_EQ(m(x), 0u);
    EXPECT_EQ(BitMatrix(kernel, columns).rank(), int(kernel.size()));
    for (std::uint64_t y = 0; y < std::uint64_t{1} << m.height(); ++y) {
      const auto x = m.solve(y);
      ASSERT_EQ(x.has_value(), image.contains(y));
      if (x) {
        EXPECT_EQ(m(*x), y);
      }
    }
  }
}

TEST(BitMatrix, AnInverseUndoes) {
  SplitMix64 random(3);
  int invertible = 0;
  for (int n = 0; n < count(200, 5000); ++n) {
    const int size = n % 10 == 0 ? 64 : int(random.next() % 12);
    const BitMatrix m = random_matrix(random, size, size);
    const auto inverse = m.inverse();
    ASSERT_EQ(inverse.has_value(), m.rank() == size);
    if (!inverse) continue;
    ++invertible;
    EXPECT_EQ(*inverse * m, BitMatrix::identity(size));
    EXPECT_EQ(m * *inverse, BitMatrix::identity(size));
  }
  EXPECT_GT(invertible, more_than(20));
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
  EXPECT_EQ(k.map("y * 32 + x")->map.linear.image(5), 32u);
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
