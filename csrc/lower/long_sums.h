#pragma once

#include <selvage/lower/tree_body.h>

#include <functional>

namespace selvage {

// How many items a thread adds to one number, one after the other: n additions in a row are off by
// up to n/2 units in the last place of the sum of magnitudes.
constexpr std::int64_t kMostAddedInARow = 256;

// Sums of floats that a thread keeps in registers, where it adds more items to one of them than
// that, or may: it adds them to a part, which goes into the sum after so many iterations, a power
// of two, that a part has no more than kMostAddedInARow items. Parts are added up as Kahan does:
// what an addition loses goes into the next. However many there are, adding them is off by about
// two half units in the last place of the sum of magnitudes (Higham, Accuracy and Stability of
// Numerical Algorithms, 4.3).
//   for o in 1000                            for o in 1000
//     for v in 8: s = s + x[o * 8 + v]         for v in 8: part = part + x[o * 8 + v]
//                                              if (o % 32 == 31)
//                                                part = part + lost
//                                                lost = what s + part loses
//                                                s = s + part
//                                                part = 0
//                                            s = s + (part + lost)
// It costs a test in each iteration of that loop, seven operations for each part, two registers.
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
