#pragma once

#include <selvage/lower/tree_body.h>

#include <functional>

namespace selvage {

// How many items a thread adds to one number, one after the other: n additions in a row are off by
// up to n/2 units in the last place of the sum of magnitudes.
constexpr std::int64_t kMostAddedInARow = 256;

// Sums of floats that a thread keeps in registers, where it adds more items to one of them than
// that, or may. The loops that add are given a sum of their own for each iteration of the outermost
// loop that adds no more than kMostAddedInARow items in an iteration. The sums of iterations are
// added up as Kahan does: what an addition loses goes into the next. However many iterations there
// are, adding them is off by about two half units in the last place of the sum of magnitudes
// (Higham, Accuracy and Stability of Numerical Algorithms, 4.3).
//   for o in 1000                            for o in 1000
//     for v in 8: s = s + x[o * 8 + v]         part = 0
//                                              for v in 8: part = part + x[o * 8 + v]
//                                              part = part + lost
//                                              lost = what s + part loses
//                                              s = s + part
//                                            s = s + lost
// It costs seven operations more for each iteration of that loop, and two registers.
class LongSums {
 public:
  // `sum`: the buffer of the sums, `items` of them; `for_each_item` gives the statements for each.
  using ForEachItem = std::function<Body(const std::function<Body(Expr)>&)>;
  LongSums(KernelDraft& draft, BufferId sum, std::int64_t items, ForEachItem for_each_item)
      : draft_(draft), sum_(sum), items_(items), for_each_item_(std::move(for_each_item)) {}

  // Rewrites loops that take items in; false, and nothing is changed, where no sum is long.
  bool rewrite(Body& body);
  // Before these loops, and behind them.
  Body start();
  Body finish();

 private:
  Body in_parts(Body body);
  Body add_part(Expr address);
  void rename(Body& body);

  KernelDraft& draft_;
  BufferId sum_;
  std::int64_t items_;
  ForEachItem for_each_item_;
  BufferId part_{}, lost_{};
};

}  // namespace selvage
