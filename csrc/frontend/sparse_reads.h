#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sparse_loops.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

// By name.
using SparseTensors = std::map<std::string, SparseTensor>;

// That two matrices have equally many rows or columns, as they are read at one index.
struct SparseAlike {
  std::string matrix;
  bool of_rows = false;
  std::string other;
  bool of_other_rows = false;
  std::size_t at = 0;
};

// The sparse matrices that a statement reads, each at two of its indices. Throws BadInput E520 for
// other subscripts, for two matrices at one index, unless it is a loop of both or one of them is
// looked up at the items of the other, and for one that is looked up and no factor.
class SparseReads {
 public:
  // What binds an index: a fold by its number, or the left side.
  using Binder = std::optional<std::size_t>;
  using Key = std::pair<std::string, Binder>;
  struct Matrix {
    SparseTensor tensor;
    SparseLoops loops;
    Key row, column;
    std::size_t at = 0;  // where it is read first
    // Another one tells the index, and this one is looked up at its items.
    bool is_looked_up = false;

    const Key& told() const { return loops.is_row_told ? row : column; }
    const Key& known() const { return loops.is_row_told ? column : row; }
  };

  SparseReads(const Formula& from, const Node& text, const SparseTensors& sparse);

  const std::vector<Matrix>& matrices() const { return matrices_; }
  const std::vector<SparseAlike>& alike() const { return alike_; }
  // That of which this is an index, and which is not looked up; null if there is none.
  const Matrix* find(const Key& index) const;
  Key key(const FormulaNode& name) const { return key_in(from_, name); }
  static Key key_in(const Formula& formula, const FormulaNode& name);
  // Whether a name is a subscript of a matrix.
  bool stands_in_matrix(std::uint32_t node) const { return own_.contains(node); }
  // Whether the statement has an index, or reads something, of this name.
  bool is_used(const std::string& name) const { return is_used_in(from_, name); }
  static bool is_used_in(const Formula& formula, const std::string& name);

 private:
  [[noreturn]] void refuse_at(std::size_t at, const std::string& what,
                              const std::string& help) const;
  void find_matrix(std::uint32_t read);
  void note_alike(const Matrix& m, const Matrix& other, std::size_t at);
  void check_apart(const Matrix& a, const Matrix& b, const FormulaNode& read) const;
  void check_is_factor(std::uint32_t read) const;

  const Formula& from_;
  const Node& text_;
  const SparseTensors& sparse_;
  std::vector<Matrix> matrices_;
  std::vector<SparseAlike> alike_;
  std::set<std::uint32_t> own_;           // names that stand in a matrix
  std::vector<std::uint32_t> looked_up_;  // reads of matrices whose index another one tells
};

}  // namespace selvage
