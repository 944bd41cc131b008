#pragma once

#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/propagation.h>

#include <functional>
#include <vector>

namespace selvage {

// Sums that are to be at least 0, over intervals of their atoms, as relations between these: an
// atom that is a quotient or a remainder by a number is tied to its operand.
class Narrowing {
 public:
  // `range` gives the values that an atom can take, from above.
  explicit Narrowing(std::function<Interval(Expr)> range) : range_(std::move(range)) {}

  void add(const LinearSum& sum);
  // True: no values make all sums at least 0. False: some do, or it is not known when `boxes` are
  // looked at or this much work (base/work.h) is done.
  bool is_empty(int boxes, std::uint64_t last_work);

 private:
  Relations::Variable atom(Expr e);
  std::vector<Relations::Part> parts(const LinearSum& sum);

  std::function<Interval(Expr)> range_;
  std::vector<Expr> atoms_;
  std::vector<char> follows_;  // by atom: from others, as a quotient or a remainder of theirs
  Relations relations_{16};
};

}  // namespace selvage
