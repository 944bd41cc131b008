#pragma once

#include <selvage/expr/expr.h>
#include <selvage/ir/access_mode.h>
#include <selvage/ir/fast_math.h>
#include <selvage/ir/scalar.h>

#include <optional>
#include <vector>

namespace selvage {

enum class ValueId : std::uint32_t {};

// Why a subscript that is a value is in bounds.
enum class IndexMode : std::uint8_t {
  Proved,     // its type says so; else the read is refused (E440)
  Clamped,    // it is made so: the nearest element is read
  Unchecked,  // the user promises it, and nothing is tested
};
// A number among the subscripts of a Read that is itself a value, of type Int64: `symbol` stands
// for idx[i] in x[idx[i], j]. ir/gather.h makes them.
struct LoadedIndex {
  Expr symbol;
  IndexMode mode = IndexMode::Proved;
  // 0 <= symbol <= most, over sizes. Invalid: nothing is known of it.
  Expr most = {};
};

// One node of a graph of element values.
//   Constant  a literal: `integer` for Bool and the integers, `real` for the floats
//   Index     an integer expression as a value (type Int64), or a condition as one (Bool)
//   Read      an element: of tensor `source` at `subscripts` in a Fusion; in a Kernel, of buffer
//             `source` at the one subscript, the address in elements. In a Fusion it may have
//             operands: the values of the numbers `loaded`, then, if it has otherwise(), the value
//             where a subscript is out of bounds, of the same compute type. `modes`: the subscripts
//             that an access mode has made, and of what
//   Apply     a function of operands of equal compute type; `math`: how a kernel computes it
//   Search    of a Kernel alone, of type Int64: in buffer `source`, whose elements from `first` to
//             `last` (the two subscripts) rise, the greatest k in that range with element k plus
//             `integer` * k at most the one operand; `first`, if there is none. Element `first`
//             itself is never read
//   Check     four operands: a condition, a value, and two numbers of type Int64. It is the value;
//             and where the condition is false, a kernel records that check number `source` of the
//             fusion (ir/value_check.h) has failed, at the point with the second number, with the
//             first one as what is shown
//   Cast      convert(the one operand, type): another compute type; a type narrower than its
//             compute type (Half, BFloat16, Int8, ...) rounds or wraps there and back
// The type of a value is its storage type; the value is computed in compute_type(type). A value of
// an integer type always lies within that type: where an Apply may leave it, apply() puts a Cast
// around. A Half or a BFloat16 is carried in float; only a Cast, or being stored as an output,
// rounds it. `weak`: made of literals alone, so it takes the type of what it meets; a weak floating
// Constant keeps the precision of `real` until then.
struct ValueNode {
  enum class Kind : std::uint8_t { Constant, Index, Read, Apply, Cast, Check, Search };
  Kind kind;
  DataType type;
  bool weak = false;
  std::int64_t integer = 0;
  double real = 0;
  Expr index = {};
  std::uint32_t source = 0;
  std::vector<Expr> subscripts = {};
  Function function = Function::Add;
  std::vector<ValueId> operands = {};
  std::vector<LoadedIndex> loaded = {};
  std::vector<AxisMode> modes = {};
  Math math = Math::Exact;

  // Of a Read: the value where a subscript is out of bounds.
  std::optional<ValueId> otherwise() const {
    return operands.size() > loaded.size() ? std::optional(operands.back()) : std::nullopt;
  }
};

// The value of a Constant in its compute type.
Scalar value_of(const ValueNode& constant);

// Whether the result of an Apply may lie outside its narrow integer type, so that a Cast has to
// wrap it around.
bool may_leave_its_type(const ValueNode& node);

// Append-only; operands come before their users.
class ValueGraph {
 public:
  const ValueNode& operator[](ValueId v) const { return nodes_[std::size_t(v)]; }
  std::size_t size() const { return nodes_.size(); }

  ValueId add(ValueNode node);
  // Puts another node in a value's place: all that uses the value uses the new node.
  void replace(ValueId v, ValueNode node) { nodes_[std::size_t(v)] = std::move(node); }
  ValueId constant(DataType type, std::int64_t v, bool weak);
  ValueId constant(DataType type, double v, bool weak);
  // A whole number as it is written: a weak Int32 if it fits 32 bits, else a weak Int64.
  ValueId whole(std::int64_t v);
  ValueId index(Expr e);
  ValueId read(DataType type, std::uint32_t source, std::vector<Expr> subscripts);
  // The same; out of bounds the value is `otherwise`, brought to the compute type of `type`.
  ValueId read_or(DataType type, std::uint32_t source, std::vector<Expr> subscripts,
                  ValueId otherwise);
  // The same where some subscripts are values: `loaded` says which symbols stand for `indices`.
  ValueId gather(DataType type, std::uint32_t source, std::vector<Expr> subscripts,
                 std::vector<LoadedIndex> loaded, std::vector<ValueId> indices,
                 std::optional<ValueId> otherwise);
  // Says which subscripts of a Read access modes have made.
  void set_modes(ValueId read, std::vector<AxisMode> modes) {
    nodes_[std::size_t(read)].modes = std::move(modes);
  }
  // Promotes the operands and inserts the casts that are needed; literals alone are folded. Throws
  // BadInput (E506) where a literal does not fit the integers that it meets, two integers have no
  // type in common, or a function of bits meets a float.
  ValueId apply(Function f, std::vector<ValueId> operands);
  // `value`, which fails as check `number` says where the condition, a Bool, is false.
  ValueId check(std::uint32_t number, ValueId condition, ValueId value, ValueId shown,
                ValueId point);
  ValueId search(std::uint32_t source, Expr first, Expr last, ValueId position,
                 std::int64_t added = 0);
  // A cast to any type; nothing is inserted where it would change nothing. Constants are folded.
  ValueId cast(ValueId v, DataType type);
  // How functions are computed that are applied from now on, and those that are there already.
  void set_math(Math math);
  Math math() const { return math_; }
  // The same for one function, if it has a fast form.
  void make_fast(ValueId v);
  // v as an element of that type: cast(), but unchanged if both types are carried alike (one
  // compute type, no narrow integer).
  ValueId as_element(ValueId v, DataType type);

 private:
  ValueId in_compute_type(ValueId v, DataType compute);
  void check_literal(ValueId v, DataType type) const;

  std::vector<ValueNode> nodes_;
  Math math_ = Math::Exact;
};

}  // namespace selvage
