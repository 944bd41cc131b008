#include <selvage/base/check.h>
#include <selvage/ir/access_mode.h>

namespace selvage {

namespace {

// All forms, with what they share.
class Remapping {
 public:
  Remapping(Simplifier& simplifier, Expr x, Expr n)
      : simplifier_(simplifier), x_(x), n_(n), last_(simplifier.simplify(n - 1)) {}

  // What is in bounds anyway stays as it is, and is plain to see in bounds.
  Expr general(AccessMode mode) {
    switch (mode) {
      case AccessMode::Clamped: return clamped(x_);
      case AccessMode::Circular: return x_ % n_;
      case AccessMode::Mirror: {
        const Expr there = x_ % simplifier_.simplify(2 * n_);  // and back
        return clamped(min(there, simplifier_.simplify(2 * n_ - 1) - there));
      }
      case AccessMode::Reflect: {
        const Expr twice = simplifier_.simplify(2 * last_);
        const Expr there = x_ % simplifier_.simplify(max(twice, number(1)));
        return clamped(min(there, twice - there));
      }
    }
    SELVAGE_CHECK(!"a mode");
  }

  Remapped in_reach(AccessMode mode) {
    const bool is_above = proves(0 <= x_), is_below = proves(x_ < n_);
    if (is_above && is_below) return {x_, RemapForm::None};
    switch (mode) {
      case AccessMode::Clamped: {
        const Expr low = is_above ? x_ : max(x_, number(0));
        return {is_below ? low : min(low, last_), RemapForm::Near};
      }
      case AccessMode::Circular:
        if (!is_above && !proves(0 <= x_ + n_)) break;
        if (!is_below && !proves(x_ < 2 * n_)) break;
        return {general(mode), RemapForm::Near};
      case AccessMode::Mirror: {
        if (!is_above && !proves(0 <= x_ + n_)) break;
        if (!is_below && !proves(x_ < 2 * n_)) break;
        const Expr low = is_above ? x_ : max(x_, -1 - x_);
        return {is_below ? low : min(low, 2 * n_ - 1 - low), RemapForm::Near};
      }
      case AccessMode::Reflect: {
        if (!is_above && !proves(0 < x_ + n_)) break;
        if (!is_below && !proves(x_ < 2 * n_ - 1)) break;
        const Expr low = is_above ? x_ : max(x_, 0 - x_);
        return {is_below ? low : min(low, 2 * n_ - 2 - low), RemapForm::Near};
      }
    }
    return {general(mode), RemapForm::General};
  }

 private:
  Expr number(std::int64_t v) const { return simplifier_.pool().constant(v); }
  Expr clamped(Expr place) const { return min(max(place, number(0)), last_); }
  bool proves(Expr claim) { return simplifier_.proves(claim); }

  Simplifier& simplifier_;
  const Expr x_, n_, last_;
};

}  // namespace

std::string_view to_string(AccessMode mode) {
  switch (mode) {
    case AccessMode::Clamped: return "clamped";
    case AccessMode::Circular: return "circular";
    case AccessMode::Mirror: return "mirror";
    case AccessMode::Reflect: return "reflect";
  }
  SELVAGE_CHECK(!"a mode");
}

std::string sequence_of(AccessMode mode) {
  switch (mode) {
    case AccessMode::Clamped: return "0 0 0 | 0 1 2 3 | 3 3 3";
    case AccessMode::Circular: return "1 2 3 | 0 1 2 3 | 0 1 2";
    case AccessMode::Mirror: return "2 1 0 | 0 1 2 3 | 3 2 1";
    case AccessMode::Reflect: return "3 2 1 | 0 1 2 3 | 2 1 0";
  }
  SELVAGE_CHECK(!"a mode");
}

std::string_view to_string(RemapForm form) {
  switch (form) {
    case RemapForm::None: return "none";
    case RemapForm::Near: return "near";
    case RemapForm::General: return "general";
  }
  SELVAGE_CHECK(!"a form");
}

Expr remapped(Simplifier& simplifier, AccessMode mode, Expr x, Expr n) {
  return Remapping(simplifier, x, n).general(mode);
}

Remapped remapped_in_reach(Simplifier& simplifier, AccessMode mode, Expr x, Expr n) {
  return Remapping(simplifier, x, n).in_reach(mode);
}

}  // namespace selvage
