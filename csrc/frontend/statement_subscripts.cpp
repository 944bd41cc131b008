#include <selvage/frontend/readers.h>
#include <selvage/frontend/statement_subscripts.h>

#include <algorithm>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

}  // namespace

Expr StatementSubscripts::sum_of_sizes(std::uint32_t k) {
  const FormulaNode& node = formula_.nodes[k];
  if (node.kind == Kind::Element) {
    refuse("E302", place(node.at), "a load, " + node.name + "[...], stands in an extent",
           "write an integer, or a sum of sizes");
  }
  for (std::uint32_t operand : node.operands) sum_of_sizes(operand);
  if (node.kind == Kind::Name && indices_.find(node).valid()) {
    refuse("E302", place(node.at), node.name + " is an index and stands in an extent",
           "write an integer, or a sum of sizes");
  }
  if (node.is_loaded || node.kind == Kind::Remap) not_affine(node);
  return make(k);
}

void StatementSubscripts::not_affine(const FormulaNode& node) const {
  refuse("E316", place(node.at), "the subscript is not affine in the indices",
         "use sums of indices, integers and sizes, and products with integers and sizes, such "
         "as 2 * i + 1");
}

void StatementSubscripts::refuse_inner_modes(const FormulaNode& node) const {
  for (std::uint32_t k : node.operands) {
    if (formula_.nodes[k].kind != Kind::Remap) continue;
    refuse("E316", place(formula_.nodes[k].at), "an access mode stands inside of a subscript",
           "write it around the whole subscript, such as x[mirror(i + 1)]");
  }
}

Expr StatementSubscripts::subscript(const FormulaNode& node) const {
  const auto operand = [&](std::size_t k) { return made_[node.operands[k]]; };
  if (node.kind == Kind::Integer) return fusion_.constant(node.integer);
  if (node.kind == Kind::Name) {
    const Expr e = names_.symbol(node);
    if (!e.valid()) names_.refuse_name(node, false);
    return e;
  }
  if (node.kind == Kind::Remap) return operand(0);  // the axis says the rest
  refuse_inner_modes(node);
  if (node.kind == Kind::Apply && node.function == Function::Add) return operand(0) + operand(1);
  if (node.kind == Kind::Apply && node.function == Function::Sub) return operand(0) - operand(1);
  if (node.kind == Kind::Apply && node.function == Function::Neg) return 0 - operand(0);
  const bool is_part = node.kind == Kind::Apply &&
                       (node.function == Function::FloorDiv || node.function == Function::Mod);
  if (is_part && !has_index(node.operands[1]) &&
      sizes_.simplifier().proves_nonnegative(operand(1) - 1)) {
    return node.function == Function::Mod ? operand(0) % operand(1) : operand(0) / operand(1);
  }
  const bool is_product = node.kind == Kind::Apply && node.function == Function::Mul;
  if (!is_product || (has_index(node.operands[0]) && has_index(node.operands[1]))) {
    not_affine(node);
  }
  return operand(0) * operand(1);
}

// Whether an index occurs in a node. Not memoized: subscripts are short.
bool StatementSubscripts::has_index(std::uint32_t k) const {
  const FormulaNode& node = formula_.nodes[k];
  if (node.kind == Kind::Name) return indices_.find(node).valid();
  return std::any_of(node.operands.begin(), node.operands.end(),
                     [&](std::uint32_t operand) { return has_index(operand); });
}

}  // namespace selvage
