#pragma once

#include <selvage/base/stored_matrix.h>
#include <selvage/frontend/einsum_expression.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/frontend/symbols.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace selvage {

// How the tensors of a specification are stored: their ranks from outer to inner, and which of
// these keep only the coordinates that are not 0.
struct StoredRanks {
  std::vector<std::string> ranks;
  std::set<std::string> compressed;
  std::optional<StorageFormat> format = {};  // of a sparse matrix
};
using StoredTensors = std::map<std::string, StoredRanks>;

// `mapping` of one tensor, brought down to the items of a schedule.
struct EinsumMapping {
  Node items;      // a list; empty: nothing is said
  std::string of;  // the tensor whose loops these are: the result, or that of parts of its rows
  MappedTensor mapped;
};

// The mapping of an einsum:
//   partitioning   uniform_shape(s) cuts coordinates, and uniform_occupancy(T.n) what T stores,
//   into
//                  parts of so many; nway_shape(n) cuts coordinates into n parts; flatten() makes
//                  one rank of several
//   loop-order     the ranks that result, outer to inner
//   spacetime      each of them in space, on a thread of its own, or in time, one after another
// A rank of a matrix runs over what the format stores: J over the items of a row, over the slots of
// a row (ell, sell), over diagonals (dia) or over blocks with their columns (bcsr). Where these are
// no items, J is not cut up and not flattened. Rows in parts (sell, bcsr) become one rank again.
// What runs in space becomes thread indices, the innermost TIDx, as far as a block has so many
// threads, and block indices beyond.
// Throws BadInput: E205 an unknown tensor, E332 no partitioning, E333 ranks that do not fit, E334
// partitionings that mean nothing or that no schedule does, E390 what is not supported yet.
EinsumMapping read_einsum_mapping(const Node& mapping, const EinsumExpression& einsum,
                                  const StoredTensors& tensors, const FileSymbols& symbols);

}  // namespace selvage
