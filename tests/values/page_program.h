// A fusion as a description of its own, and what it computes by doc/values.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/values/element.h"

namespace selvage::values {

// Two axes, 0 and 1, of constant extents. A set of axes has bit k for axis k.
using Axes = unsigned;
inline constexpr Axes kBothAxes = 3;

struct Literal {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;
};
bool fits(const Literal& literal, DataType type);
// The type that a literal has where it meets another.
DataType type_beside(const Literal& literal, DataType other);

enum class How : std::uint8_t {
  Sum,
  Prod,
  Max,
  Min,
  FMax,
  FMin,
  Mean,
  Var,
  Any,
  All,
  ArgMax,
  ArgMin
};
inline constexpr int kHows = int(How::ArgMin) + 1;
std::string_view text_of(How how);

// An expression: over every axis that a read in it has, but for those that a fold takes away.
struct Node {
  enum class Kind : std::uint8_t { Literal, Read, Apply, Cast, Fold };
  Kind kind = Kind::Literal;
  Literal literal = {};               // Literal; of a Read that is shifted, what there is outside
  int tensor = 0;                     // Read: inputs first, then what the statements compute
  std::array<int, 2> shift = {0, 0};  // Read: the item at m is that at m - shift
  Op op = Op::Add;                    // Apply
  DataType type = DataType::Bool;     // Cast
  How how = How::Sum;                 // Fold, over these axes
  Axes folded = 0;
  std::optional<int> correction = {};
  std::vector<Node> operands = {};
};

struct Input {
  std::string name;
  std::vector<int> axes;  // outer to inner
  Array values;
};

struct Statement {
  std::string name;
  std::vector<int> axes;  // outer to inner: those of the value
  Node value;
  bool is_output = false;
  std::optional<DataType> stored = {};  // as an output; who reads it reads the value
};

struct PageProgram {
  std::array<std::int64_t, 2> extents = {1, 1};
  std::vector<Input> inputs;
  std::vector<Statement> statements;

  const std::vector<int>& axes_of(int tensor) const;
  const std::string& name_of(int tensor) const;
};

// The types of all tensors; nothing where one of them is refused.
std::optional<std::vector<DataType>> types_of(const PageProgram& program);
// The type of an expression beside those of the tensors before it; of a literal alone nothing.
std::optional<DataType> type_of(const Node& node, const std::vector<DataType>& tensors);
Axes axes_of(const Node& node, const PageProgram& program);

DataType fold_result(How how, DataType item);
Element folded(How how, const std::vector<Element>& items, int correction);

// Over axes of a program, in the order of the axes, row by row.
struct Items {
  Axes axes = 0;
  std::vector<Element> elements;
};
// What each output holds, by name and with the items in the order of its axes.
struct Output {
  std::string name;
  std::vector<Element> elements;
};
std::vector<Output> evaluated(const PageProgram& program);

}  // namespace selvage::values
