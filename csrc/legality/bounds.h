#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/legality/finding.h>

#include <memory>
#include <vector>

namespace selvage {

// Every store of a tensor goes to its item's place, and that lies inside the tensor's memory. Not
// proved: E443, with an item that has no place, or a loop point that stores outside.
Finding store_bound(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                    Help help = Help::With);

// One read in the definition of a tensor, or of one that is inlined into it.
struct ReadBound {
  TensorId source{};  // what is read
  TensorId reader{};  // in whose definition
  Finding inside;     // every subscript is within its extent at every valid point
  struct Open {       // what is neither proved nor refuted
    std::shared_ptr<const Facts> facts;
    Expr claim;
  };
  std::vector<Open> open = {};
};
// In the order of the definition, outer tensors first. A subscript is asked about over the reader's
// own indices first, and then over the loops, under their guard.
std::vector<ReadBound> read_bounds(const Fusion& fusion, const Schedule& schedule,
                                   const TensorAnalysis& analysis);

}  // namespace selvage
