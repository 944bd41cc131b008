// Checks: conditions that a kernel tests as it computes, and records where one fails.
//   checked(i + 1)                a subscript is inside of its axis
//   a // b, a % b                 the divisor of integers is not 0
//   assert(x[i] > 0, "message")   whatever is said
// A fusion has them if it is built to be checked (Fusion::set_checked); else a checked subscript is
// a safe one, and nothing else is left of them.
#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/expr/expr.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

struct ValueCheck {
  enum class Kind : std::uint8_t { Inside, Divisor, Assertion };
  Kind kind = Kind::Inside;
  std::string computed;   // the tensor whose item is computed
  std::string read = {};  // of Inside: the tensor, and the axis with this extent
  std::size_t axis = 0;
  Expr extent = {};
  std::string text = {};     // of an Assertion: its condition; of a Divisor: the sign
  std::string message = {};  // of an Assertion, perhaps
  Place place = {};          // in the file; line 0: not known
  // The indices that it depends on, outer to inner: names and extents.
  std::vector<std::string> indices = {};
  std::vector<Expr> extents = {};
};

// The values of the check's extents, then that of `extent`, by `value`; nullopt: not known.
std::vector<std::optional<std::int64_t>> check_extents(
    const ValueCheck& check, const std::function<std::optional<std::int64_t>(Expr)>& value);

// A sentence that says which check has failed: "y[i = 7] reads x at 8 on axis 0, which has 8
// items".
//   number   of the point, row-major over the indices
//   shown    the subscript, of Inside
//   extents  check_extents()
std::string failure_text(const ValueCheck& check, std::int64_t number, std::int64_t shown,
                         std::span<const std::optional<std::int64_t>> extents);

// What a check is about, before anything runs: "x at i + 1 on axis 0, read by y".
std::string subject_text(const ValueCheck& check);

}  // namespace selvage
