// Operators in every algebra, against wide arithmetic that shares no code with them.
#include <selvage/expr/apply.h>
#include <selvage/simplifier/congruence.h>
#include <selvage/simplifier/interval.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/support/counts.h"

namespace selvage {
namespace {

__extension__ using Wide = __int128;

constexpr Op kOps[] = {Op::Add, Op::Sub, Op::Mul, Op::Div,    Op::Mod, Op::Min, Op::Max, Op::Xor,
                       Op::Lt,  Op::Le,  Op::Eq,  Op::Select, Op::Not, Op::And, Op::Or};

std::optional<Wide> exactly(Op op, Wide a, Wide b, Wide c) {
  const Wide size = b < 0 ? -b : b;
  if (op == Op::Add) return a + b;
  if (op == Op::Sub) return a - b;
  if (op == Op::Mul) return a * b;
  if (op == Op::Div || op == Op::Mod) {
    if (b == 0) return std::nullopt;
    const Wide rest = ((a % size) + size) % size;
    return op == Op::Mod ? rest : (a - rest) / b;
  }
  if (op == Op::Min) return a < b ? a : b;
  if (op == Op::Max) return a < b ? b : a;
  if (op == Op::Xor) return a ^ b;
  if (op == Op::Lt) return a < b;
  if (op == Op::Le) return a <= b;
  if (op == Op::Eq) return a == b;
  if (op == Op::Select) return a != 0 ? b : c;
  if (op == Op::Not) return a == 0;
  return op == Op::And ? a != 0 && b != 0 : a != 0 || b != 0;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::int64_t within(std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(random_);
  }
  // Small ones, and those where 64 bits end.
  std::int64_t number() {
    switch (within(0, 3)) {
      case 0: return within(INT64_MIN, INT64_MAX);
      case 1: return within(0, 1) == 0 ? INT64_MIN + within(0, 2) : INT64_MAX - within(0, 2);
      default: return within(-9, 9);
    }
  }

 private:
  std::mt19937_64 random_;
};

TEST(Apply, IntegersAreExactOrUndefined) {
  Draw draw(61);
  for (int k = 0; k < count(20'000, 400'000); ++k) {
    const std::int64_t a = draw.number(), b = draw.number(), c = draw.number();
    for (Op op : kOps) {
      const Checked result = apply(op, Checked(a), Checked(b), Checked(c));
      const auto exact = exactly(op, a, b, c);
      const bool fits = exact && *exact >= INT64_MIN && *exact <= INT64_MAX;
      ASSERT_EQ(result.is_defined, fits) << info(op).name << " " << a << " " << b;
      if (!fits) continue;
      ASSERT_TRUE(Wide(result.value) == *exact) << info(op).name << " " << a << " " << b;
    }
  }
}

TEST(Apply, IntervalsHoldEveryValueAndTruthsAreDecidedJustWhereTheyAreOne) {
  Draw draw(62);
  for (int k = 0; k < count(1'500, 30'000); ++k) {
    Interval in[3];
    for (Interval& i : in) {
      i.lo = draw.within(-6, 6);
      i.hi = i.lo + draw.within(0, 4);
    }
    for (Op op : kOps) {
      const Interval out = apply(op, in[0], in[1], in[2]);
      bool holds = false, fails = false;
      for (std::int64_t a = in[0].lo; a <= in[0].hi; ++a) {
        for (std::int64_t b = in[1].lo; b <= in[1].hi; ++b) {
          for (std::int64_t c : {in[2].lo, in[2].hi}) {
            const auto exact = exactly(op, a, b, c);
            if (!exact) continue;
            ASSERT_TRUE(out.contains(std::int64_t(*exact))) << info(op).name;
            (*exact != 0 ? holds : fails) = true;
          }
        }
      }
      if (info(op).result == Result::Int) continue;
      EXPECT_EQ(out, (Interval{fails ? 0 : 1, holds ? 1 : 0})) << info(op).name;
    }
  }
}

TEST(Apply, CongruencesHoldEveryValue) {
  Draw draw(63);
  for (int k = 0; k < count(1'500, 30'000); ++k) {
    Congruence in[3];
    for (Congruence& c : in) {
      c.modulus = draw.within(0, 6);
      c.residue = c.modulus == 0 ? draw.within(-5, 12) : draw.within(0, c.modulus - 1);
    }
    for (Op op : kOps) {
      const Congruence out = apply(op, in[0], in[1], in[2]);
      for (std::int64_t i = -4; i <= 4; ++i) {
        for (std::int64_t j = -4; j <= 4; ++j) {
          const std::int64_t a = in[0].residue + i * in[0].modulus;
          const std::int64_t b = in[1].residue + j * in[1].modulus;
          const auto exact = exactly(op, a, b, in[2].residue + i * in[2].modulus);
          if (!exact) continue;
          ASSERT_TRUE(out.contains(std::int64_t(*exact))) << info(op).name;
        }
      }
    }
  }
}

TEST(Apply, WhatHasNoMeaningOfItsOwnIsAnything) {
  for (Op op : {Op::Symbol, Op::Load, Op::Call}) {
    EXPECT_FALSE(apply(op, Checked(1), Checked(2)).is_defined);
    EXPECT_EQ(apply(op, Interval{1, 1}, Interval{2, 2}), Interval::everything());
    EXPECT_EQ(apply(op, Congruence::point(1), Congruence::point(2)), Congruence::everything());
  }
}

TEST(Congruence, MembersNextToANumber) {
  Draw draw(64);
  for (int k = 0; k < count(3'000, 60'000); ++k) {
    const std::int64_t m = draw.within(1, 9);
    const Congruence c{m, draw.within(0, m - 1)};
    const Interval range{draw.within(-20, 20), draw.within(-20, 40)};
    std::optional<std::int64_t> first, last;
    for (std::int64_t v = -60; v <= 60; ++v) {
      if (!c.contains(v)) continue;
      if (!first && v >= range.lo) first = v;
      if (v <= range.hi) last = v;
    }
    EXPECT_EQ(first_member(range.lo, c), first);
    EXPECT_EQ(last_member(range.hi, c), last);
    EXPECT_EQ(tightened(range, c), m == 1 ? range : (Interval{*first, *last}));
  }
  EXPECT_EQ(first_member(INT64_MAX - 1, Congruence{1 << 20, 3}), std::nullopt);
  EXPECT_EQ(last_member(INT64_MIN + 1, Congruence{1 << 20, 3}), std::nullopt);
}

}  // namespace
}  // namespace selvage
