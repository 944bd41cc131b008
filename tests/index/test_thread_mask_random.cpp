// Random predicates on random levels, against every thread asked by itself.
#include <selvage/base/diagnostic.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "masks.h"
#include "tests/oracle/arithmetic.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using test::levels_of;
using test::LevelSizes;
using test::read_product;
using test::spelled_out;

using Values = std::vector<std::int64_t>;
using Threads = std::set<std::int64_t>;

// An expression, and what it is by plain arithmetic; `fails` is set where that is undefined.
struct Drawn {
  Expr e;
  std::function<std::int64_t(const Values&, bool& fails)> value;
};

class Draw {
 public:
  Draw(ExprPool& pool, SplitMix64& random, std::vector<Expr> symbols)
      : pool_(pool), random_(random), symbols_(std::move(symbols)) {}

  Drawn truth(int depth) {
    const int kind = depth == 0 ? 0 : below(6);
    if (kind <= 1) return comparison(depth);
    const Drawn a = truth(depth - 1), b = truth(depth - 1);
    using V = const Values&;
    if (kind == 2) return {!a.e, [a](V v, bool& f) { return std::int64_t(!a.value(v, f)); }};
    const auto both = [a, b](V v, bool& f, auto combine) -> std::int64_t {
      const bool x = a.value(v, f) != 0, y = b.value(v, f) != 0;
      return combine(x, y);
    };
    if (kind <= 4) {
      return {a.e && b.e,
              [=](V v, bool& f) { return both(v, f, [](bool x, bool y) { return x && y; }); }};
    }
    return {a.e || b.e,
            [=](V v, bool& f) { return both(v, f, [](bool x, bool y) { return x || y; }); }};
  }

  std::int64_t below(std::int64_t n) { return std::int64_t(random_.next() % std::uint64_t(n)); }

 private:
  Drawn comparison(int depth) {
    const Drawn a = number(depth), b = number(below(2));
    using V = const Values&;
    switch (below(4)) {
      case 0:
        return {a.e < b.e,
                [=](V v, bool& f) { return std::int64_t(a.value(v, f) < b.value(v, f)); }};
      case 1:
        return {a.e <= b.e,
                [=](V v, bool& f) { return std::int64_t(a.value(v, f) <= b.value(v, f)); }};
      case 2:
        return {eq(a.e, b.e),
                [=](V v, bool& f) { return std::int64_t(a.value(v, f) == b.value(v, f)); }};
      default:
        return {!eq(a.e, b.e),
                [=](V v, bool& f) { return std::int64_t(a.value(v, f) != b.value(v, f)); }};
    }
  }

  Drawn number(int depth) {
    if (depth == 0 || below(3) == 0) {
      if (below(4) == 0) {
        const std::int64_t n = below(12) - 3;
        return {pool_.constant(n), [n](const Values&, bool&) { return n; }};
      }
      const auto k = std::size_t(below(std::int64_t(symbols_.size())));
      return {symbols_[k], [k](const Values& v, bool&) { return v[k]; }};
    }
    const Drawn a = number(depth - 1), b = number(depth - 1);
    const auto made = [&](Expr e, auto of) {
      return Drawn{e, [a, b, of](const Values& v, bool& f) {
                     return std::int64_t(of(a.value(v, f), b.value(v, f), f));
                   }};
    };
    using N = std::int64_t;
    switch (below(9)) {
      case 0: return made(a.e - b.e, [](N x, N y, bool&) { return x - y; });
      case 1: return made(a.e * b.e, [](N x, N y, bool&) { return x * y; });
      case 2: return divided(a, b, true);
      case 3: return divided(a, b, false);
      case 4: return made(min(a.e, b.e), [](N x, N y, bool&) { return std::min(x, y); });
      case 5: return made(max(a.e, b.e), [](N x, N y, bool&) { return std::max(x, y); });
      case 6: return made(a.e ^ b.e, [](N x, N y, bool&) { return x ^ y; });
      case 7: {
        const Drawn c = comparison(0);
        return {select(c.e, a.e, b.e), [=](const Values& v, bool& f) {
                  const N x = a.value(v, f), y = b.value(v, f);
                  return c.value(v, f) != 0 ? x : y;
                }};
      }
      default: return made(a.e + b.e, [](N x, N y, bool&) { return x + y; });
    }
  }

  // Mostly by a number, sometimes by what may be 0.
  Drawn divided(const Drawn& a, const Drawn& by, bool is_quotient) {
    using N = std::int64_t;
    const N n = below(5) + 1;
    const Drawn b = below(8) == 0 ? by : Drawn{pool_.constant(n), [n](auto&, bool&) { return n; }};
    return {is_quotient ? a.e / b.e : a.e % b.e, [=](const Values& v, bool& f) -> N {
              const N x = a.value(v, f), y = b.value(v, f);
              if (y == 0) {
                f = true;
                return 0;
              }
              // x = y*q + r with 0 <= r < |y|
              const N r = oracle::floor_mod(x, y < 0 ? -y : y);
              return is_quotient ? (x - r) / y : r;
            }};
  }

  ExprPool& pool_;
  SplitMix64& random_;
  std::vector<Expr> symbols_;
};

struct RandomMask {
  static constexpr std::int64_t kMostThreads = 1000;

  explicit RandomMask(SplitMix64& random) : facts(pool) {
    const auto below = [&](std::int64_t n) {
      return std::int64_t(random.next() % std::uint64_t(n));
    };
    LevelSizes sizes;
    const std::int64_t many = below(4) + 1;
    outside = std::size_t(below(many));
    for (std::int64_t level = 0; level < many; ++level) {
      auto& indices = sizes.emplace_back();
      for (std::int64_t k = below(10) < 6 ? 1 : below(3) + 1; k > 0; --k) {
        const std::int64_t most = many == 1 && below(3) == 0 ? 200 : many == 2 ? 40 : 5;
        const std::int64_t n = below(std::min(most, kMostThreads / size)) + 1;
        size *= n;
        indices.emplace_back(std::string(1, char('a' + extents.size())), n);
        extents.push_back(indices.back().second);
      }
    }
    levels = levels_of(pool, sizes, outside);
    for (const MaskLevel& level : levels) {
      for (const MaskIndex& index : level.indices) symbols.push_back(index.symbol);
    }
  }

  // All threads, lexicographically, with the values of their indices.
  void each(const std::function<void(std::int64_t, const Values&)>& visit) const {
    for (std::int64_t t = 0; t < size; ++t) {
      Values v(extents.size());
      std::int64_t rest = t;
      for (std::size_t k = extents.size(); k-- > 0;) {
        v[k] = rest % extents[k];
        rest /= extents[k];
      }
      visit(t, v);
    }
  }

  // By asking each; nothing where it is undefined for one, which is then `first_undefined`.
  std::optional<Threads> asked(const Drawn& predicate) {
    Threads threads;
    first_undefined.reset();
    each([&](std::int64_t t, const Values& v) {
      bool fails = false;
      const bool holds = predicate.value(v, fails) != 0;
      if (fails && !first_undefined) first_undefined = v;
      if (holds) threads.insert(t);
    });
    if (first_undefined) return std::nullopt;
    return threads;
  }

  // Is the set what the levels' own sets make, multiplied out? For each level: which of its
  // instances occur at all; a product is all combinations of those.
  bool is_product(const Threads& threads) const {
    if (threads.empty()) return true;
    std::vector<Threads> met(levels.size());
    for (std::int64_t t : threads) {
      std::int64_t rest = t;
      for (std::size_t k = levels.size(); k-- > 0;) {
        met[k].insert(rest % levels[k].extent());
        rest /= levels[k].extent();
      }
    }
    std::size_t all = 1;
    for (const Threads& level : met) all *= level.size();
    return all == threads.size();
  }

  ExprPool pool;
  Facts facts;
  ThreadMask::Levels levels;
  std::size_t outside = 0;
  std::vector<Expr> symbols;
  Values extents;
  std::int64_t size = 1;
  std::optional<Values> first_undefined;
};

Threads threads_of(const ThreadMask& mask) {
  Threads threads;
  for (std::int64_t t = 0; t < mask.size(); ++t) {
    if (mask.contains(t)) threads.insert(t);
  }
  return threads;
}

TEST(ThreadMaskRandom, IsWhatEveryThreadSays) {
  SplitMix64 random(7);
  int defined = 0, products = 0, undefined = 0;
  for (int n = 0; n < count(600, 10'000); ++n) {
    RandomMask r(random);
    Draw draw(r.pool, random, r.symbols);
    const Drawn predicate = draw.truth(int(draw.below(4)));
    const auto expected = r.asked(predicate);
    SCOPED_TRACE(to_string(predicate.e) + " for " + std::to_string(n));
    if (!expected) {
      ++undefined;
      std::string thread;
      for (std::size_t k = 0; k < r.symbols.size(); ++k) {
        thread += (k == 0 ? "" : ", ") + std::string(r.symbols[k].name()) + " = " +
                  std::to_string((*r.first_undefined)[k]);
      }
      try {
        (void)ThreadMask::of(predicate.e, r.levels, r.facts);
        ADD_FAILURE() << "accepted";
      } catch (const BadInput& refusal) {
        EXPECT_EQ(refusal.diagnostic().code, "E342");
        EXPECT_THAT(refusal.what(), testing::HasSubstr("for the thread " + thread + ": "));
      }
      continue;
    }
    ++defined;
    const auto mask = ThreadMask::of(predicate.e, r.levels, r.facts);
    ASSERT_TRUE(mask);
    ASSERT_EQ(threads_of(*mask), *expected);
    EXPECT_EQ(mask->size(), r.size);
    EXPECT_EQ(mask->count(), std::int64_t(expected->size()));
    EXPECT_EQ(mask->is_none(), expected->empty());
    EXPECT_EQ(mask->is_all(), std::int64_t(expected->size()) == r.size);
    EXPECT_EQ(mask->first().value_or(-1), expected->empty() ? -1 : *expected->begin());
    r.each([&](std::int64_t t, const Values& v) {
      EXPECT_EQ(mask->contains(std::span<const std::int64_t>(v)), expected->contains(t));
    });
    EXPECT_EQ(mask->is_product(), r.is_product(*expected));
    if (mask->is_product()) {
      ++products;
      EXPECT_EQ(read_product(mask->text()), *expected);
    }
    Threads of_rows;
    const auto rows = mask->rows();
    EXPECT_EQ(std::int64_t(rows.size()), mask->row_count());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::string& bits = rows[row];
      for (std::size_t x = 0; x < bits.size(); ++x) {
        if (bits[bits.size() - 1 - x] == '1') {
          of_rows.insert(std::int64_t(row * bits.size() + x));
        }
      }
    }
    EXPECT_EQ(of_rows, *expected);
  }
  EXPECT_GT(defined, more_than(400));
  EXPECT_GT(products, more_than(100));
  EXPECT_GT(undefined, more_than(10));
}

TEST(ThreadMaskRandom, SetsArePutTogetherAsSets) {
  SplitMix64 random(8);
  for (int n = 0; n < count(200, 5'000); ++n) {
    RandomMask r(random);
    Draw draw(r.pool, random, r.symbols);
    std::vector<ThreadMask> masks;
    std::vector<Threads> sets;
    while (masks.size() < 2) {
      const Drawn predicate = draw.truth(2);
      const auto set = r.asked(predicate);
      if (!set) continue;
      masks.push_back(*ThreadMask::of(predicate.e, r.levels, r.facts));
      sets.push_back(*set);
    }
    Threads both, either, rest, other;
    for (std::int64_t t = 0; t < r.size; ++t) {
      const bool a = sets[0].contains(t), b = sets[1].contains(t);
      if (a && b) both.insert(t);
      if (a || b) either.insert(t);
      if (a && !b) rest.insert(t);
      if (!a) other.insert(t);
    }
    EXPECT_EQ(threads_of(masks[0] & masks[1]), both);
    EXPECT_EQ(threads_of(masks[0] | masks[1]), either);
    EXPECT_EQ(threads_of(masks[0] - masks[1]), rest);
    EXPECT_EQ(threads_of(~masks[0]), other);
    EXPECT_EQ(disjoint(masks[0], masks[1]), both.empty());
    EXPECT_EQ(is_subset(masks[0], masks[1]), rest.empty());
    EXPECT_EQ(masks[0] == masks[1], sets[0] == sets[1]);
    // One set is one value, whatever it was made of.
    EXPECT_TRUE((masks[0] | masks[1]) == ~(~masks[0] & ~masks[1]));
    EXPECT_TRUE(((masks[0] - masks[1]) | (masks[0] & masks[1])) == masks[0]);
    EXPECT_TRUE((masks[0] | ~masks[0]) == ThreadMask::all(r.levels));
    EXPECT_TRUE((masks[0] - masks[0]) == ThreadMask::none(r.levels));
  }
}

TEST(ThreadMaskRandom, WarpsAreThoseThatAreCounted) {
  SplitMix64 random(9);
  int shared = 0;
  for (int n = 0; n < count(200, 5'000); ++n) {
    RandomMask r(random);
    Draw draw(r.pool, random, r.symbols);
    const Drawn predicate = draw.truth(2);
    const auto set = r.asked(predicate);
    if (!set) continue;
    const ThreadMask mask = *ThreadMask::of(predicate.e, r.levels, r.facts);
    std::int64_t threads = 1;
    for (std::size_t k = r.outside; k < r.levels.size(); ++k) threads *= r.levels[k].extent();
    ASSERT_EQ(mask.block_threads(), threads);
    ASSERT_EQ(mask.blocks(), r.size / threads);
    const auto counted = [&](std::int64_t block, std::int64_t unit) {
      ActiveUnits units;
      for (std::int64_t begin = 0; begin < threads; begin += unit) {
        std::int64_t active = 0, there = 0;
        for (std::int64_t t = begin; t < std::min(begin + unit, threads); ++t, ++there) {
          active += set->contains(block * threads + t) ? 1 : 0;
        }
        if (active == there) {
          ++units.full;
        } else if (active > 0) {
          ++units.partial;
        } else {
          ++units.idle;
        }
      }
      return units;
    };
    ActiveUnits warps, groups;
    std::map<std::vector<std::uint32_t>, std::int64_t> shapes;
    std::vector<std::vector<std::uint32_t>> in_order;
    for (std::int64_t block = 0; block < mask.blocks(); ++block) {
      for (const auto& [sum, unit] : {std::pair(&warps, 32), std::pair(&groups, 128)}) {
        const ActiveUnits more = counted(block, unit);
        sum->full += more.full;
        sum->partial += more.partial;
        sum->idle += more.idle;
      }
      std::vector<std::uint32_t> lanes(std::size_t((threads + 31) / 32));
      for (std::int64_t t = 0; t < threads; ++t) {
        if (set->contains(block * threads + t)) lanes[std::size_t(t / 32)] |= 1u << (t % 32);
      }
      ASSERT_EQ(mask.lanes(block), lanes);
      if (++shapes[lanes] == 1) in_order.push_back(lanes);
    }
    EXPECT_EQ(mask.warps(), warps);
    EXPECT_EQ(mask.warpgroups(), groups);
    EXPECT_EQ(mask.same_in_every_block(), shapes.size() == 1);
    const auto told = mask.block_masks();
    ASSERT_EQ(told.size(), shapes.size());
    shared += told.size() > 1 ? 1 : 0;
    for (std::size_t i = 0; i < told.size(); ++i) {
      EXPECT_EQ(told[i].lanes, in_order[i]);
      EXPECT_EQ(told[i].blocks, shapes[in_order[i]]);
      EXPECT_EQ(mask.lanes(told[i].first_block), in_order[i]);
      EXPECT_EQ(told[i].warps, counted(told[i].first_block, 32));
      EXPECT_EQ(told[i].warpgroups, counted(told[i].first_block, 128));
      std::int64_t active = 0;
      for (std::uint32_t word : in_order[i]) active += std::popcount(word);
      EXPECT_EQ(told[i].active, active);
    }
  }
  EXPECT_GT(shared, more_than(20));
}

// A loop around is one index more, and another mask each time.
TEST(ThreadMaskRandom, IterationsAreSlices) {
  SplitMix64 random(10);
  for (int n = 0; n < count(100, 2'000); ++n) {
    RandomMask r(random);
    const std::int64_t turns = std::int64_t(random.next() % 5) + 1;
    std::vector<Expr> symbols = r.symbols;
    symbols.push_back(r.pool.symbol("turn"));
    Draw draw(r.pool, random, symbols);
    const Drawn predicate = draw.truth(2);
    std::vector<Threads> expected(static_cast<std::size_t>(turns));
    bool fails = false;
    for (std::int64_t i = 0; i < turns; ++i) {
      r.each([&](std::int64_t t, Values v) {
        v.push_back(i);
        if (predicate.value(v, fails) != 0) expected[std::size_t(i)].insert(t);
      });
    }
    if (fails) continue;
    const MaskIndex loop = {symbols.back(), turns};
    const auto masks = masks_by_iteration(predicate.e, r.levels, std::span(&loop, 1), r.facts);
    ASSERT_EQ(masks.size(), expected.size());
    for (std::size_t i = 0; i < masks.size(); ++i) {
      ASSERT_TRUE(masks[i]);
      EXPECT_EQ(threads_of(*masks[i]), expected[i]) << to_string(predicate.e) << " at " << i;
    }
  }
}

// With symbols: a mask only where no value changes it, and always where none does.
TEST(ThreadMaskRandom, IsDynamicJustWhereAValueChangesIt) {
  SplitMix64 random(11);
  int constant = 0, dynamic = 0;
  for (int n = 0; n < count(400, 5'000); ++n) {
    RandomMask r(random);
    const auto below = [&](std::int64_t m) {
      return std::int64_t(random.next() % std::uint64_t(m));
    };
    const Expr symbol_n = r.pool.symbol("N"), symbol_m = r.pool.symbol("M");
    std::vector<Expr> symbols = r.symbols;
    symbols.push_back(symbol_n);
    symbols.push_back(symbol_m);
    const std::int64_t lo = below(9) - 4, hi = lo + below(5), top = below(6), step = below(3) + 1;
    r.facts.bound(symbol_n, r.pool.constant(lo), r.pool.constant(hi));
    r.facts.bound(symbol_m, r.pool.constant(0), r.pool.constant(top));
    r.facts.congruent(symbol_m, step);
    const bool is_tied = below(2) == 0;
    if (is_tied) r.facts.assume(symbol_n <= symbol_m);
    Draw draw(r.pool, random, symbols);
    const Drawn predicate = draw.truth(2);
    std::set<Threads> found;
    bool fails = false;
    for (std::int64_t v_n = lo; v_n <= hi; ++v_n) {
      for (std::int64_t v_m = 0; v_m <= top; v_m += step) {
        if (is_tied && v_n > v_m) continue;
        Threads threads;
        r.each([&](std::int64_t t, Values v) {
          v.push_back(v_n);
          v.push_back(v_m);
          if (predicate.value(v, fails) != 0) threads.insert(t);
        });
        found.insert(threads);
      }
    }
    if (fails || found.empty()) continue;
    const auto mask = ThreadMask::of(predicate.e, r.levels, r.facts);
    SCOPED_TRACE(to_string(predicate.e) + " for " + std::to_string(n));
    ASSERT_EQ(mask.has_value(), found.size() == 1);
    if (mask) {
      EXPECT_EQ(threads_of(*mask), *found.begin());
    }
    ++(mask ? constant : dynamic);
  }
  EXPECT_GT(constant, more_than(50));
  EXPECT_GT(dynamic, more_than(50));
}

TEST(ThreadMaskRandom, LongTextsSayTheSame) {
  SplitMix64 random(12);
  for (int n = 0; n < count(40, 400); ++n) {
    ExprPool pool;
    const std::int64_t x = std::int64_t(random.next() % 40) + 1, y = 5000 / x + 1;
    const LevelSizes sizes = {{{"b", 3}}, {{"x", x}, {"y", y}, {"z", 2}}};
    const auto levels = levels_of(pool, sizes);
    Draw draw(pool, random, {levels[1].indices[0].symbol, levels[1].indices[1].symbol});
    const Drawn predicate = draw.truth(2);
    std::string bits;
    bool fails = false;
    for (std::int64_t t = x * y * 2; t-- > 0;) {
      bits += predicate.value({t / 2 / y, t / 2 % y}, fails) != 0 ? '1' : '0';
    }
    if (fails) continue;
    const bool is_none = bits.find('1') == bits.npos;
    const auto mask = ThreadMask::of(predicate.e, levels, Facts(pool));
    const std::string text = mask->text();
    const std::size_t cut = text.find('-');
    EXPECT_EQ(spelled_out(text.substr(0, cut)), is_none ? "000" : "111");
    EXPECT_EQ(spelled_out(text.substr(cut + 1)), bits) << to_string(predicate.e);
  }
}

}  // namespace
}  // namespace selvage
