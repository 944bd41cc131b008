#pragma once

#include <selvage/expr/tape.h>

#include <span>

namespace selvage {

// Whether e is in the list.
bool contains(std::span<const Expr> list, Expr e);

// Whether one of these symbols occurs in e, Let looked through.
bool mentions(Expr e, std::span<const Expr> symbols);
inline bool mentions(Expr e, Expr symbol) { return mentions(e, std::span(&symbol, 1)); }

// Whether no other symbols than these occur in the expressions, Let looked through. Then their
// values are all that an evaluation needs.
bool uses_only(std::span<const Expr> expressions, std::span<const Expr> symbols);
inline bool uses_only(Expr e, std::span<const Expr> symbols) {
  return uses_only(std::span(&e, 1), symbols);
}

}  // namespace selvage
