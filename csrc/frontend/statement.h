#pragma once

#include <selvage/base/stored_matrix.h>
#include <selvage/frontend/formula.h>
#include <selvage/frontend/layout.h>
#include <selvage/frontend/sections.h>

#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The entry of a tensor in `outputs` or, for a tensor that is no output, in `shapes`.
struct StatementOutput {
  std::optional<TensorType> type = {};
  std::optional<std::vector<Expr>> shape = {};
  // Of items of rows: the tensor that tells these, and where the file says so. The second extent
  // of `shape` is then that of a row (ir/ragged.h).
  std::string offsets = {};
  Place ragged_at = {};
  // Of a matrix that is stored sparse: how, and where the file says so.
  std::optional<StorageFormat> format = {};
  Place format_at = {};
  FileLayout layout = {};
  std::string in_place = {};  // the input that it takes the place of; empty: of none
  Place in_place_at = {};
  bool is_output = true;

  // Whether it is said to be no complex tensor.
  bool is_real() const { return type ? !type->is_complex : !in_place.empty(); }
  // The axis of the parts of a complex tensor.
  void add_parts(ExprPool& pool) {
    if (shape) shape->push_back(pool.constant(2));
    layout.add_parts(pool);
  }
};

// Adds the tensor that a statement computes. `text`: the statement's node; `output`: its entry, or
// null; `all`: the statements of the file, for better messages. Throws BadInput
// at the place in the file: E205 unknown tensor, E302 unknown name, E316 subscript that is not
// affine, E314 reduction over nothing, E317 index whose extent is not known, E318 tensor read
// before it is computed, E319 fill of another type, E503 wrong number of subscripts, E504 index
// that is not on the left, and what Fusion::compute says. A reduction that is not the whole right
// side becomes a tensor of its own, called y_sum, y_max, ...
void make_tensor(const Formula& formula, const Node& text, StatementOutput* output,
                 std::span<const Formula> all, Fusion& fusion, SizeScope& sizes,
                 FileContext& context);

// Makes the tensor of a statement an output, as its entry in `outputs` says. Throws BadInput at the
// place in the file what Fusion::output and output_in_place say, and E308, E402 for its layout.
void make_output(const Formula& formula, Tensor tensor, const StatementOutput& output,
                 Fusion& fusion, SizeScope& sizes, FileContext& context);

}  // namespace selvage
