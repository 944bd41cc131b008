#pragma once

#include <selvage/kernel/expressions.h>
#include <selvage/kernel/shared_divisions.h>
#include <selvage/kernel/shared_sums.h>

#include <unordered_map>
#include <vector>

namespace selvage {

// How the index expressions of a kernel are written, all of them seen together: an expression that
// is cheapest alone is not what costs least beside the others. (i*32 + t) % 12 is (i*8 + t) % 12
// alone, but where (i*32 + t) / 12 is needed too, the two share one division.
//
// What is written equals the expression at every loop point where that has a value, guarded or not,
// so what several places have in common may be computed at any point where its variables are
// defined. No intermediate is larger than those of the expression as it stands (taken to be in
// canonical order), or else it is proved to fit 32 bits.
class Forms {
 public:
  // `ranges`: of the kernel's facts.
  Forms(const Kernel& kernel, Simplifier& ranges);
  Forms(const Forms&) = delete;
  Forms& operator=(const Forms&) = delete;

  // What is written for an expression of the kernel.
  Expr operator()(Expr e) const;
  // Of what is written: an equal expression that is easier to reason about, x % 12 for
  // x - x/12*12.
  Expr meaning(Expr form) const;
  const ComputedExpressions& computed() const { return computed_; }
  // The meaning of everything that is computed on the way.
  std::vector<Expr> intermediates() const;

 private:
  void collect(Expr e);
  int depth(Expr e);

  Expr write(Expr e);
  Expr write_anew(Expr e);
  Expr write_shared(const SharedDivisions::Form& form);
  Expr write_sum(const LinearSum& sum, bool any_order);
  Expr write_term(const LinearSum::Term& term);
  Expr write_atom(Expr e);
  Expr make(Op op, Expr a, Expr b);
  bool note(Expr form);

  ExprPool& pool_;
  Simplifier& ranges_;
  ComputedExpressions computed_;
  SharedDivisions divisions_;
  SharedSums sums_;
  std::unordered_map<std::uint32_t, std::size_t> sum_numbers_;  // of sums that are taken apart
  std::unordered_map<std::uint32_t, int> depths_;
  std::unordered_set<std::uint32_t> collected_, noted_;
  std::unordered_map<std::uint32_t, Expr> forms_, parts_, meanings_;  // by id
  std::vector<Expr> written_;
};

}  // namespace selvage
