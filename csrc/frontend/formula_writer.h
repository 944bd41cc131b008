#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/frontend/file_names.h>
#include <selvage/ir/fusion.h>
#include <selvage/simplifier/simplifier.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// Writes the definitions of a fusion as statements. Beside each text it builds the value that
// reading the text gives, and uses the text only if that is the same value. Casts and types of
// literals that the reader adds by itself are left out. Two values are the same if they are
// computed by the same operations in the same types; the types in which they would be stored may
// differ where nothing is stored.
class FormulaWriter {
 public:
  FormulaWriter(const Fusion& fusion, const FileNames& names);

  // The right side of the statement that computes t. `indices`: the names of the indices of its
  // logical domain, then of those that it folds over. Tensors must be written in the order of their
  // definition. E590 if there is no such text.
  std::string right_side(TensorId t, const std::vector<std::string>& indices);

  struct Written {
    std::string text;
    int precedence = 0;  // of its outermost operator
    int depth = 1;       // how deep the reader goes
    ValueId value{};     // as it is read
  };

 private:
  void enter(TensorId t, const std::vector<std::string>& indices);
  const Written& write(ValueId v);
  Written constant(const ValueNode& node);
  Written literal(const ValueNode& node, bool weak);
  Written read(ValueId v, const ValueNode& node);
  Written apply(ValueId v, const ValueNode& node);
  Written cast(const Written& of, DataType type);
  Written loaded_subscript(const ValueNode& read, std::size_t k, Expr extent);
  Written integer(Expr e);
  std::string subscript(Expr e, Expr extent);
  std::string subscript_part(Expr e, int outer);
  // What may stand for an operand: with less said first.
  std::vector<Written> forms(ValueId operand);
  Written combine(Function f, std::vector<Written> operands);
  bool is_same(ValueId original, ValueId as_read);
  Expr seen(Expr e) const;  // with the indices of this statement
  [[noreturn]] void refuse(const std::string& what, const std::string& help) const;

  const Fusion& fusion_;
  const FileNames& names_;
  Simplifier simplifier_;        // of what is known of sizes
  ValueGraph read_;              // what reading gives
  std::vector<DataType> types_;  // of tensors, as they are read
  TensorId tensor_{};            // whose statement is being written
  Environment indices_;          // its index symbols, as the file's indices
  std::unordered_map<std::uint32_t, Written> written_;
  std::unordered_map<std::uint64_t, bool> same_;
};

}  // namespace selvage
