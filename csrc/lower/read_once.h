#pragma once

#include <selvage/ir/effective_reads.h>
#include <selvage/ir/nests.h>

#include <vector>

namespace selvage {

// The reads of a program, listed once for all its kernels.
struct InputReads {
  // The arguments must outlive it and not change.
  InputReads(const Fusion& fusion, const Schedule& schedule, const Nests& nests);

  EffectiveReads reads;
  std::vector<int> readers;  // the number of nests that read each tensor
};

struct ScheduledNests;

// Whether the program reads no element of `input` twice, so that caches need not keep it. The
// kernel of `group` must read it. True if all of this is seen to hold, else false:
//   only one nest reads the input
//   different points of that nest read different elements: each of its indices is a subscript
//   no two loop points of the nest have the same indices
//   every loop around the nest, and every block or thread index of the kernel, is a loop of it
bool is_read_once(const ScheduledNests& scheduled, const std::vector<const NestTree*>& group,
                  TensorId input);

}  // namespace selvage
