#pragma once

#include <selvage/expr/expr.h>

#include <functional>
#include <string>
#include <unordered_map>

namespace selvage {

// Names of Let expressions, by their id.
using LetNames = std::unordered_map<std::uint32_t, std::string>;

// C-like text with the fewest parentheses; `^` always has them. parse_expr(to_string(e)) is e.
// A Let is written by its name where `lets` has one, else by its definition.
std::string to_string(Expr e, const LetNames* lets = nullptr);
// The length of that text; stops counting past `limit`.
std::size_t text_length(Expr e, std::size_t limit, const LetNames* lets = nullptr);

// Gives the expression that an identifier stands for; an invalid Expr if the name is not known.
using Resolver = std::function<Expr(std::string_view)>;

// Reads integer and Boolean expressions: + - * / % ^ < <= > >= == != && || ! min max select
// ceilDiv, table[subscripts] (Load) and function(operands) (Call), integers, true, false;
// precedence as in C. Throws BadInput (E301 not an expression, E302 unknown name, E303 Boolean and
// integer mixed up, E108 integer too large) with the column within the text; nesting deeper than 64
// is refused.
Expr parse_expr(ExprPool& pool, std::string_view text, const Resolver& resolve);
Expr parse_expr(ExprPool& pool, std::string_view text);  // every identifier is a symbol

// The term in SMT-LIB, Let looked through. Integers are integers there too.
std::string to_smt(Expr e);

}  // namespace selvage
