#pragma once

#include <selvage/expr/text.h>
#include <selvage/simplifier/simplifier.h>

#include <string>
#include <string_view>

namespace selvage {

// Facts given as text, and what they make of an expression.
struct Scope {
  ExprPool pool;
  Facts facts{pool};

  Expr parse(std::string_view text) { return parse_expr(pool, text); }
  Scope& loop(std::string_view name, std::string_view extent) {
    facts.loop(pool.symbol(name), parse(extent));
    return *this;
  }
  Scope& bound(std::string_view name, std::int64_t lo, std::int64_t hi) {
    facts.bound(pool.symbol(name), pool.constant(lo), pool.constant(hi));
    return *this;
  }
  Scope& positive(std::string_view name) {
    facts.bound(pool.symbol(name), pool.constant(1), {});
    return *this;
  }
  Scope& assume(std::string_view condition) {
    facts.assume(parse(condition));
    return *this;
  }
  std::string simplify(std::string_view text) {
    return to_string(Simplifier(facts).simplify(parse(text)));
  }
  // "proved", "refuted at i = 3, N = 2" or "unknown: what is left".
  std::string prove(std::string_view text) {
    const Verdict verdict = Simplifier(facts).prove(parse(text));
    if (is_proved(verdict)) return "proved";
    if (const auto* unknown = std::get_if<Unknown>(&verdict)) {
      return "unknown: " + to_string(unknown->residue);
    }
    std::string point;
    for (const auto& [symbol, value] : std::get<Refuted>(verdict).point) {
      point += (point.empty() ? "" : ", ") + to_string(symbol) + " = " + std::to_string(value);
    }
    return "refuted at " + point;
  }
};

}  // namespace selvage
