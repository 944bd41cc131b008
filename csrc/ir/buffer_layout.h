#pragma once

#include <selvage/ir/schedule.h>

#include <string>
#include <utility>
#include <vector>

namespace selvage {

// How the elements of one tensor lie in shared or local memory: row-major over an allocation domain
// of its own, outermost first. Without one, they lie over the loops that one instance of the memory
// spans: what is computed there by all threads of the block (shared) or by one thread (local).
//
// The transforms are those of loops. Their inputs are iterdomains of the tensor: loops, iterdomains
// that loops were cut out of, or results of other transforms here. Their results are no loops. The
// memory has as many elements as the product of the extents that order() names, holes included. So
// a resize pads, and a swizzle permutes:
//   BufferLayout l = s.layout(tile);                        // of loops m and k, 32 by 32
//   l.order({k, m});                                  // transposed
//   l.order({m, l.resize(k, 0, 1)});                  // 32 rows of 33: address = m*33 + k
//   auto [u, v] = l.swizzle(SwizzleKind::Xor, m, k);
//   l.order({u, v});                                  // address = m*32 + (k ^ m)
// Indices, extents and addresses follow from the graph that the loops use. Lowering proves that
// each element has a place of its own (E437).
//
// A BufferLayout edits a schedule, which must outlive it. Throws Illegal, and leaves the schedule
// as it was: E401 to E404 as DomainGraph says, E410 not an iterdomain of that tensor, E411 not of
// one tensor, E412 one named twice.
class BufferLayout {
 public:
  std::pair<ScheduledLoop, ScheduledLoop> split(ScheduledLoop x, Expr factor,
                                                SplitOptions options = {});
  std::pair<ScheduledLoop, ScheduledLoop> split(ScheduledLoop x, std::int64_t factor,
                                                SplitOptions options = {});
  ScheduledLoop merge(ScheduledLoop outer, ScheduledLoop inner, std::string name = {});
  // Adds `left` elements before each row and `right` elements after it.
  ScheduledLoop resize(ScheduledLoop x, Expr left, Expr right, std::string name = {});
  ScheduledLoop resize(ScheduledLoop x, std::int64_t left, std::int64_t right,
                       std::string name = {});
  std::pair<ScheduledLoop, ScheduledLoop> swizzle(SwizzleKind kind, ScheduledLoop x,
                                                  ScheduledLoop y, std::string x_name = {},
                                                  std::string y_name = {});
  // Any of these transforms: `request` names the inputs as iterdomains and leaves the outputs open;
  // `names` are for the outputs.
  std::vector<ScheduledLoop> derive(const Transform& request, std::vector<std::string> names);

  // Sets the allocation domain, outermost first. Empty: back to the layout over the loops.
  BufferLayout& order(const std::vector<ScheduledLoop>& domains);

 private:
  friend class Schedule;
  BufferLayout(Schedule& schedule, TensorId tensor) : schedule_(schedule), tensor_(tensor) {}
  DomainId own(ScheduledLoop x) const;
  void check_own(DomainId d) const;

  Schedule& schedule_;
  TensorId tensor_;
};

inline BufferLayout Schedule::layout(Tensor t) { return layout(t.id()); }

}  // namespace selvage
