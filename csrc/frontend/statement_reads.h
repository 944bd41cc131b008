#pragma once

#include <selvage/frontend/statement_checks.h>
#include <selvage/frontend/statement_indices.h>
#include <selvage/frontend/statement_names.h>
#include <selvage/frontend/statement_subscripts.h>
#include <selvage/ir/gather.h>

#include <optional>
#include <vector>

namespace selvage {

// The elements that a statement reads, as values: which are in bounds, which have a value for out
// of bounds, and which are items of rows. `number`: the node of the formula whose value is made.
class StatementReads {
 public:
  // `values`: of the nodes made so far.
  StatementReads(const Formula& formula, const Node& text, Fusion& fusion, SizeScope& sizes,
                 const StatementIndices& indices, const StatementNames& names,
                 const StatementSubscripts& subscripts, const StatementChecks& checks,
                 const std::vector<ValueId>& values)
      : formula_(formula),
        text_(text),
        fusion_(fusion),
        sizes_(sizes),
        indices_(indices),
        names_(names),
        subscripts_(subscripts),
        checks_(checks),
        values_(values) {}

  // The element that a node reads. `otherwise`: out of bounds, if there is such a thing. E503
  // another number of subscripts than axes, E520 an item that the row may lack.
  ValueId read(std::uint32_t number, const FormulaNode& node,
               std::optional<ValueId> otherwise = {});
  // What there is out of bounds must be of the element's type, or adapt to it (E319).
  ValueId fill(std::uint32_t number);

  // The extents of the axes at which an element is read.
  static std::vector<Expr> shape_of_read(const Fusion& fusion, const FormulaNode& node,
                                         TensorId source);
  // Whether outside of the axis there is 0.
  static bool has_safe_mode(const FormulaNode& subscript);

 private:
  Place place(std::size_t at) const { return place_in(text_, at); }
  ValueId read_item(const FormulaNode& node, TensorId source, const std::vector<Expr>& extents,
                    std::optional<ValueId> otherwise);
  ValueId checked_fill(std::uint32_t number, const FormulaNode& node, TensorId source,
                       ValueId otherwise);
  void add_subscript(std::uint32_t k, Expr extent, bool is_filled, bool leaves_some, ReadAt& at);
  bool stays_within(std::uint32_t k, Expr extent);
  bool proves_within(Expr subscript, Expr extent);

  const Formula& formula_;
  const Node& text_;
  Fusion& fusion_;
  SizeScope& sizes_;
  const StatementIndices& indices_;
  const StatementNames& names_;
  const StatementSubscripts& subscripts_;
  const StatementChecks& checks_;
  const std::vector<ValueId>& values_;
};

}  // namespace selvage
