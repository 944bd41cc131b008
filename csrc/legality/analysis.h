#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/index/access.h>
#include <selvage/index/predicate.h>
#include <selvage/legality/coverage.h>
#include <selvage/legality/row_numbers.h>
#include <selvage/legality/unswitch.h>
#include <selvage/legality/vector_access.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace selvage {

// A tensor that folds has two nests: Everything takes in all elements, Result is over the loops
// that are not folded over, of a scan over all loops, and stores the results.
enum class Part : std::uint8_t { Everything, Result };

// All that the schedule of one tensor means: what reports show, and lowering emits.
struct TensorAnalysis {
  TensorId tensor{};
  Part part = Part::Everything;
  std::vector<DomainId> loops;
  std::vector<Expr> variables;          // symbols named like the loops, one per loop
  Path path;                            // everything that follows from the loops
  Path hole_path;                       // the part between the loops and the logical domain
  std::shared_ptr<Simplifier> ranges;   // facts of sizes and ranges of the loops, no guard
  std::shared_ptr<Simplifier> guarded;  // the same, and all that holds at valid points
  std::shared_ptr<Coordinates> coordinates;
  std::vector<RowNumber> rows;  // that the nest is at, of ragged iterdomains
  PredicatePlan predicates;
  Coverage coverage;
  // For a tensor that is computed inside another's nest: where its elements are kept, dense over
  // its layout or some of its loops. Nothing: in global memory, as the fusion lays it out.
  std::optional<Storage> storage;
  Expr address;                          // in elements from the base, right at valid points
  Expr elements;                         // how many elements the allocation has
  std::optional<VectorAccess> vector;    // where a loop is bound to Vectorize
  std::optional<Unswitched> unswitched;  // where one is bound to Unswitch
  std::optional<Interior> interior;      // where some are bound to blocks, and not all is in bounds
};

// Throws Illegal E416 where the logical domain does not follow from the loops, E441 where the
// allocation domain does not.
TensorAnalysis analyze(const Fusion& fusion, const Schedule& schedule, TensorId tensor);

// analyze() in two steps. analyze_loops() sets all that loops mean, up to `guarded` and the
// coverage. `around`: the loops that the tensor shares with the nest it is computed in, and their
// variables there. `beside`: loops of other nests of the kernel, by their variables. A loop with
// another extent or another binding gets another variable, because what is known of a variable
// holds in the whole kernel.
using OpenLoops = std::vector<std::pair<DomainId, Expr>>;
struct KnownLoop {
  KnownLoop(const Schedule& schedule, TensorId t, DomainId loop);
  friend bool operator==(const KnownLoop& a, const KnownLoop& b) {
    return same(a.extent, b.extent) && a.axis == b.axis;
  }
  Expr extent;
  ParallelType axis;  // Serial if it is bound to no index
};
using KnownLoops = std::map<std::uint32_t, KnownLoop>;  // by the id of the variable
TensorAnalysis analyze_loops(const Fusion& fusion, const Schedule& schedule, TensorId tensor,
                             const OpenLoops& around = {}, Part part = Part::Everything,
                             const KnownLoops& beside = {});
// Whether another tensor's analyze_loops() holds for t as well: no fold, the same iterdomains, and
// the same loops, all of them shared. The steps of a search are many such tensors. And what it says
// of t then.
bool have_same_loops(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& other,
                     TensorId t, const OpenLoops& around);
TensorAnalysis analysis_like(const Fusion& fusion, const Schedule& schedule,
                             const TensorAnalysis& other, TensorId t);
// Then place_in_memory() sets addresses; analyze_memory() does that, and sets what they allow.
void place_in_memory(const Fusion& fusion, const Schedule& schedule, TensorAnalysis& analysis,
                     std::optional<Storage> storage = {});
void analyze_memory(const Fusion& fusion, const Schedule& schedule, TensorAnalysis& analysis,
                    std::optional<Storage> storage = {});

// How the elements that the nest stores lie.
Storage storage_of(const Fusion& fusion, const TensorAnalysis& analysis);

// The access of a nest to a tensor at the nest's coordinates: a write of its own tensor, a read of
// any other. The tensor's logical iterdomains and all axes of the storage must follow from the
// loops.
Access access_of(const Fusion& fusion, const DomainGraph& graph, const TensorAnalysis& nest,
                 TensorId tensor, Storage storage);

// Places a read where its tensor lies: in the storage of `source`, the nest that computes it;
// without one (an argument: null), as the fusion lays it out.
void place(Access& access, const Fusion& fusion, const Schedule& schedule,
           const TensorAnalysis* source);

// The indices of the tensor's definition, each with the coordinate that it stands for.
Environment indices_at(const TensorInfo& tensor, const Coordinates& coordinates);

// The same at one item, for a tensor that does not fold: one subscript per logical iterdomain.
Environment indices_at(const TensorInfo& tensor, const DomainGraph& graph,
                       std::span<const Expr> subscripts);

// A symbol with that name; if a size or one of `taken` has it, with marks: loop_, loop__.
Expr fresh_symbol(const Fusion& fusion, std::string name, std::span<const Expr> taken);

}  // namespace selvage
