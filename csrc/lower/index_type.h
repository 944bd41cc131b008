#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/simplifier/simplifier.h>

#include <span>

namespace selvage {

// Which integers a kernel's index arithmetic needs.
struct IndexWidth {
  bool fits_32 = false;     // every intermediate is proved to fit 32 bits
  bool never_fits = false;  // some intermediate is known not to: all sizes are numbers
  Expr condition;           // over sizes: where it holds, every intermediate fits
};

// `expressions`: everything that is emitted; `ranges`: loops and sizes, without guards, since a
// value may be computed before its guard.
IndexWidth index_width(std::span<const Expr> expressions, Simplifier& ranges);

}  // namespace selvage
