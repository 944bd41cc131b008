#pragma once

#include <selvage/index/allocation.h>
#include <selvage/ir/schedule.h>
#include <selvage/legality/finding.h>
#include <selvage/legality/hoist.h>

#include <memory>

namespace selvage {

struct TensorAnalysis;

// A store whose loop is bound to Vectorize. A group is the points that differ in that loop only; it
// is full where all of them are valid.
//
// Legal: in every full group the addresses are a, a + 1, ..., a + width - 1, and a is a multiple of
// width (then a * size is one of the access, given an aligned base). Groups that are partly valid
// are stored element by element, and make nothing illegal: no element is dropped.
//
// A loop whose elements are not stored side by side in memory, because they are folded into one or
// kept in registers, may be bound to Vectorize all the same: then only what is read for a group is
// one access, where it can be.
struct VectorAccess {
  bool is_stored = true;  // a group is stored as one access
  DomainId domain{};
  Expr variable;
  std::int64_t width = 0;  // elements; 0: the extent is no number
  std::int64_t bytes = 0;  // of one access
  Finding finding;
  Hoisted full;  // over the other loops: every element of the group is valid
  Verdict is_whole =
      Proved{};  // every group with a valid element is full; Refuted: one that is not
  std::shared_ptr<Simplifier> in_full_groups;  // all that holds at the points of full groups
  Expr start;  // the address of a group's first element, right at full groups
};
// Whether to look for a change that mends an illegal access.
enum class Help : std::uint8_t { Without, With };
std::optional<VectorAccess> vector_access(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis, Help help = Help::With);

// Law F: groups of n of the merged axes are contiguous if and only if n divides the product of the
// extents right of the innermost break, or nothing lies left of it. `product`: of the extents right
// of the break, or of all if there is none; `left`: how many axes lie left of it.
struct InnermostBreak {
  Expr product;
  std::size_t left = 0;
};
InnermostBreak innermost_break(const std::vector<AllocationAxis>& axes, Simplifier& simplifier);

// Whether one access of `width` elements does for a group of a tensor with these axes: its
// elements, at `address` over `variable`, are consecutive; `start` is a multiple of `width`. Asked
// where the facts of `under` hold and, at launch, `conditions`, to which conditions on strides may
// be added.
Verdict is_consecutive(Simplifier& under, Expr address, Expr variable, std::int64_t width,
                       const std::vector<AllocationAxis>& axes, std::vector<Expr>& conditions);
Verdict is_aligned(Simplifier& under, Expr start, std::int64_t width,
                   const std::vector<AllocationAxis>& axes, std::vector<Expr>& conditions);
// The condition at launch that the base is a multiple of so many bytes; nothing if that is known.
std::optional<Expr> base_condition(const Storage& storage, std::int64_t bytes);

}  // namespace selvage
