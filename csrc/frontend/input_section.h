#pragma once

#include <selvage/frontend/complex_statement.h>
#include <selvage/frontend/layout.h>
#include <selvage/frontend/read_axes.h>
#include <selvage/frontend/schedule_draft.h>
#include <selvage/frontend/sections.h>
#include <selvage/frontend/sparse_levels.h>
#include <selvage/frontend/sparse_statement.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace selvage {

// The extents of a tensor: a list of expressions of sizes (E104, and what SizeScope::read says).
std::vector<Expr> read_shape(const Node& shape, SizeScope& sizes);
// The offsets of an extent `ragged(off)`; nothing for any other.
std::optional<std::string> offsets_in(const Node& extent);
// Refuses a tensor's name that another one has (E204), and else notes where it stands.
void claim_name(std::map<std::string, Place>& places, const std::string& name, const Place& place);

// `inputs` of section 2: what is read of each, and the tensors that they become: one, those of a
// list, or the arrays of a sparse tensor. What is wrong with one keeps no other from being read.
class InputSection {
 public:
  InputSection(FileContext& context, Fusion& fusion, SizeScope& sizes, const ReadAxes& axes,
               std::map<std::string, Place>& places)
      : context_(context),
        errors_(context.errors),
        fusion_(fusion),
        sizes_(sizes),
        read_axes_(axes),
        places_(places) {}

  // Declares the sizes that count the items of rows.
  void declare_items_of(const Entry& entry);
  void declare_items_in(const Node& shape);
  void declare_count(const Node& place, const std::string& name);
  void read(const Node& section);
  // After the sizes are declared. Inputs whose offsets a statement computes wait for that.
  void make(const std::set<std::string>& computed);
  // The offsets that an input waits for.
  const std::map<std::string, std::string>& waiting() const { return waiting_; }
  // Makes the inputs that have waited for these offsets.
  void make_rows_of(const std::string& offsets);
  // The rows that a tensor of this name tells; `items` is the size that counts their items, as far
  // as the file has another name for it. Throws BadInput E205 if there is no such tensor, E519.
  RowsId rows_told_by(const std::string& offsets, const Place& at, const std::string& items = {});
  // Of a shape: that there are so many of these rows, which a launch checks where sizes decide it.
  // Throws E501 where there never are.
  void check_rows(RowsId rows, Expr count);

  // Those that the file names, whether they could be made or not; with their axes; names that were
  // not understood.
  const std::vector<std::string>& names() const { return names_; }
  std::vector<NamedInput> named() const;
  const std::set<std::string>& broken() const { return broken_; }
  const ComplexTensors& complex() const { return complex_; }
  const SparseTensors& sparse_tensors() const { return sparse_tensors_; }
  const std::map<std::string, ScheduleFile::Sparse>& sparse() const { return sparse_; }
  const LevelTensors& level_tensors() const { return level_tensors_; }
  const std::map<std::string, ScheduleFile::Csf>& csf() const { return csf_; }
  // That the rows of the items of this level are read: a kernel finds them.
  void find_rows_of(const std::string& level);
  // What kernels compute although the file has no statement for it: the arrays of sparse matrices.
  const std::set<TensorId>& computed() const { return computed_; }
  // All tensors from this number on are such.
  void add_computed(std::size_t first);

 private:
  struct Input {
    const Entry* entry;
    std::string name;  // the key, or that of a tensor of a list
    TensorType type;
    std::vector<Expr> shape;
    std::vector<std::string> axes;
    FileLayout layout;
    bool is_made = false;  // no entry of the file is about it alone
    // Of items of rows: the input that tells these, the size that counts the items, and the place
    // in the file that says so. The second extent then stands for nothing.
    std::string offsets = {}, items = {};
    std::optional<IndexPromise> indexes = {};  // of rows or columns of a sparse matrix
    bool has_no_nan = false;
    Place ragged_at = {};
  };
  void make(Input& input);
  std::vector<std::string> names_of(const Entry& entry) const;
  bool read_input(const Entry& entry, const std::string& name);
  std::vector<Expr> read_extents(const Node& shape, Input& input);
  void read_sparse(const Entry& entry, const std::string& what, Input values);
  void read_levels(DataType type, const std::vector<Node>& extents, Input& values);
  void add_matrix(const std::string& name, const ScheduleFile::Sparse& matrix, Input& values);
  Input array_of(const Input& values, const std::string& name, DataType type,
                 std::vector<Expr> shape) const;
  Tensor make_input(Input& input);
  RowsId rows_of(const Input& input);

  FileContext& context_;
  Diagnostics& errors_;
  Fusion& fusion_;
  SizeScope& sizes_;
  const ReadAxes& read_axes_;
  std::map<std::string, Place>& places_;
  std::vector<std::string> names_;
  std::vector<Input> inputs_;
  std::set<std::string> broken_;
  ComplexTensors complex_;
  std::map<std::string, std::string> waiting_;  // by input
  SparseTensors sparse_tensors_;
  std::map<std::string, ScheduleFile::Sparse> sparse_;
  LevelTensors level_tensors_;
  std::map<std::string, ScheduleFile::Csf> csf_;
  std::set<std::string> with_rows_;  // levels
  std::set<TensorId> computed_;
};

}  // namespace selvage
