#pragma once

#include <selvage/expr/expr.h>
#include <selvage/simplifier/congruence.h>
#include <selvage/simplifier/interval.h>

#include <span>
#include <unordered_map>
#include <vector>

namespace selvage {

// What may be taken as true: ranges and multiples of symbols, relations between symbols, guards. A
// value: an inner scope is a copy with more facts. A symbol without facts is any integer.
class Facts {
 public:
  struct Symbol {
    Expr symbol;
    Expr lo, hi;     // ends included, over symbols declared before; invalid: none
    Interval range;  // the bounds that are numbers
    Congruence congruence;
    friend bool operator==(const Symbol& a, const Symbol& b) {
      return same(a.symbol, b.symbol) && same(a.lo, b.lo) && same(a.hi, b.hi) &&
             a.range == b.range && a.congruence == b.congruence;
    }
  };

  explicit Facts(ExprPool& pool) : pool_(&pool) {}
  ~Facts();
  Facts(const Facts&);
  Facts(Facts&&) noexcept;
  Facts& operator=(const Facts&);
  Facts& operator=(Facts&&) noexcept;

  // lo <= symbol <= hi; an invalid lo or hi is no bound. Bounds given by several calls all hold.
  void bound(Expr symbol, Expr lo, Expr hi);
  // 0 <= symbol < extent: a loop variable. The extent may depend on symbols declared before.
  void loop(Expr symbol, Expr extent);
  // symbol = residue (mod modulus), modulus >= 1.
  void congruent(Expr symbol, std::int64_t modulus, std::int64_t residue = 0);
  // Any condition is taken as true: conjunctions part by part, `N <= 64` and `N % 4 == 0` as facts
  // of N.
  void assume(Expr condition);

  // A copy that keeps the bounds and congruences of symbols, without the assumptions.
  Facts of_symbols() const;

  // A copy without these symbols, and without the bounds and assumptions in which they occur.
  Facts without(std::span<const Expr> symbols) const;

  ExprPool& pool() const { return *pool_; }
  // In the order of declaration: outer loops before inner ones.
  const std::vector<Symbol>& symbols() const { return symbols_; }
  const Symbol* find(Expr symbol) const;
  std::size_t position(Expr symbol) const;  // in symbols(); symbols().size() if it is not there
  const std::vector<Expr>& assumptions() const { return assumptions_; }

 private:
  Symbol& declare(Expr symbol);
  bool absorb_order(Expr lesser, Expr greater, bool strict);

  ExprPool* pool_;
  std::vector<Symbol> symbols_;
  std::unordered_map<std::uint32_t, std::size_t> positions_;
  std::vector<Expr> assumptions_;
};

// The facts that relate several symbols: all assumptions, and `lo <= symbol` or `symbol <= hi` for
// each bound that is not a number.
std::vector<Expr> relations(const Facts& facts);

}  // namespace selvage
