#pragma once

#include <selvage/frontend/input_section.h>
#include <selvage/frontend/statement.h>
#include <selvage/frontend/stored_result.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// What the statements of a file say of sparse matrices: which tensors have the items of one, and
// which extents are to be equal.
class SparseSection {
 public:
  SparseSection(FileContext& context, Fusion& fusion, SizeScope& sizes, InputSection& inputs,
                ScheduleFile& file)
      : errors_(context.errors), fusion_(fusion), sizes_(sizes), inputs_(inputs), file_(file) {}

  // After the inputs are read.
  void begin() {
    tensors_ = inputs_.sparse_tensors();
    levels_ = inputs_.level_tensors();
  }
  // The statements over items that a statement over sparse tensors becomes, in their order.
  // `output`: what is said of its result, or null. Throws BadInput E520.
  std::vector<Formula> by_items(const Formula& formula, const Node& text,
                                const StatementOutput* output);
  // Before a statement becomes a tensor, that which it reads of a result that is stored sparse.
  void make_arrays_of(const std::string& target);
  // What is read at rows or columns has as many items there as the matrix has, and so has another
  // matrix (E501, or a check at launch).
  void check_extents();

 private:
  struct Stored {
    StoredResult result;
    Place place;
  };
  Formula bring_to_own_items(const Formula& formula, const Node& text,
                             const StatementOutput& output);
  void note_items(const std::string& name, const SparseTensor& of, const StatementOutput* output);
  void check_equal(Expr own, Expr all, const Place& place, const std::string& differ,
                   const std::string& why);

  Diagnostics& errors_;
  Fusion& fusion_;
  SizeScope& sizes_;
  InputSection& inputs_;
  ScheduleFile& file_;
  SparseTensors tensors_;  // inputs, and what is computed at items
  LevelTensors levels_;    // likewise
  std::vector<std::pair<SparseUse, const Node*>> uses_;
  std::vector<std::pair<SparseAlike, const Node*>> alike_;
  std::map<std::string, Stored> stored_;  // by statement
};

}  // namespace selvage
