// What is written for the expressions of random kernels equals them at every loop point, guarded or
// not, and nothing on the way leaves the kernel's type.
#include <selvage/expr/text.h>
#include <selvage/kernel/forms.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include "tests/codegen/random_fusion.h"
#include "tests/kernel/points.h"
#include "tests/support/counts.h"
#include "tests/support/hand_kernel.h"

namespace selvage {
namespace {

using test::random_point;
using test::RandomFusion;
using test::SizedPoint;
using Sizes = std::map<std::string, std::int64_t>;

constexpr std::int64_t kMostElements = std::int64_t{1} << 48;  // of a buffer that exists

std::vector<Expr> forms_of(const Forms& forms) {
  std::vector<Expr> all;
  for (Expr e : forms.computed().all) all.push_back(forms(e));
  return all;
}

void expect_equal(std::mt19937_64& rng, const Kernel& kernel, const Sizes& sizes) {
  Simplifier ranges(kernel.facts);
  const Forms forms(kernel, ranges);
  const std::vector<Expr>& before = forms.computed().all;
  const std::vector<Expr> after = forms_of(forms);
  for (int k = 0; k < 20; ++k) {
    const auto point = random_point(rng, kernel.facts, sizes);
    if (!point) return;
    for (std::size_t i = 0; i < before.size(); ++i) {
      ASSERT_EQ((*point)(before[i]), (*point)(after[i]))
          << to_string(before[i]) << "\n-> " << to_string(after[i]) << "\nat "
          << testing::PrintToString(point->values);
    }
  }
}

TEST(RandomForms, EqualTheirExpressionsAtEveryPoint) {
  std::mt19937_64 rng(11);
  const int fusions = count(150, 3'000);
  for (int i = 0; i < fusions && !testing::Test::HasFailure(); ++i) {
    const RandomFusion r(rng, i % 2 == 1);
    for (const ProgramStep& step : r.lowered().steps) {
      expect_equal(rng, step.variants[0], r.sizes);
      Sizes larger;
      for (const auto& [name, n] : r.sizes) larger[name] = oracle::draw(rng, 1, 1'000);
      expect_equal(rng, step.variants[0], larger);
    }
  }
}

// A kernel whose addresses are made of few sums and divisors, so that they have much in common:
// quotients, remainders, digits, and sums of those.
class RelatedAddresses {
 public:
  explicit RelatedAddresses(std::mt19937_64& rng) : rng_(rng), n_(hand_.size("N")) {
    for (const char* name : {"i", "j", "k"}) {
      loops_.push_back(hand_.variable(name, pick(2) == 0 ? n_ : hand_.c(1 + pick(40))));
    }
    for (int s = 0; s < 3; ++s) sums_.push_back(sum());
  }

  Kernel kernel() {
    const BufferId a = hand_.input("a", DataType::Float, hand_.c(1));
    const BufferId y = hand_.output("y", DataType::Float, hand_.c(1));
    ValueGraph& values = hand_.kernel.values;
    ValueId value = hand_.read(a, address(2));
    for (int k = 0; k < 5; ++k) {
      value = values.apply(Function::Add, {value, hand_.read(a, address(2))});
    }
    Body body = {test::store(y, address(2), value)};
    for (const Expr& variable : loops_) {
      const Expr extent = hand_.kernel.facts.find(variable)->hi + 1;
      body = {test::loop(variable, extent, std::move(body))};
    }
    hand_.kernel.body = std::move(body);
    return hand_.kernel;
  }

 private:
  std::int64_t pick(std::int64_t n) { return oracle::draw(rng_, 0, n - 1); }
  Expr sum() {
    Expr e = hand_.c(pick(2) == 0 ? pick(30) : pick(30) - 15);
    for (Expr variable : loops_) {
      if (pick(3) > 0) e = e + variable * (pick(3) == 0 ? n_ : hand_.c(1 + pick(13)));
    }
    return e;
  }
  Expr divisor() {
    const std::int64_t which = pick(6);
    return which == 0 ? n_ : which == 1 ? n_ * 3 : hand_.c(std::int64_t{3} << (which - 2));
  }
  Expr address(int depth) {
    const Expr x = depth == 0 || pick(3) == 0 ? sums_[std::size_t(pick(3))] : address(depth - 1);
    const Expr d = divisor();
    switch (pick(9)) {
      case 0: return x / d;
      case 1: return x % d;
      case 2: return (x + d * pick(4)) / d;
      case 3: return (x + d * loops_[0]) % d;
      case 4: return x / d % divisor();
      case 5: return x % d * (1 + pick(4)) + sums_[std::size_t(pick(3))];
      case 6: return (x + (pick(9) - 4)) % d;  // a neighbour, which may go round
      case 7: return x / d * d + (x + (pick(9) - 4)) % d;
      default: return x % d - x % divisor();
    }
  }

  std::mt19937_64& rng_;
  test::HandKernel hand_{"related"};
  Expr n_;
  std::vector<Expr> loops_, sums_;
};

TEST(RandomForms, OfRelatedAddressesAreEqualToThem) {
  std::mt19937_64 rng(41);
  const int kernels = count(150, 4'000);
  for (int i = 0; i < kernels && !testing::Test::HasFailure(); ++i) {
    const Kernel kernel = RelatedAddresses(rng).kernel();
    for (std::int64_t n : {1, 2, 5, 12, 37}) expect_equal(rng, kernel, {{"N", n}});
  }
}

// The sizes doubled one after the other, as long as the kernel takes them and its buffers exist.
Sizes grown(std::mt19937_64& rng, const Kernel& kernel, Sizes sizes) {
  const auto is_taken = [&](const Sizes& s) {
    SizedPoint point;
    for (const auto& [name, n] : s) {
      point.symbols.push_back(kernel.pool->symbol(name));
      point.values.push_back(n);
    }
    if (point(kernel.condition).value_or(0) == 0) return false;
    return std::all_of(kernel.buffers.begin(), kernel.buffers.end(), [&](const Buffer& b) {
      const auto n = point(b.elements);
      return n && *n <= kMostElements;
    });
  };
  for (int failures = 0; failures < 8;) {
    Sizes larger = sizes;
    auto& [name, n] =
        *std::next(larger.begin(), oracle::draw(rng, 0, std::int64_t(sizes.size()) - 1));
    n = n * 2 - oracle::draw(rng, 0, 1);
    if (is_taken(larger) && larger != sizes) {
      sizes = larger;
    } else {
      ++failures;
    }
  }
  return sizes;
}

void expect_to_fit(std::mt19937_64& rng, const Kernel& kernel, const Sizes& sizes) {
  Simplifier ranges(kernel.facts);
  const Forms forms(kernel, ranges);
  std::vector<Expr> all = forms_of(forms);
  all.insert(all.end(), forms.computed().all.begin(), forms.computed().all.end());
  for (int k = 0; k < 20; ++k) {
    const auto point = random_point(rng, kernel.facts, sizes);
    if (!point) return;
    Tape tape(all, point->symbols);
    if (kernel.index_type == IndexType::Int32) tape.limit(-INT32_MAX, INT32_MAX);
    ASSERT_TRUE(tape.evaluate(point->values))
        << kernel.name << ": " << to_string(tape.stopped_at()) << " does not fit at "
        << testing::PrintToString(point->values) << " where " << to_string(kernel.condition);
  }
}

TEST(RandomForms, NoIntermediateLeavesTheTypeHoweverLargeTheSizes) {
  std::mt19937_64 rng(13);
  const int fusions = count(80, 2'000);
  int past_31_bits = 0, below = 0;
  for (int i = 0; i < fusions && !testing::Test::HasFailure(); ++i) {
    const RandomFusion r(rng, true);
    if (r.sizes.empty()) continue;
    for (const ProgramStep& step : r.lowered().steps) {
      for (const Kernel& kernel : step.variants) {
        const Sizes sizes = grown(rng, kernel, r.sizes);
        expect_to_fit(rng, kernel, sizes);
        ++(kernel.index_type == IndexType::Int32 ? below : past_31_bits);
      }
    }
  }
  EXPECT_GT(below, fusions / 2);
  EXPECT_GT(past_31_bits, fusions / 2);
}

// The multiple of 12 below the least integers is none of theirs.
TEST(Forms, OfARemainderBesideItsDigitStayInTheType) {
  for (const std::int64_t begin : {-std::int64_t{INT32_MAX}, std::int64_t{0}}) {
    test::HandKernel hand("digits");
    const Expr four = hand.c(4), i = hand.variable("i", four), x = i + begin;
    const BufferId a = hand.input("a", DataType::Float, hand.c(12));
    const BufferId y = hand.output("y", DataType::Float, hand.c(3));
    hand.kernel.body = {test::loop(i, four, {test::store(y, x / 4 % 3, hand.read(a, x % 12))})};
    std::mt19937_64 rng(1);
    expect_to_fit(rng, hand.kernel, {});
    expect_equal(rng, hand.kernel, {});
  }
}

TEST(Forms, OfBothAddressesOfAShuffleAreSumsByLoops) {
  test::HandKernel hand("shuffled");
  const Expr four = hand.c(4), i = hand.variable("i", four), j = hand.variable("j", four);
  const BufferId a = hand.local("a", DataType::Float, 64), b = hand.local("b", DataType::Float, 64);
  const Expr to = (j + i) * 4 + j, from = (i + j) * 3 + j + 1;
  hand.kernel.body = {
      test::loop(i, four, {test::loop(j, four, {test::shuffle(b, to, a, from, 16)})})};
  Simplifier ranges(hand.kernel.facts);
  const Forms forms(hand.kernel, ranges);
  EXPECT_EQ(to_string(forms(to)), "i * 4 + j * 5");
  EXPECT_EQ(to_string(forms(from)), "i * 3 + j * 4 + 1");
}

TEST(Forms, AKernelBringsThemUntilItIsChanged) {
  test::HandKernel hand("changed");
  Kernel& kernel = hand.kernel;
  const Expr four = hand.c(4), i = hand.variable("i", four);
  const BufferId a = hand.local("a", DataType::Float, 64), b = hand.local("b", DataType::Float, 64);
  const auto shuffled_to = [&](Expr to) {
    return Body{test::loop(i, four, {test::shuffle(b, to, a, i, 16)})};
  };
  kernel.body = shuffled_to(i * 4);
  Simplifier ranges(kernel.facts);
  kernel.forms = std::make_shared<const Forms>(kernel, ranges);
  EXPECT_EQ(selvage::forms_of(kernel), kernel.forms);
  Kernel other = kernel;
  other.facts.assume(i < 2);
  EXPECT_NE(selvage::forms_of(other), kernel.forms);
  kernel.body = shuffled_to(i * 4 + 1);
  EXPECT_NE(selvage::forms_of(kernel), kernel.forms);
}

}  // namespace
}  // namespace selvage
