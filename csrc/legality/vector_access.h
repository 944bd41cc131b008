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
// What would mend an illegal one is looked for, unless nobody asks.
enum class Help : std::uint8_t { Without, With };
std::optional<VectorAccess> vector_access(const Fusion& fusion, const Schedule& schedule,
                                          const TensorAnalysis& analysis, Help help = Help::With);

// Law F: groups of n of the merged axes are contiguous if and only if n divides the product of the
// extents right of the innermost break, or nothing lies left of it. `product`: of the axes right of
// the break, all of them where there is none; `left`: how many axes lie left of it.
struct InnermostBreak {
  Expr product;
  std::size_t left = 0;
};
InnermostBreak innermost_break(const std::vector<AllocationAxis>& axes, Simplifier& simplifier);

// The elements that `address` gives for a group, in a tensor whose axes these are: does one access
// of `width` elements do, where the facts of `under` hold, and `conditions` at launch? Further
// conditions on strides are added.
Verdict is_consecutive(Simplifier& under, Expr address, Expr variable, std::int64_t width,
                       const std::vector<AllocationAxis>& axes, std::vector<Expr>& conditions);
Verdict is_aligned(Simplifier& under, Expr start, std::int64_t width,
                   const std::vector<AllocationAxis>& axes, std::vector<Expr>& conditions);
// What must hold at launch for the base to be a multiple of so many bytes; nothing if it is one.
std::optional<Expr> base_condition(const Storage& storage, std::int64_t bytes);

}  // namespace selvage
