// Gathers: reads with subscripts that are values, y[i, j] = x[idx[i], j].
//   x(clamped(idx(i)), j)                                in bounds, whatever idx holds
//   gather_or(x, {idx(i), j}, 0)                         0 where idx is out of bounds
//   x(checked(i + 1))                                    0 out of bounds, of which a checked fusion
//                                                        tells (ir/value_check.h)
//   index_select, take_along, embedding (ir/ops.h)       the same for whole tensors
// An index is an integer of a signed type, or of an unsigned one narrower than 64 bits. It may be
// read from an input, or computed in the same fusion. No index counts from the end: -1 is out of
// bounds.
#pragma once

#include <selvage/ir/element.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

namespace selvage {

// A subscript that is a value, and the number that stands for it in the read: the index itself or,
// if Clamped, min(max(index, 0), extent - 1). Throws BadInput E516 if `index` is of no such type.
struct IndexValue {
  LoadedIndex loaded;
  ValueId value{};
};
IndexValue index_value(Fusion& f, ValueId index, Expr extent, IndexMode mode);
// min(max(index, 0), extent - 1), and 0 <= index < extent, for an index of type Int64.
ValueId clamped_to(ValueGraph& values, ValueId index, Expr extent);
ValueId is_inside(ValueGraph& values, ValueId index, Expr extent);
// The greatest value of an index of an unsigned type; nothing for others, which may be negative.
std::optional<std::int64_t> greatest_index(const ValueGraph& values, ValueId index);
// What is checked of a subscript: an index of an axis of t, or a value.
ValueCheck inside_check(const Fusion& f, TensorId t, std::size_t axis, ValueId subscript);
ValueId is_subscript_inside(Fusion& f, TensorId t, std::size_t axis, ValueId subscript);
// Throws BadInput E516 if values of the type cannot be indices.
void check_index(DataType type);

// The subscripts of a read while they are put together.
class ReadAt {
 public:
  void add(Expr subscript) { subscripts_.push_back(subscript); }
  // A subscript under an access mode.
  void add(Simplifier& simplifier, AccessMode mode, Expr of, Expr extent);
  void add(const IndexValue& index);
  // A subscript in which the index stands.
  void add(const IndexValue& index, Expr subscript);
  // The value where the condition fails is that for out of bounds.
  void only_if(ValueGraph& values, ValueId condition);
  // Adds a load that may be out of bounds: then the value is that for out of bounds. The clamped
  // element is read all the same, so that reads of neighbours can be one access.
  void add_filled(Fusion& f, ValueId index, Expr extent);

  // An element of t. `otherwise`: its value out of bounds, if there is such a thing.
  ValueId read(Fusion& f, TensorId t, std::optional<ValueId> otherwise) const;
  // The same, but no subscript goes out of bounds where the conditions hold, or E440.
  ValueId read_inside(Fusion& f, TensorId t, ValueId otherwise) const;

 private:
  ValueId element(Fusion& f, TensorId t, std::optional<ValueId> otherwise) const;

  std::vector<Expr> subscripts_;
  std::vector<AxisMode> modes_;
  std::vector<LoadedIndex> loaded_;
  std::vector<ValueId> indices_;
  std::optional<ValueId> condition_;
};

// One subscript of a read: an expression of indices and sizes, which may be under an access mode,
// or an element.
class Subscript {
 public:
  template <std::integral Number>
  Subscript(Number n) : value_(Element(n)) {}
  Subscript(Expr e) : value_(e), expression_(e) {}
  // Without a mode: to be proved in bounds or, in gather_or, to be tested.
  Subscript(const Element& e, IndexMode mode = IndexMode::Proved) : value_(e), mode_(mode) {}

  Subscript(AccessMode mode, Expr e) : value_(e), expression_(e), access_mode_(mode) {}
  static Subscript checked(Subscript s) {
    s.is_checked_ = true;
    return s;
  }

  const Element& value() const { return value_; }
  // The expression, if it is one.
  std::optional<Expr> expression() const { return expression_; }
  std::optional<AccessMode> access_mode() const { return access_mode_; }
  IndexMode mode() const { return mode_; }
  bool is_checked() const { return is_checked_; }

 private:
  Element value_;
  std::optional<Expr> expression_;
  std::optional<AccessMode> access_mode_;
  IndexMode mode_ = IndexMode::Proved;
  bool is_checked_ = false;
};
// x(mirror(i - 1), j), for expressions of indices and sizes: ir/access_mode.h.
Subscript clamped(Expr subscript);
Subscript circular(Expr subscript);
Subscript mirror(Expr subscript);
Subscript reflect(Expr subscript);
Subscript clamped(const Element& index);
Subscript unchecked(const Element& index);
Subscript checked(Expr subscript);
Subscript checked(const Element& index);

// gather: an element of t; indices without a mode have to be proved in bounds. gather_or: where a
// subscript without a mode is out of bounds, the value is `outside`.
Element gather(Tensor t, const std::vector<Subscript>& subscripts);
Element gather_or(Tensor t, const std::vector<Subscript>& subscripts, const Element& outside);

}  // namespace selvage
