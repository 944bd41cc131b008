#pragma once

#include <selvage/lower/tree_body.h>

#include <functional>

namespace selvage {

// The most items that a thread adds to one number in a row. The error of n additions in a row is up
// to n/2 units in the last place of the sum of magnitudes.
constexpr std::int64_t kMostAddedInARow = 256;

// Rewrites sums of floats in a thread's registers to which the thread adds, or may add, more than
// kMostAddedInARow items. Items are added to a part; after a number of iterations, a power of two,
// that gives a part at most kMostAddedInARow items, the part is added to the sum. Parts are added
// by Kahan's method: the rounding error of one addition goes into the next. The error of adding any
// number of parts is about two half units in the last place of the sum of magnitudes (Higham,
// Accuracy and Stability of Numerical Algorithms, 4.3).
//   for o in 1000                            for o in 1000
//     for v in 8: s = s + x[o * 8 + v]         for v in 8: part = part + x[o * 8 + v]
//                                              if (o % 32 == 31)
//                                                part = part + lost
//                                                lost = what s + part loses
//                                                s = s + part
//                                                part = 0
//                                            s = s + (part + lost)
// The cost: a test in each iteration of that loop, seven operations for each part, two registers.
class LongSums {
 public:
  // `sum`: the buffer of the `items` sums; `for_each_item` makes the given statements for each sum.
  using ForEachItem = std::function<Body(const std::function<Body(Expr)>&)>;
  LongSums(KernelDraft& draft, BufferId sum, std::int64_t items, ForEachItem for_each_item)
      : draft_(draft), sum_(sum), items_(items), for_each_item_(std::move(for_each_item)) {}

  // Rewrites loops that take items in. If no sum is long: returns false and changes nothing.
  bool rewrite(Body& body);
  // The statements before these loops, and after them.
  Body start();
  Body finish();

 private:
  Body in_parts(Body body, bool is_last);
  Body loop_in_parts(Loop loop, bool is_last);
  Body add_parts();
  Body add_part(Expr address);
  Store zero(BufferId buffer, Expr address);
  void rename(Body& body);

  KernelDraft& draft_;
  BufferId sum_;
  std::int64_t items_;
  ForEachItem for_each_item_;
  BufferId part_{}, lost_{};
};

}  // namespace selvage
