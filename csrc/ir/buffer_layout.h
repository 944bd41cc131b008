#pragma once

#include <selvage/ir/schedule.h>

#include <string>
#include <utility>
#include <vector>

namespace selvage {

// How the elements of one tensor lie in shared or local memory: over an allocation domain of its
// own, row-major, outermost first. Without one, they lie over those of its loops that one place of
// the memory spans: what is computed there, by all threads of the block or by one.
//
// The transforms are those of loops. They take iterdomains of the tensor, be they loops, what loops
// were cut out of or what another transform here has made, and make iterdomains that are no loops.
// What order() names is what there is memory for: its extents' product, holes included. So a resize
// pads, and a swizzle permutes:
//   BufferLayout l = s.layout(tile);                        // of loops m and k, 32 by 32
//   l.order({k, m});                                  // transposed
//   l.order({m, l.resize(k, 0, 1)});                  // 32 rows of 33: address = m*33 + k
//   auto [u, v] = l.swizzle(SwizzleKind::Xor, m, k);
//   l.order({u, v});                                  // address = m*32 + (k ^ m)
// Indices, extents and addresses are those of the same graph that loops have. That each element has
// a place of its own is proved when the fusion is lowered (E437).
//
// It speaks for a schedule, which must outlive it. Throws Illegal, and leaves the schedule as it
// was: E401 to E404 as DomainGraph says, E410 not an iterdomain of that tensor, E411 not of one
// tensor, E412 one named twice.
class BufferLayout {
 public:
  std::pair<ScheduledLoop, ScheduledLoop> split(ScheduledLoop x, Expr factor,
                                                SplitOptions options = {});
  std::pair<ScheduledLoop, ScheduledLoop> split(ScheduledLoop x, std::int64_t factor,
                                                SplitOptions options = {});
  ScheduledLoop merge(ScheduledLoop outer, ScheduledLoop inner, std::string name = {});
  // Elements: `right` places behind each row, `left` before.
  ScheduledLoop resize(ScheduledLoop x, Expr left, Expr right, std::string name = {});
  ScheduledLoop resize(ScheduledLoop x, std::int64_t left, std::int64_t right,
                       std::string name = {});
  std::pair<ScheduledLoop, ScheduledLoop> swizzle(SwizzleKind kind, ScheduledLoop x,
                                                  ScheduledLoop y, std::string x_name = {},
                                                  std::string y_name = {});
  // Any of these, where what it takes is named by iterdomains and what it makes is left open.
  std::vector<ScheduledLoop> derive(const Transform& request, std::vector<std::string> names);

  // The allocation domain, outermost first. Empty: as loops are, again.
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
