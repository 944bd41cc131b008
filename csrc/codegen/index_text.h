#pragma once

#include <selvage/codegen/helpers.h>
#include <selvage/codegen/scope.h>
#include <selvage/kernel/kernel.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace selvage {

// A piece of C and how tightly its outermost operator binds, in the numbers of the operator table.
struct CText {
  std::string text;
  int precedence = kCall;
  bool is_unsigned = false;  // an index that is not negative
};
inline constexpr int kPrefix = 14;      // -x, !x, (int)x
inline constexpr int kConditional = 3;  // c ? a : b
// The text as an operand of an operator of precedence `outer`: in parentheses if it needs them.
std::string inside(const CText& c, int outer);
CText cast(std::string_view type, const CText& from);
CText conjunction(const CText& a, const CText& b);

// Writes index expressions in C, Euclidean division included.
class IndexText {
 public:
  IndexText(const Kernel& kernel, const Forms& forms, Scope& scope, Helpers& helpers)
      : type_(kernel.index_type == IndexType::Int32 ? DataType::Int32 : DataType::Int64),
        forms_(&forms),
        scope_(&scope),
        helpers_(&helpers) {
    open();
  }

  DataType type() const { return type_; }

  // From here to the end of the block, e is written as this name. If e had another name, the names
  // of expressions that contain e are dropped.
  void name(Expr e, std::string name);
  // The name of e; null if it has none.
  const std::string* find(Expr e) const;
  void open() { blocks_.emplace_back(); }
  void close();

  // The C text of an expression of the kernel, or (write_form) of the form of one, at the innermost
  // point of the scope.
  CText write(Expr e) { return signed_text(write_form((*forms_)(e))); }
  // The same for a subscript or an initial value, which C converts: the text may be unsigned.
  CText write_converted(Expr e) { return write_form((*forms_)(e)); }
  // The value of an expression of the kernel if its text is a number.
  std::optional<std::int64_t> constant_value(Expr e) { return fold((*forms_)(e)); }
  CText write_form(Expr form) { return write(form, scope_->points().size() - 1); }

 private:
  CText write(Expr e, std::size_t point);
  CText write_division(Expr e, std::size_t point);
  CText write_machine_division(Expr e, std::size_t point);
  CText write_by_power_of_two(Expr e, std::size_t point);
  CText write_infix(Expr e, std::size_t point);
  CText signed_text(CText c) const;
  CText operand(Expr e, std::size_t point) { return signed_text(write(e, point)); }
  std::string call(std::string_view helper, Expr e, std::size_t point);
  CText constant(std::int64_t v) const;
  std::optional<std::int64_t> fold(Expr e);

  DataType type_;
  const Forms* forms_;
  Scope* scope_;
  Helpers* helpers_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_map<std::uint32_t, std::optional<std::int64_t>> constants_;
  std::vector<std::vector<Expr>> blocks_;  // the expressions named in each open block
};

}  // namespace selvage
