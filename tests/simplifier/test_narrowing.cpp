#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/simplifier/narrowing.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <random>

namespace selvage {
namespace {

// Sums over three symbols and their digits, small enough to be tried at every point.
class System {
 public:
  explicit System(std::uint64_t seed) : random_(seed) {
    for (const char* name : {"i", "j", "k"}) {
      symbols_.push_back(pool_.symbol(name));
      extents_.push_back(1 + below(12));
    }
    for (std::size_t n = 2 + std::size_t(below(3)); n > 0; --n) sums_.push_back(sum());
  }

  bool proved_empty(int boxes) {
    Narrowing narrowing([this](Expr e) { return range(e); });
    for (Expr e : sums_) narrowing.add(to_linear(e));
    return narrowing.is_empty(boxes, UINT64_MAX);
  }

  bool has_a_point() const {
    for (std::int64_t i = 0; i < extents_[0]; ++i) {
      for (std::int64_t j = 0; j < extents_[1]; ++j) {
        for (std::int64_t k = 0; k < extents_[2]; ++k) {
          const std::int64_t point[] = {i, j, k};
          if (std::all_of(sums_.begin(), sums_.end(),
                          [&](Expr e) { return evaluate(e, symbols_, point).value() >= 0; })) {
            return true;
          }
        }
      }
    }
    return false;
  }

  std::string text() const {
    std::string out;
    for (Expr e : sums_) out += "0 <= " + to_string(e) + "\n";
    return out;
  }

 private:
  std::int64_t below(std::int64_t n) { return std::int64_t(random_() % std::uint64_t(n)); }

  Expr atom() {
    const Expr x = symbols_[std::size_t(below(3))];
    const Expr y = below(3) == 0 ? x * (1 + below(5)) + symbols_[std::size_t(below(3))] : x;
    const std::int64_t kind = below(4);
    return kind == 0 ? y / (1 + below(6)) : kind == 1 ? y % (1 + below(6)) : y;
  }
  Expr sum() {
    Expr e = pool_.constant(below(31) - 15);
    for (std::int64_t n = 1 + below(3); n > 0; --n) e = e + atom() * (below(11) - 5);
    return e;
  }

  // What an atom can take, from above.
  Interval range(Expr e) {
    for (std::size_t s = 0; s < symbols_.size(); ++s) {
      if (same(symbols_[s], e)) return {0, extents_[s] - 1};
    }
    return Interval::everything();
  }

  ExprPool pool_;
  std::mt19937_64 random_;
  std::vector<Expr> symbols_, sums_;
  std::vector<std::int64_t> extents_;
};

TEST(Narrowing, WhatItCallsEmptyIsEmptyAndWithEnoughBoxesTheOtherWayRound) {
  int empty = 0, found = 0;
  for (int seed = 0; seed < count(2'000, 100'000); ++seed) {
    System system{std::uint64_t(seed)};
    const bool has = system.has_a_point();
    EXPECT_FALSE(has && system.proved_empty(32)) << system.text();
    EXPECT_EQ(system.proved_empty(10'000), !has) << system.text();
    empty += !has;
    found += !has && system.proved_empty(32);
  }
  EXPECT_GT(empty, count(2'000, 100'000) / 10);
  std::printf("[FIGURE] empty systems proved so within 32 boxes: %d of %d\n", found, empty);
  EXPECT_GT(found, empty * 9 / 10);
}

TEST(Narrowing, AQuotientBoundsItsDividend) {
  ExprPool pool;
  const Expr x = pool.symbol("x");
  Narrowing narrowing([](Expr) { return Interval{0, 10'000'000}; });
  narrowing.add(to_linear(7 - x / 234));  // x < 1872
  narrowing.add(to_linear(x - 1872));
  EXPECT_TRUE(narrowing.is_empty(1, UINT64_MAX));
}

TEST(Narrowing, EndsOf64BitsAreNoNumbers) {
  ExprPool pool;
  const Expr x = pool.symbol("x");
  Narrowing narrowing([](Expr) { return Interval::everything(); });
  narrowing.add(to_linear(x * INT64_MAX - 1));
  narrowing.add(to_linear(x % 8 - 3));
  EXPECT_FALSE(narrowing.is_empty(100, UINT64_MAX));
}

}  // namespace
}  // namespace selvage
