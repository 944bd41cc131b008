// Sparse matrices as inputs, in each format of base/stored_matrix.h:
//   const SparseInput A(f, "A", {StorageKind::Sell, 32}, I, J, DataType::Float);
//   f.output("y", A.fold(Reduction::Sum, {}, {}, [&](const SparseItem& a) {
//     return a.value * gather(x, {a.column});                        // a matrix times a vector
//   }));
//   const Expr d = f.fresh_index("d");
//   f.output("Y", A.fold(Reduction::Sum, {d}, {D}, [&](const SparseItem& a) {
//     return a.value * gather(X, {a.column, d});                     // times a dense one
//   }));
// In files the same is a statement (frontend/sparse_statement.h).
#pragma once

#include <selvage/base/stored_arrays.h>
#include <selvage/ir/gather.h>
#include <selvage/ir/ragged.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The arrays of a format, by their extents.
struct SparseLayout {
  // Of what the offsets tell: rows, columns, slices or rows of blocks, whose items lie one behind
  // the other. Invalid: there are no offsets.
  Expr lines = {};
  std::vector<Expr> values;  // extents of the values; of items of lines those behind the item
  struct Array {
    const char* suffix;  // behind the name of the matrix
    std::vector<Expr> shape;
    std::optional<IndexPromise> promise = {};
    bool is_of_items = false;  // of lines; `shape` is then as that of the values
  };
  std::vector<Array> arrays = {};  // beside the values, offsets first
};
// `count`: the size that counts what is stored, kItemsSuffix or kWidthSuffix behind the name.
SparseLayout sparse_layout(const StorageFormat& format, Expr rows, Expr columns, Expr count);
const char* count_suffix(const StorageFormat& format);

// Whether a fold counts what it takes in, so that what a format only fills up cannot be left out of
// it: a mean, a variance, and where the greatest or the least item is.
bool counts_items(Reduction how);

// Calls the tensors from the number `first` on `name` with _0, _1, ... behind it, but for outputs.
void name_steps(Fusion& f, std::size_t first, const std::string& name);

// Makes the offsets of a matrix by coordinates from its rows, which are sorted: an output, called
// like the matrix with "_offsets", which a kernel searches for before others read the rows.
Tensor searched_offsets(Fusion& f, const std::string& matrix, Expr rows);

// The row of each item of a matrix by rows, as coo has it: an output, called like the matrix with
// "_rows", which a kernel makes before others read it.
Tensor item_rows(Fusion& f, const std::string& matrix, DataType index);

// An item of a matrix where it is computed with.
struct SparseItem {
  Element value;
  Subscript row, column;  // to read other tensors at; clamped where data tell them
};

class SparseInput {
 public:
  // Adds the arrays of the format (arrays_of() makes them), named as in files. `index`: the type of
  // all but the values. A run refuses values that are NaN (driver/contracts.h), unless the fusion
  // says that these are meant: f.edit(A.values().id()).has_no_nan = false.
  SparseInput(Fusion& f, const std::string& name, const StorageFormat& format, Expr rows,
              Expr columns, DataType type, DataType index = DataType::Int32);
  // Of arrays that are there already, with `values` in the place of its own: those of the matrix,
  // or what is computed at its items.
  SparseInput(const std::string& name, const StorageFormat& format, Expr rows, Expr columns,
              Tensor values);

  using Value = std::function<Element(const SparseItem&)>;
  // [rows, shape...]; of csc, which is stored by columns, [columns, shape...]. Each element folds
  // the values of the items of its row, at `indices` of the other axes. What only fills slots,
  // diagonals and blocks up is left out; a fold that counts (mean, variance, argmax, argmin) is
  // refused in formats that fill up, BadInput E520.
  Tensor fold(Reduction how, std::vector<Expr> indices, std::vector<Expr> shape,
              const Value& value) const;
  // A value for each item, in the place of the values.
  Tensor at_items(const Value& value) const;

  const std::string& name() const { return name_; }
  const StorageFormat& format() const { return format_; }
  Expr rows() const { return rows_; }
  Expr columns() const { return columns_; }
  Tensor values() const { return values_; }
  // That of this suffix (base/stored_arrays.h), which the format has.
  Tensor array(const char* suffix) const { return {f_, f_->find(name_ + suffix).value()}; }
  // The lines that have items (SparseLayout), if there are such.
  std::optional<RowsId> lines() const { return lines_; }

 private:
  struct Nest;
  Nest nest() const;

  Fusion* f_;
  std::string name_;
  StorageFormat format_;
  Expr rows_, columns_;
  Tensor values_;
  std::optional<RowsId> lines_ = {};
};

}  // namespace selvage
