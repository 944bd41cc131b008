#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sparse_loops.h>
#include <selvage/frontend/sparse_statement.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace selvage {

// A tensor that is stored as csf (base/stored_tensor.h), or what a statement has computed at its
// nodes: read at an index for each axis as far as its own levels go, then at `inner` dense ones.
struct LevelTensor {
  std::string tensor;                // whose levels they are
  std::vector<std::string> extents;  // of the axes of its own levels, as the file has them
  std::size_t inner = 0;

  // A level as the matrix that it is, with the dense axes behind each item.
  SparseTensor matrix(std::size_t level) const;
  SparseTensor last() const { return matrix(extents.size() - 1); }
};
// By the names of tensors; and of their levels, each of which is the last one of such a tensor.
using LevelTensors = std::map<std::string, LevelTensor>;

// A statement in place of which there are several, each over one level.
struct LevelStatements {
  std::vector<Formula> formulas;           // in order; the last one computes the result
  std::vector<SparseUse> uses;             // by them
  std::optional<SparseTensor> result;      // where it is at the nodes of a level: that
  std::set<std::string> levels_with_rows;  // of whose items the rows are read, T_1 for T_1_rows
};

// Brings a statement over csf tensors down to statements over matrices. Where it folds over the
// last index of T[i, j, k], whatever that fold takes in is computed at the nodes p of the level
// before, in a statement of its own: T is the matrix T_2 there, p a row of it, and j is T_1_columns
// at p, and i is T_1_rows. What is left folds over the items of T_1:
//   Y[i, d] = sum[j, k](T[i, j, k] * B[j, d] * C[k, d])                     becomes
//   Y_level_1[p, d] = sum[k](T[p, k] * B[T_1_columns[p], d] * C[k, d])
//   Y[i, d] = sum[j](Y_level_1[i, j, d])
// A result Z[i, j, k] has the items of T, and Y[i, j] those of T_1; both are then read as T is.
// What it makes beside the result is added to `levels` and, as matrices, to `sparse`.
// Nothing if no such tensor is read. Throws BadInput E520 at the place in the file: another number
// of plain indices than axes, a second sparse tensor at an index of the first one, a result at an
// index without those before it, and a fold over several levels that is not made of folds of each.
std::optional<LevelStatements> by_levels(const Formula& formula, const Node& text,
                                         LevelTensors& levels, SparseTensors& sparse);

}  // namespace selvage
