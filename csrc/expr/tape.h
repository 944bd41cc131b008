#pragma once

#include <selvage/expr/expr.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Expressions laid out as a list of instructions, each shared subexpression once, Let looked
// through: evaluation is a loop and cannot run out of stack, however deep the expressions are.
class Tape {
 public:
  // `inputs` are the symbols whose values each evaluation is given, in this order.
  Tape(std::span<const Expr> roots, std::span<const Expr> inputs);

  // Evaluates at one point, with checked 64-bit arithmetic. False where a value overflows, a
  // divisor is 0, or an opaque Load or Call is met; then nothing may be read. Truth is 0 or 1.
  // Select takes both branches: what is undefined in either is undefined in all.
  bool evaluate(std::span<const std::int64_t> input_values);
  // Makes later evaluations stop at a subexpression whose value is not in [lo, hi], too.
  void limit(std::int64_t lo, std::int64_t hi);
  // The subexpression at which the last evaluation stopped.
  Expr stopped_at() const { return stopped_at_; }
  std::int64_t root(std::size_t i) const { return values_[roots_[i]]; }

  // out = op(a, b, c), each a slot; in the order in which they are evaluated.
  struct Instruction {
    Op op;
    std::uint32_t out;
    std::uint32_t a, b, c;
  };
  // For evaluation in another algebra (expr/apply.h). The values of the slots are those of the last
  // evaluation, where there was one; constants have theirs from the beginning.
  std::span<const Instruction> code() const { return code_; }
  std::span<const std::int64_t> values() const { return values_; }
  std::span<const std::uint32_t> inputs() const { return inputs_; }
  std::uint32_t root_slot(std::size_t i) const { return roots_[i]; }

 private:
  std::vector<Instruction> code_;
  std::vector<Expr> written_;  // what each instruction computes
  std::int64_t lo_ = INT64_MIN, hi_ = INT64_MAX;
  Expr stopped_at_;
  std::vector<std::int64_t> values_;  // constants are written once, here
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint32_t> inputs_;
};

// Evaluates expressions at several points at a time, so that each instruction is looked at once for
// all of them.
class LaneTape {
 public:
  static constexpr std::size_t kLanes = 32;

  LaneTape(std::span<const Expr> roots, std::span<const Expr> inputs);

  // The values of an input, one for each point; they stay until they are changed.
  std::span<std::int64_t, kLanes> input(std::size_t i) { return column(tape_.inputs()[i]); }
  // Evaluates at the first points. False where Tape::evaluate is at one of them; then nothing may
  // be read.
  bool evaluate(std::size_t points);
  std::int64_t root(std::size_t i, std::size_t point) const {
    return values_[tape_.root_slot(i) * kLanes + point];
  }

 private:
  std::span<std::int64_t, kLanes> column(std::size_t slot) {
    return std::span<std::int64_t, kLanes>(values_.data() + slot * kLanes, kLanes);
  }

  Tape tape_;
  std::vector<std::int64_t> values_;  // a column for each slot
};

// The value of one expression at one point; nothing where it is undefined or overflows, or another
// symbol occurs.
std::optional<std::int64_t> evaluate(Expr e, std::span<const Expr> symbols,
                                     std::span<const std::int64_t> values);

// The symbols that occur in the expressions, Let looked through, in canonical order.
std::vector<Expr> symbols_of(std::span<const Expr> expressions);
inline std::vector<Expr> symbols_of(Expr e) { return symbols_of(std::span(&e, 1)); }
// All nodes of the expressions, each once, in id order: operands first. Without `through_let` a Let
// is a leaf.
std::vector<Expr> reachable(std::span<const Expr> roots, bool through_let);
// The position of e among `nodes`, which are in id order; nodes.size() if it is not among them.
std::size_t position_of(Expr e, std::span<const Expr> nodes);

}  // namespace selvage
