#pragma once

#include <selvage/expr/expr.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// Symbols and their values, each symbol once: loop variables as a rule, outer to inner, then sizes.
using Point = std::vector<std::pair<Expr, std::int64_t>>;

std::vector<Expr> symbols_in(const Point& point);
std::vector<std::int64_t> values_in(const Point& point);

// One value for each symbol.
Point point_at(std::span<const Expr> symbols, std::span<const std::int64_t> values);

// The value that the point gives a symbol; nothing if the symbol is not in it.
std::optional<std::int64_t> value_of(Expr symbol, const Point& point);
// The value of e at the point, which has all its symbols; nothing if undefined or overflowing.
std::optional<std::int64_t> value_at(Expr e, const Point& point);

// The point with the symbols of `first` in front, in this order (0 for one that it does not have),
// then its other symbols.
Point in_order(std::span<const Expr> first, const Point& point);

// I3 = 1, I4 = 0
std::string to_text(const Point& point);

}  // namespace selvage
