#pragma once

#include <selvage/expr/expr.h>
#include <selvage/ir/scalar.h>

#include <vector>

namespace selvage {

enum class ValueId : std::uint32_t {};

// One node of a graph of element values.
//   Constant  a literal: `integer` for Bool and the integers, `real` for the floats
//   Index     an integer expression as a value (type Int64)
//   Read      an element: of tensor `source` at `subscripts` in a Fusion; in a Kernel, of buffer
//             `source` at the one subscript, the address in elements
//   Apply     a function of operands of equal compute type
//   Cast      the one operand in another compute type; `type` Half or BFloat16 rounds there and
//   back
struct ValueNode {
  enum class Kind : std::uint8_t { Constant, Index, Read, Apply, Cast };
  Kind kind;
  DataType type;  // of the value; Half and BFloat16 values are computed in float
  bool weak = false;
  std::int64_t integer = 0;
  double real = 0;
  Expr index = {};
  std::uint32_t source = 0;
  std::vector<Expr> subscripts = {};
  Function function = Function::Add;
  std::vector<ValueId> operands = {};
};

// Append-only; operands come before their users.
class ValueGraph {
 public:
  const ValueNode& operator[](ValueId v) const { return nodes_[std::size_t(v)]; }
  std::size_t size() const { return nodes_.size(); }

  ValueId add(ValueNode node);
  ValueId constant(DataType type, std::int64_t v, bool weak);
  ValueId constant(DataType type, double v, bool weak);
  ValueId index(Expr e);
  ValueId read(DataType type, std::uint32_t source, std::vector<Expr> subscripts);
  // Promotes the operands and inserts the casts that are needed.
  ValueId apply(Function f, std::vector<ValueId> operands);
  // A cast to any type; nothing is inserted where the type is that already.
  ValueId cast(ValueId v, DataType type);

 private:
  std::vector<ValueNode> nodes_;
};

}  // namespace selvage
