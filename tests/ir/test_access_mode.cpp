// Access modes, held against walks from element to element.
#include <selvage/expr/tape.h>
#include <selvage/ir/access_mode.h>

#include <gtest/gtest.h>

#include <random>

#include "tests/support/counts.h"

namespace selvage {
namespace {

constexpr AccessMode kModes[] = {AccessMode::Clamped, AccessMode::Circular, AccessMode::Mirror,
                                 AccessMode::Reflect};

// One who walks along [0, n) from element 0, up or down, and does at an end what the mode says.
std::int64_t walked(AccessMode mode, std::int64_t n, std::int64_t steps) {
  std::int64_t at = 0, way = steps < 0 ? -1 : 1;
  for (std::int64_t k = 0; k < std::abs(steps); ++k) {
    const bool is_end = at + way < 0 || at + way == n;
    if (!is_end) {
      at += way;
      continue;
    }
    switch (mode) {
      case AccessMode::Clamped: break;
      case AccessMode::Circular: at = way > 0 ? 0 : n - 1; break;
      case AccessMode::Mirror: way = -way; break;  // the last element comes twice
      case AccessMode::Reflect:
        way = -way;
        if (n > 1) at += way;
        break;
    }
  }
  return at;
}

TEST(AccessMode, GoesOnAsItsSequenceSays) {
  for (const AccessMode mode : kModes) {
    std::string text;
    for (std::int64_t i = -3; i < 7; ++i) {
      text += (i == 0 || i == 4) ? "| " : "";
      text += std::to_string(walked(mode, 4, i)) + (i < 6 ? " " : "");
    }
    EXPECT_EQ(text, sequence_of(mode)) << to_string(mode);
  }
}

TEST(AccessMode, IsAWalkAtAnyDistance) {
  ExprPool pool;
  const Expr x = pool.symbol("x"), n = pool.symbol("n");
  Facts facts(pool);
  facts.bound(n, pool.constant(1), {});
  Simplifier simplifier(facts);
  for (const AccessMode mode : kModes) {
    const Expr of_size = remapped(simplifier, mode, x, n);
    for (std::int64_t extent = 1; extent <= 11; ++extent) {
      const Expr of_number = remapped(simplifier, mode, x, pool.constant(extent));
      for (std::int64_t i = -10 * extent; i <= 10 * extent; ++i) {
        const std::int64_t expected = walked(mode, extent, i);
        const Expr symbols[] = {x, n};
        const std::int64_t values[] = {i, extent};
        ASSERT_EQ(evaluate(of_size, symbols, values), expected) << to_string(mode) << extent << i;
        ASSERT_EQ(evaluate(of_number, symbols, values), expected) << to_string(mode) << extent << i;
      }
    }
  }
}

// In each range of subscripts the form is right, it is none where no remap is needed, and near
// exactly where one fold, or one round, is enough.
TEST(AccessMode, TakesTheFormThatItsRangeAllows) {
  ExprPool pool;
  std::mt19937_64 random(4);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  int near = 0, general = 0;
  for (int k = 0; k < count(600, 20'000); ++k) {
    const AccessMode mode = kModes[draw(0, 3)];
    const std::int64_t n = draw(1, 12), begin = draw(-2 * n - 1, n), end = begin + draw(1, 4 * n);
    const Expr x = pool.symbol("x");
    Facts facts(pool);
    facts.bound(x, pool.constant(begin), pool.constant(end - 1));
    Simplifier simplifier(facts);
    const Remapped made = remapped_in_reach(simplifier, mode, x, pool.constant(n));
    const std::int64_t beside = mode == AccessMode::Reflect ? n - 1 : n;
    const bool is_inside = begin >= 0 && end <= n;
    const bool is_in_reach = begin >= -beside && end <= n + beside;
    const RemapForm expected = is_inside                     ? RemapForm::None
                               : mode == AccessMode::Clamped ? RemapForm::Near
                               : is_in_reach                 ? RemapForm::Near
                                                             : RemapForm::General;
    ASSERT_EQ(to_string(made.form), to_string(expected))
        << to_string(mode) << " of " << begin << " to " << end << " in " << n;
    near += made.form == RemapForm::Near;
    general += made.form == RemapForm::General;
    const Expr simple = simplifier.simplify(made.subscript);
    for (std::int64_t i = begin; i < end; ++i) {
      const Expr symbols[] = {x};
      const std::int64_t values[] = {i};
      for (Expr e : {made.subscript, simple}) {
        ASSERT_EQ(evaluate(e, symbols, values), walked(mode, n, i))
            << to_string(mode) << " at " << i << " in " << n;
      }
    }
    // What is emitted needs no test of its own.
    EXPECT_TRUE(simplifier.proves(0 <= made.subscript && made.subscript < pool.constant(n)))
        << to_string(mode) << " of " << begin << " to " << end << " in " << n;
  }
  EXPECT_GT(near, more_than(100));
  EXPECT_GT(general, more_than(100));
}

// A neighbour in an axis of any size is near; what is further away than the axis is long is not.
TEST(AccessMode, IsNearForNeighboursAtAnySize) {
  ExprPool pool;
  const Expr i = pool.symbol("i"), n = pool.symbol("n");
  Facts facts(pool);
  facts.bound(n, pool.constant(2), {});
  facts.loop(i, n);
  Simplifier simplifier(facts);
  const auto form = [&](AccessMode mode, Expr x) {
    return remapped_in_reach(simplifier, mode, x, n).form;
  };
  for (const AccessMode mode : kModes) {
    EXPECT_EQ(form(mode, i), RemapForm::None) << to_string(mode);
    EXPECT_EQ(form(mode, i - 1), RemapForm::Near) << to_string(mode);
    EXPECT_EQ(form(mode, i + 1), RemapForm::Near) << to_string(mode);
    const RemapForm far = mode == AccessMode::Clamped ? RemapForm::Near : RemapForm::General;
    EXPECT_EQ(form(mode, i - 3), far) << to_string(mode);
    EXPECT_EQ(form(mode, 3 * i), far) << to_string(mode);
  }
}

}  // namespace
}  // namespace selvage
