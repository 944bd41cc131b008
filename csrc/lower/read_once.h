#pragma once

#include <selvage/ir/effective_reads.h>
#include <selvage/lower/kernels.h>

#include <vector>

namespace selvage {

// Of which inputs no element is read twice by a program, so that caches need not keep them. That is
// so where one nest alone reads a tensor, each of its points another element of it (every index of
// the nest stands by itself on an axis), at most one loop point comes to any of its points, and no
// loop stands around it, nor any thread beside it, that it has not among its own. Where a part of
// that is not seen, the answer is no.
class ReadOnce {
 public:
  // For what the kernel of `group` reads. Both must outlive it.
  ReadOnce(const ScheduledNests& scheduled, const Group& group);

  bool operator()(TensorId input) const;

 private:
  // A nest, and whether all loops around it are its own.
  struct Nest {
    TensorId tensor{};
    bool has_all_loops = true;
  };
  void list(const NestTree& tree, bool has_all_loops);
  bool uses_all_threads(TensorId t) const;

  const ScheduledNests& scheduled_;
  EffectiveReads reads_;
  std::vector<Nest> nests_;
  std::vector<int> readers_;  // nests of the program, by tensor
};

}  // namespace selvage
