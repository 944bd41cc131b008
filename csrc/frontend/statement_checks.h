#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/ir/fusion.h>

#include <cstdint>
#include <optional>
#include <string>

namespace selvage {

// The checks of a statement (ir/value_check.h): each takes a value and gives it with a check or, in
// a fusion that is not checked, as it is. `node`: the number of the formula's node that is checked.
class StatementChecks {
 public:
  StatementChecks(const Formula& formula, const Node& text, Fusion& fusion)
      : formula_(formula), text_(text), fusion_(fusion) {}

  // The condition of an assertion.
  ValueId of_assertion(std::uint32_t node, ValueId condition) const;
  // A quotient or a remainder of integers: the divisor is not 0. Other values stay as they are.
  ValueId of_division(std::uint32_t node, ValueId divisor, ValueId result) const;
  // The value of a read out of bounds: the subscript `at` is inside of its axis.
  ValueId of_subscript(std::uint32_t node, TensorId source, std::size_t axis, ValueId at,
                       ValueId otherwise) const;

 private:
  ValueId checked(ValueCheck check, std::uint32_t node, ValueId condition, ValueId value,
                  std::optional<ValueId> shown) const;

  const Formula& formula_;
  const Node& text_;
  Fusion& fusion_;
};

}  // namespace selvage
