// Sums are regrouped where, multiplied out, they would leave the type that they fit.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/lower/narrow.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include "tests/codegen/run.h"
#include "tests/kernel/points.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

struct NarrowCase {
  NarrowCase& loop(const std::string& name, std::int64_t extent) {
    facts.loop(pool.symbol(name), pool.constant(extent));
    return *this;
  }
  std::string of(std::string_view text) {
    return to_string(NarrowForms(facts)(parse_expr(pool, text)));
  }
  ExprPool pool;
  Facts facts{pool};
};

TEST(Narrowed, AMultipleOfADifferenceIsNotMultipliedOut) {
  NarrowCase c;
  c.loop("x", 63).loop("c", 64);
  EXPECT_EQ(c.of("x * 67108864 + c - 2080374784"), "(x - 31) * 67108864 + c");
  EXPECT_EQ(c.of("x * 67108864 + c - 2080374783"), "(x - 31) * 67108864 + (c + 1)");
  EXPECT_EQ(c.of("c / 2 + (x * 67108864 + c - 2080374784) / 5"),
            "c / 2 + ((x - 31) * 67108864 + c) / 5");
}

TEST(Narrowed, LikewiseAt64Bits) {
  NarrowCase c;
  c.loop("x", 63);
  EXPECT_EQ(c.of("x * 288230376151711744 - 8935141660703064064"), "(x - 31) * 288230376151711744");
}

TEST(Narrowed, WhatFitsOrCannotBeHelpedStaysAsItIs) {
  NarrowCase c;
  c.loop("x", 63).loop("y", std::int64_t{1} << 40);
  for (const char* text : {"x * 67108 - 5", "y * 16 + x", "x * 67108864", "N * 3 - x"}) {
    EXPECT_EQ(c.of(text), text);
  }
}

// c + 67108864 * (i - 31) lies within 32 bits; i * 67108864 does not.
TEST(Narrowed, AKernelKeepsItsNarrowType) {
  Fusion f;
  const Expr i = f.fresh_index("i"), c = f.fresh_index("c");
  const ValueId v = f.values().index(c + 67'108'864 * (i - 31));
  const Tensor t = f.compute("t", {i, c}, {f.constant(63), f.constant(64)}, v, DataType::Int32);
  f.output("y", t, DataType::Int32);
  const Program program = lower(f, Schedule(f));
  const Kernel& kernel = program.steps[0].variants[0];
  ASSERT_EQ(kernel.index_type, IndexType::Int32);
  std::vector<Array> expected = test::arrays_for(kernel, {});
  for (std::int64_t k = 0; k < 63 * 64; ++k) {
    expected[0].set_int(k, k % 64 + 67'108'864 * (k / 64 - 31));
  }
  test::expect_agreement(kernel, {}, expected);
}

TEST(NarrowedRandom, IsEqualAndNeverWiderThanBefore) {
  std::mt19937_64 rng(31);
  const int expressions = count(1'000, 40'000);
  int mended = 0;
  for (int k = 0; k < expressions && !testing::Test::HasFailure(); ++k) {
    NarrowCase c;
    std::vector<Expr> terms;
    for (const char* name : {"x", "y", "z"}) {
      c.loop(name, oracle::draw(rng, 2, 200));
      terms.push_back(c.pool.symbol(name));
    }
    // A shifted sum with a large factor, multiplied out.
    const std::int64_t g = std::int64_t{1} << oracle::draw(rng, 20, 27);
    const std::int64_t shift = oracle::draw(rng, 0, 200);
    const Expr e = terms[0] * g + terms[1] * oracle::draw(rng, 1, 5) +
                   (oracle::draw(rng, 0, 100) - shift * g) + terms[2];
    const Expr n = NarrowForms(c.facts)(e);
    int fit_before = 0, fit_after = 0;
    for (int p = 0; p < 30; ++p) {
      const auto point = test::random_point(rng, c.facts, {});
      ASSERT_TRUE(point);
      ASSERT_EQ((*point)(e), (*point)(n)) << to_string(e) << "\n-> " << to_string(n);
      Tape before({&e, 1}, point->symbols), after({&n, 1}, point->symbols);
      before.limit(-INT32_MAX, INT32_MAX);
      after.limit(-INT32_MAX, INT32_MAX);
      fit_before += before.evaluate(point->values);
      fit_after += after.evaluate(point->values);
    }
    if (!same(e, n)) {
      EXPECT_EQ(fit_after, 30) << to_string(e) << "\n-> " << to_string(n);
      EXPECT_LE(fit_before, fit_after);
      ++mended;
    }
  }
  EXPECT_GT(mended, expressions / 100);
}

}  // namespace
}  // namespace selvage
