#pragma once

#include <selvage/lower/draft.h>
#include <selvage/lower/kernels.h>

namespace selvage {

// Where blocks are clusters (Launch::is_cluster), loops bound to CIDx tell the memory of a block as
// those of the grid do, so each rank needs all of every buffer in shared memory for itself: its
// piece. Addresses so far are those within a piece, but for the buffers in draft.of_cluster, which
// are in pieces already. Throws Illegal E467 for what clusters do not have yet.
void give_pieces(const KernelRequest& request, KernelDraft& draft);

// A block of a cluster ends no earlier than others read its memory: a barrier of the cluster is
// the last statement of a kernel with such reads.
void meet_at_end(const KernelRequest& request, KernelDraft& draft);

}  // namespace selvage
