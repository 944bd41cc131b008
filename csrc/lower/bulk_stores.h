#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/lower/draft.h>

#include <optional>

namespace selvage {

// Stores of a tensor in global memory that is a copy of a tile, by bulk copies (CopyBy::Bulk):
//   proxy fence
//   barrier
//   for i in 32:
//     begin y[a .. +32] = ys[b .. +32]
//   end the group of stores
//   wait for stores
// One thread makes them where no loop is bound to thread indices. `nest`: the loops, in which a
// vector is loaded from the tile and stored, for whatever thread (NestRequest::is_stored_in_bulk).
// `atomic`: the copies of a fold's results are combined with what other blocks have left.
//
// Nothing: sizes are known for which no vector is whole, or the last one is no pieces of 16 bytes.
// Throws E448, and E468 of a fold, where none of the vectors could be copied so.
std::optional<Body> bulk_store_nest(const Fusion& fusion, const Schedule& schedule,
                                    const TensorAnalysis& analysis, Body nest, BufferId to,
                                    std::optional<Function> atomic, KernelDraft& draft);

}  // namespace selvage
