#pragma once

#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/propagation.h>

#include <functional>
#include <vector>

namespace selvage {

// Asks whether some sums can all be at least 0, given intervals of their atoms. The sums become
// relations between atoms (propagation.h); an atom that is a quotient or a remainder by a number is
// tied to its operand by a relation as well.
class Narrowing {
 public:
  // `range` gives an interval that holds all values of an atom.
  explicit Narrowing(std::function<Interval(Expr)> range) : range_(std::move(range)) {}

  void add(const LinearSum& sum);
  // True: no values of the atoms make all sums at least 0. False: some do, or the search gave up:
  // after `boxes` boxes, at work_done = last_work (base/work.h), or with nothing left to halve.
  bool is_empty(int boxes, std::uint64_t last_work);

 private:
  Relations::Variable atom(Expr e);
  std::vector<Relations::Part> parts(const LinearSum& sum);

  std::function<Interval(Expr)> range_;
  std::vector<Expr> atoms_;
  std::vector<char> follows_;  // by atom: a quotient or remainder tied to its operand
  Relations relations_{16};
};

}  // namespace selvage
