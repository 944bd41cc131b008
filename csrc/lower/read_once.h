#pragma once

#include <selvage/ir/effective_reads.h>
#include <selvage/ir/nests.h>

#include <vector>

namespace selvage {

// Who reads what in a program: listed once for all its kernels.
struct InputReads {
  // All must outlive it and not change.
  InputReads(const Fusion& fusion, const Schedule& schedule, const Nests& nests);

  EffectiveReads reads;
  std::vector<int> readers;  // nests, by tensor
};

struct ScheduledNests;

// Is no element of an input, which the kernel of these trees reads, read twice by the program, so
// that caches need not keep it? That is so where one nest alone reads it, each of its points
// another element (every index of the nest stands by itself on an axis), at most one loop point
// comes to any of its points, and no loop stands around it, nor any thread beside it, that it has
// not among its own. Where a part of that is not seen, the answer is no.
bool is_read_once(const ScheduledNests& scheduled, const std::vector<const NestTree*>& group,
                  TensorId input);

}  // namespace selvage
