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

// The accesses by which a group's elements are moved, of a store as of a read: `elements` of them,
// so many `at_once`. Legal where the elements lie side by side, and where the first is a multiple
// of `at_once` elements from a base that is one of as many bytes.
struct GroupAccess {
  Expr start;  // the address of the first element
  Verdict consecutive = Unknown{};
  Verdict aligned = Unknown{};        // asked of what is consecutive
  std::vector<Expr> conditions = {};  // on strides, at launch: on top of those that hold anyway
  std::optional<Expr> base;           // and on the base

  bool is_legal() const { return is_proved(consecutive) && is_proved(aligned); }
};
// `address`: of the element `variable` of the group, in a tensor that is stored so and whose axes
// these are; `under`: what holds wherever the group is moved; `conditions`: those that hold anyway.
GroupAccess group_access(Simplifier& under, Expr address, Expr variable, std::int64_t elements,
                         std::int64_t at_once, const Storage& storage,
                         const std::vector<AllocationAxis>& axes,
                         const std::vector<Expr>& conditions = {});

}  // namespace selvage
