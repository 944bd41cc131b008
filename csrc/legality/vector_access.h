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
// Of a tensor that is copied in bulk (CopyBy::Bulk) an access has any multiple of 16 bytes, and a
// is a multiple of 16 bytes.
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

// How the elements of a group are moved, by a store or by reads: in accesses of `at_once` elements
// each. Legal where the group's elements are consecutive, and where the address of the first is a
// multiple of `at_once` elements from an aligned base.
struct GroupAccess {
  Expr start;  // the address of the first element
  Verdict consecutive = Unknown{};
  Verdict aligned = Unknown{};        // stays Unknown where the elements are not consecutive
  std::vector<Expr> conditions = {};  // on strides, to be checked at launch
  std::optional<Expr> base;           // on the base, to be checked at launch

  bool is_legal() const { return is_proved(consecutive) && is_proved(aligned); }
};
// Decides it for a group of `elements` elements: the one numbered `variable` lies at `address`, in
// a tensor with this storage and these axes. The facts of `under` hold wherever the group is moved.
// `conditions` are checked at launch in any case, so that proofs may use them.
GroupAccess group_access(Simplifier& under, Expr address, Expr variable, std::int64_t elements,
                         std::int64_t at_once, const Storage& storage,
                         const std::vector<AllocationAxis>& axes,
                         const std::vector<Expr>& conditions = {});

}  // namespace selvage
