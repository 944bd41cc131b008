// Access modes: the element that a read gets where a subscript is outside of its axis.
//   y[i, j] = x[mirror(i - 1), clamped(j + 2)]       in files
//   x(mirror(i - 1), clamped(j + 2))                 in C++
#pragma once

#include <selvage/simplifier/simplifier.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace selvage {

// An axis of n elements goes on, before its first and after its last one, as
//   Clamped   0 0 0 | 0 1 2 3 | 3 3 3      Circular  1 2 3 | 0 1 2 3 | 0 1 2
//   Mirror    2 1 0 | 0 1 2 3 | 3 2 1      Reflect   3 2 1 | 0 1 2 3 | 2 1 0
// Libraries call them otherwise, and one name has two meanings (doc/reference.md). An axis without
// elements has nothing to go on with.
enum class AccessMode : std::uint8_t { Clamped, Circular, Mirror, Reflect };

std::string_view to_string(AccessMode mode);  // as files say it: "mirror"
// Three elements before an axis of four, the axis, and three behind it: "2 1 0 | 0 1 2 3 | 3 2 1".
std::string sequence_of(AccessMode mode);

// A subscript of a read under a mode: axis `axis` is read at `of`, brought into the axis.
struct AxisMode {
  std::uint32_t axis = 0;
  AccessMode mode = AccessMode::Clamped;
  Expr of = {};
};

// How a subscript is brought into its axis. Each form is right wherever it is used.
enum class RemapForm : std::uint8_t {
  None,  // it is proved to be inside
  // It is proved to be one fold away at most: minima and maxima alone; of Circular a remainder that
  // is written as a comparison (Scope::Division, codegen/scope.h).
  Near,
  General,  // any distance: a remainder
};
std::string_view to_string(RemapForm form);  // "none", "near", "general"

// The element in [0, n) at which `x` is read, for n >= 1 and any x, in the General form.
Expr remapped(Simplifier& simplifier, AccessMode mode, Expr x, Expr n);
// The same in the form that the facts of the simplifier allow.
struct Remapped {
  Expr subscript;
  RemapForm form = RemapForm::General;
};
Remapped remapped_in_reach(Simplifier& simplifier, AccessMode mode, Expr x, Expr n);

}  // namespace selvage
