#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/index/predicate.h>
#include <selvage/legality/allocation.h>
#include <selvage/legality/coverage.h>
#include <selvage/legality/unswitch.h>
#include <selvage/legality/vector_access.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// All that the schedule of one tensor means: what reports show, and lowering emits.
struct TensorAnalysis {
  TensorId tensor{};
  std::vector<DomainId> loops;
  std::vector<Expr> variables;          // symbols named like the loops, one per loop
  Path path;                            // everything that follows from the loops
  Path hole_path;                       // the part between the loops and the logical domain
  std::shared_ptr<Simplifier> ranges;   // facts of sizes and ranges of the loops, no guard
  std::shared_ptr<Simplifier> guarded;  // and all that holds at valid points
  std::shared_ptr<Coordinates> coordinates;
  PredicatePlan predicates;
  Coverage coverage;
  Expr address;                          // in elements from the base, right at valid points
  Expr elements;                         // how many elements the allocation has
  std::optional<VectorAccess> vector;    // where a loop is bound to Vectorize
  std::optional<Unswitched> unswitched;  // where one is bound to Unswitch
  std::optional<Interior> interior;      // where some are bound to blocks, and not all is in bounds
};

// Throws Illegal E416 where the logical domain does not follow from the loops, E441 where the
// allocation domain does not.
TensorAnalysis analyze(const Fusion& fusion, const Schedule& schedule, TensorId tensor);

// The indices of the tensor's definition, each with the coordinate that it stands for.
Environment indices_at(const TensorInfo& tensor, const Coordinates& coordinates);

// A symbol with that name; where a size or one of `taken` has it, with marks: loop_, loop__.
Expr fresh_symbol(const Fusion& fusion, std::string name, std::span<const Expr> taken);

}  // namespace selvage
