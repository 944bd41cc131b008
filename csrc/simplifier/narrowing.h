#pragma once

#include <selvage/simplifier/facts.h>
#include <selvage/simplifier/linear.h>

#include <functional>
#include <span>
#include <vector>

namespace selvage {

// A system of sums that are to be at least 0, over intervals of their atoms. Intervals are narrowed
// through sums, quotients and remainders, both ways, until nothing moves; where that does not
// empty one, an interval is halved and each half tried, within a budget of boxes.
class Narrowing {
 public:
  // `range` gives the values that an atom can take, from above.
  explicit Narrowing(std::function<Interval(Expr)> range) : range_(std::move(range)) {}

  void add(const LinearSum& sum);
  // True: no values make all sums at least 0. False: some do, or it is not known when `boxes` are
  // looked at or this much work (base/work.h) is done.
  bool is_empty(int boxes, std::uint64_t last_work);

 private:
  using Box = std::vector<Interval>;  // by atom
  struct Part {
    std::size_t atom;
    std::int64_t coefficient;
  };
  struct Sum {
    std::vector<Part> parts;
    std::int64_t constant;
  };
  // atoms_[atom] is operand / divisor, or operand % divisor; sums_[operand] is not constrained.
  struct Division {
    std::size_t atom, operand;
    std::int64_t divisor;
    bool remainder;
  };

  std::size_t atom(Expr e);
  std::size_t convert(const LinearSum& sum);
  static Interval value(const Sum& sum, const Box& box);
  // The sum lies within `allowed`. False where that leaves some part nothing.
  static bool require(const Sum& sum, const Interval& allowed, Box& box, bool& moved);
  bool revise(const Division& division, Box& box, bool& moved) const;
  bool propagate(Box& box) const;
  bool is_empty(Box box, int& boxes) const;

  std::function<Interval(Expr)> range_;
  std::vector<Expr> atoms_;
  Box start_;
  std::vector<Sum> sums_;
  std::vector<std::size_t> constraints_;  // among sums_
  std::vector<Division> divisions_;
  std::uint64_t last_work_ = 0;
};

}  // namespace selvage
