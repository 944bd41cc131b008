#pragma once

#include <selvage/ir/fold.h>
#include <selvage/lower/draft.h>

#include <optional>
#include <vector>

namespace selvage {

// Rewrites unrolled loops that take the items of a variance or a logsumexp into a thread's state
// one by one: they collect a group of items first, and then take it in as a whole.
//   for v in 8                          for v in 8: group[v] = x[v]
//     state = state with x[v]           most = greatest; for v in 8: most = fmax(most, group[v])
//                                       powers = powers * exp(greatest - most)
//                                       for v in 8: powers = powers + exp(group[v] - most)
//                                       greatest = most
// So an item takes no more than a power, and that of a variance no division: the mean and the
// squared distances of a group are computed in two passes over registers, and merged. Where `most`
// is infinite, 0 is subtracted in its place, so that the sum becomes what it is to be: 0 if all
// items are -inf, else inf. A NaN is an item of the sum, which then is NaN.
class FoldGroups {
 public:
  // `state`: by component; `element`: where loops leave an item before they take it in.
  FoldGroups(KernelDraft& draft, const Fold& fold, std::vector<BufferId> state, BufferId element)
      : draft_(draft), fold_(fold), state_(std::move(state)), element_(element) {}

  void rewrite(Body& body);

 private:
  // Loops, one inside the other, around one item; `address`: of the state that takes it in.
  struct Group {
    std::vector<Loop> loops;  // without bodies
    Expr address;
    std::int64_t points = 1, items = 1;  // of all loops, and for each state
    bool is_of_state(const Loop& loop) const;
  };
  std::optional<Group> group_of(const Loop& loop) const;
  bool takes_in(const Body& body) const;
  void collect(Body& body, BufferId items, const Group& group) const;
  Expr number(const Group& group) const;
  Body taken_in(const Group& group, BufferId items);
  Body powers(const Group& group, ValueId item);
  Body squares(const Group& group, ValueId item);
  Body around(const Group& group, bool of_state, Body body) const;

  KernelDraft& draft_;
  const Fold& fold_;
  std::vector<BufferId> state_;
  BufferId element_;
};

}  // namespace selvage
