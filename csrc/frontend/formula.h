#pragma once

#include <selvage/base/data_type.h>
#include <selvage/frontend/document.h>
#include <selvage/ir/scalar.h>

#include <cstdint>
#include <string>
#include <vector>

namespace selvage {

// A statement in index notation, `y[m, n] = relu(a[m, n] + b[n])`, taken apart: what names mean is
// left to the reader of the section.
//   expression  || && == != < <= > >= + - * / // % with C's precedence, unary - and !,
//               functions as ir/scalar.h names them, casts by the names of types, numbers, true,
//               false, names, elements of tensors
struct FormulaNode {
  enum class Kind : std::uint8_t { Integer, Real, Truth, Name, Element, Apply, Cast };
  Kind kind = Kind::Integer;
  std::size_t at = 0;     // where it stands in the text
  std::string name = {};  // Name, Element
  std::int64_t integer = 0;
  double real = 0;
  Function function = Function::Add;
  DataType type = DataType::Float;           // Cast
  std::vector<std::uint32_t> operands = {};  // Element: its subscripts
  bool in_subscript = false;
};

struct Formula {
  struct Index {
    std::string name;
    std::size_t at;
  };
  std::string target;
  std::size_t target_at = 0;
  std::vector<Index> indices;      // of the target
  std::vector<FormulaNode> nodes;  // operands before their users, the value last
};

// Throws BadInput at the place in the file: E104 too long or too deep, E108 number too large, E314
// not a statement, E315 unknown function, E390 reductions, access modes and loads.
Formula parse_formula(const Node& text);

}  // namespace selvage
