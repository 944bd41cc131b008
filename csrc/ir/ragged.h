// Tensors whose rows differ in length: the items of all rows lie one after another, and an input of
// offsets tells where each row begins.
//   const Expr B = f.extent("B"), D = f.extent("D");
//   const RowsId rows = add_rows(f.input("off", {B + 1}, DataType::Int64));
//   Tensor x = ragged_input(f, "x", rows, {D}, DataType::Float);       // off_items x D in memory
//   const Expr b = f.fresh_index("b"), j = f.fresh_index("j"), d = f.fresh_index("d");
//   f.output("y", compute_ragged(f, "", rows, {b, j, d}, {D}, 2 * item(x, rows, {b, j, d})));
//   f.output("s", f.compute_fold("", {b, d}, {B, D},
//                                {.indices = {j}, .shape = {length(f, rows)}},
//                                item(x, rows, {b, j, d})));
// The contract of offsets (ir/domain_graph.h, RaggedRows) is a promise of the data. What is read
// stays within its array whatever they hold, because each offset is clamped to 0 .. items where it
// is read.
#pragma once

#include <selvage/ir/element.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/gather.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The rows that an input of count + 1 integers tells, or an output, which a kernel computes before
// others read the rows; the number of their items is `items` or, if that is not given, a size
// called like the tensor with "_items". Throws BadInput E519 if it is none of both, of one axis, of
// more than one element and of a signed integer type of 32 or 64 bits.
RowsId add_rows(Tensor offsets, std::optional<Expr> items = {});

// The rows that a tensor of this name tells; nothing if it tells none.
std::optional<RowsId> rows_told_by(const Fusion& f, const std::string& offsets);

// The number of items of the row that a definition is at: the extent of an index that runs over
// them.
Expr length(const Fusion& f, RowsId rows);
// The rows of which this is the length; nothing if it is none.
std::optional<RowsId> rows_of_length(const Fusion& f, Expr extent);

// An input with one element for each item of all rows, times `inner` dense extents.
Tensor ragged_input(Fusion& f, const std::string& name, RowsId rows, std::vector<Expr> inner,
                    DataType type, std::vector<std::string> axes = {});

// The extents by which a tensor is read: where it has items of rows, the rows and the length of one
// come in the place of its first axis.
std::vector<Expr> shape_by_rows(const Fusion& f, TensorId t);

// The offset of a row, an int64. There is one more than there are rows, and beyond them it is 0.
Element offset_of(Fusion& f, RowsId rows, Expr row);

// The subscript at which a row begins, as a number that is read; and the value that an item of a
// row has as a subscript, with the condition that the row has it.
IndexValue begin_of(Fusion& f, RowsId rows, Expr row);
struct RowItem {
  ValueId subscript, is_inside;
};
RowItem row_item(Fusion& f, RowsId rows, Expr row, Expr item);
RowItem row_item(Fusion& f, RowsId rows, Expr row, ValueId item);  // which is a number

// The element of x, which lies as such an input does, at {row, item of the row, ...}. Throws
// BadInput E503 where the number of subscripts does not fit x, E501 where x has items of other
// rows.
Element item(Tensor x, RowsId rows, const std::vector<Expr>& at);

// A tensor with one element for each item of all rows, times `inner`: `value` is over indices
// {row, item of the row, ...}. Its loops begin as these, and its memory is that of a ragged input.
// `fold`: each element folds `value` over further, dense indices, such as a product of dense
// matrices that only the items of a sparse one are wanted of. Throws BadInput as Fusion::compute
// does.
Tensor compute_ragged(Fusion& f, const std::string& name, RowsId rows, std::vector<Expr> indices,
                      std::vector<Expr> inner, const Element& value,
                      std::optional<DataType> type = {}, const Fusion::FoldRequest* fold = nullptr);

// Tests what rows promise where the fusion runs: that their offsets begin at 0, rise and end at the
// number of items, and that inputs of their items that are indices (TensorInfo::indexes) are within
// their extent. In a fusion that is checked (ir/value_check.h) kernels record what fails, and a
// call throws it. Each test is an output, a bool called like the input with "_contract".
std::vector<Tensor> check_rows(Fusion& f, RowsId rows);

}  // namespace selvage
