#pragma once

#include <selvage/kernel/expressions.h>
#include <selvage/simplifier/simplifier.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace selvage {

// The forms in which the index expressions of a kernel are written. All expressions are considered
// together, as the cheapest form of each alone may not be the cheapest in all: (i*32 + t) % 12 is
// (i*8 + t) % 12 alone, but where (i*32 + t) / 12 is needed too, the two share one division.
//
// A form equals its expression at every loop point where the expression has a value, guarded or
// not; so a subexpression that several places share may be computed wherever its variables are
// defined. Each intermediate of a form is either no larger than those of the expression itself
// (taken in canonical order), or proved to fit 32 bits.
class Forms {
 public:
  // `ranges`: of the kernel's facts.
  Forms(const Kernel& kernel, Simplifier& ranges);

  // The form of an expression of the kernel; the expression itself if it has none.
  Expr operator()(Expr e) const;
  // An expression equal to a form that is easier to reason about: x % 12 for x - x/12*12.
  Expr meaning(Expr form) const;
  const ComputedExpressions& computed() const { return computed_; }
  // The meanings of all subexpressions of the forms.
  std::vector<Expr> intermediates() const;

  // Whether these are the forms of `kernel`, too: it computes equal expressions under equal facts.
  bool are_of(const Kernel& kernel) const;

 private:
  friend class FormsWriter;

  Facts facts_;
  ComputedExpressions computed_;
  std::unordered_map<std::uint32_t, Expr> forms_, meanings_;  // by id
  std::vector<Expr> written_;
};

// kernel.forms if these still are the forms of the kernel; else new ones.
std::shared_ptr<const Forms> forms_of(const Kernel& kernel);

}  // namespace selvage
