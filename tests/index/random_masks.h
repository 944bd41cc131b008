#pragma once

#include <functional>
#include <set>

#include "masks.h"
#include "tests/oracle/arithmetic.h"

namespace selvage::test {

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

inline Threads threads_of(const ThreadMask& mask) {
  Threads threads;
  for (std::int64_t t = 0; t < mask.size(); ++t) {
    if (mask.contains(t)) threads.insert(t);
  }
  return threads;
}

}  // namespace selvage::test
