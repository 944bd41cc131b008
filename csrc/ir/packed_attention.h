// Attention within each of rows that lie packed one behind another, such as sentences of a batch:
// nothing is padded, and no item meets one of another row.
//   const RowsId sentences = add_rows(f.input("off", {B + 1}, DataType::Int64));
//   Tensor q = ragged_input(f, "q", sentences, {D}, DataType::Float), ...
//   f.output("y", packed_attention(q, k, v, 0.125, Attends::Backward));
// An item and one that it attends to are a pair. Pairs are rows again, one for each item, so
// scores take as much memory as there are pairs. Refusals name the operation (BadInput): E501 rows
// that are not the same or extents that differ, E511 operands without items of rows, or of another
// rank than items and one axis more.
#pragma once

#include <selvage/ir/ragged.h>

#include <cstdint>
#include <optional>

namespace selvage {

// To which items of its row an item attends: all, or itself and those in front of it.
enum class Attends : std::uint8_t { Everywhere, Backward };

struct PackedScores {
  RowsId pairs{};  // of each item, as many as it attends to
  Tensor begins;   // [items], int64: where the row of an item begins among the items
  Tensor scores;   // [items, pairs]
};
// The products of q and k, [rows, ragged, D] each, of every pair. The offsets of pairs are an int64
// output called q_k_pairs_offsets, with the names of the operands; how many pairs there are is
// `pairs` or, if that is not given, a size called like them with "_items".
PackedScores packed_scores(Tensor q, Tensor k, Attends to = Attends::Everywhere,
                           std::optional<Expr> pairs = {});

// [rows, ragged, E]: of each item the mean of v, [rows, ragged, E], over its pairs, weighted by a
// softmax of their scores times `scale`.
Tensor packed_attention(Tensor q, Tensor k, Tensor v, double scale,
                        Attends to = Attends::Everywhere, std::optional<Expr> pairs = {});

}  // namespace selvage
