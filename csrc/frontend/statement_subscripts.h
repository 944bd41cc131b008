#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sections.h>
#include <selvage/frontend/statement_indices.h>
#include <selvage/frontend/statement_names.h>

#include <vector>

namespace selvage {

// The subscripts of a statement that are made of indices, integers and sizes, by node.
class StatementSubscripts {
 public:
  StatementSubscripts(const Formula& formula, const Node& text, Fusion& fusion, SizeScope& sizes,
                      const StatementIndices& indices, const StatementNames& names)
      : formula_(formula),
        text_(text),
        fusion_(fusion),
        sizes_(sizes),
        indices_(indices),
        names_(names),
        made_(formula.nodes.size()) {}

  // The expression of a node, whose operands are made. E316 if it is not affine, E504 a name that
  // is no index of the statement.
  Expr make(std::uint32_t k) { return made_[k] = subscript(formula_.nodes[k]); }
  Expr operator[](std::uint32_t k) const { return made_[k]; }
  // An extent in a fold, sum[p < 2 * K](...), with its operands. E302 if it is anything else.
  Expr sum_of_sizes(std::uint32_t k);

  [[noreturn]] void not_affine(const FormulaNode& node) const;
  // E316 an access mode inside of a subscript.
  void refuse_inner_modes(const FormulaNode& node) const;

 private:
  Place place(std::size_t at) const { return place_in(text_, at); }
  Expr subscript(const FormulaNode& node) const;
  bool has_index(std::uint32_t k) const;

  const Formula& formula_;
  const Node& text_;
  Fusion& fusion_;
  SizeScope& sizes_;
  const StatementIndices& indices_;
  const StatementNames& names_;
  std::vector<Expr> made_;
};

}  // namespace selvage
