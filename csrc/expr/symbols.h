#pragma once

#include <selvage/expr/tape.h>

#include <span>

namespace selvage {

// Is the expression one of the list, by its structure?
bool contains(std::span<const Expr> list, Expr e);

// Does one of these symbols occur in the expression?
bool mentions(Expr e, std::span<const Expr> symbols);
inline bool mentions(Expr e, Expr symbol) { return mentions(e, std::span(&symbol, 1)); }

// Does nothing occur in the expressions but these symbols, Let looked through? Then their values
// are all that an evaluation needs.
bool uses_only(std::span<const Expr> expressions, std::span<const Expr> symbols);
inline bool uses_only(Expr e, std::span<const Expr> symbols) {
  return uses_only(std::span(&e, 1), symbols);
}

}  // namespace selvage
