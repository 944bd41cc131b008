#pragma once

#include <selvage/expr/expr.h>
#include <selvage/simplifier/interval.h>

#include <cstdint>
#include <functional>

namespace selvage {

// The least of these that holds every value of something.
enum class Width : std::uint8_t { Int32, Int64, Beyond };
Width width_of(const Interval& values);

// What holds every intermediate of an expression, computed as it is written; Let looked through.
// `range` gives the values of symbols, loads and calls.
Width tree_width(Expr e, const std::function<Interval(Expr)>& range);

}  // namespace selvage
