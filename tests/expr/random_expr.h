#pragma once

#include <selvage/expr/expr.h>

#include <random>
#include <string>
#include <vector>

namespace selvage {

// Random expressions for tests that quantify over all of them: every operator that can be written
// and evaluated, small constants often, the ends of 64 bits now and then.
class RandomExpr {
 public:
  RandomExpr(ExprPool& pool, std::uint64_t seed, std::vector<std::string> names = {"i", "j", "N"})
      : pool_(pool), random_(seed), names_(std::move(names)) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  std::int64_t number() {
    static constexpr std::int64_t kEnds[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1};
    if (ends && below(12) == 0) return kEnds[below(4)];
    return std::int64_t(below(21)) - 10;
  }

  Expr integer(int depth) {
    if (depth == 0 || below(6) == 0) {
      return below(3) == 0 ? pool_.constant(number()) : pool_.symbol(names_[below(names_.size())]);
    }
    static constexpr Op kOps[] = {Op::Add, Op::Sub, Op::Mul, Op::Div,
                                  Op::Mod, Op::Min, Op::Max, Op::Xor};
    if (below(9) == 0) {
      const Expr condition = truth(depth - 1);
      const Expr chosen = integer(depth - 1);
      return select(condition, chosen, integer(depth - 1));
    }
    return binary(kOps[below(std::size(kOps))], depth);
  }

  Expr truth(int depth) {
    if (depth == 0) return pool_.truth(below(2) == 0);
    switch (below(7)) {
      case 0: return binary(Op::Lt, depth);
      case 1: return binary(Op::Le, depth);
      case 2: return binary(Op::Eq, depth);
      case 3: return !truth(depth - 1);
      case 4: return !binary(Op::Eq, depth);
      case 5: {
        const Expr left = truth(depth - 1);
        return left && truth(depth - 1);
      }
      default: {
        const Expr left = truth(depth - 1);
        return left || truth(depth - 1);
      }
    }
  }

  bool ends = true;  // whether the ends of 64 bits occur

 private:
  // Operands in a fixed order: the same seed makes the same expression with every compiler.
  Expr binary(Op op, int depth) {
    const Expr left = integer(depth - 1);
    return pool_.make(op, left, integer(depth - 1));
  }

  ExprPool& pool_;
  std::mt19937_64 random_;
  std::vector<std::string> names_;
};

}  // namespace selvage
