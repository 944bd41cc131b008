#pragma once

#include <selvage/kernel/expressions.h>
#include <selvage/simplifier/simplifier.h>

#include <memory>
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

  // What is written for an expression of the kernel.
  Expr operator()(Expr e) const;
  // Of what is written: an equal expression that is easier to reason about, x % 12 for
  // x - x/12*12.
  Expr meaning(Expr form) const;
  const ComputedExpressions& computed() const { return computed_; }
  // The meaning of everything that is computed on the way.
  std::vector<Expr> intermediates() const;

  // Are they those of this kernel? Of one that computes the same expressions under the same facts.
  bool are_of(const Kernel& kernel) const;

 private:
  friend class FormsWriter;

  Facts facts_;
  ComputedExpressions computed_;
  std::unordered_map<std::uint32_t, Expr> forms_, meanings_;  // by id
  std::vector<Expr> written_;
};

// Those that the kernel brings with it, if they still are its own; else they are found anew.
std::shared_ptr<const Forms> forms_of(const Kernel& kernel);

}  // namespace selvage
