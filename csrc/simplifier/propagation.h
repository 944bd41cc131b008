#pragma once

#include <selvage/simplifier/congruence.h>

#include <cstdint>
#include <span>
#include <vector>

namespace selvage {

// Relations between integer variables, numbered from 0: sums that lie within a range, quotients and
// remainders of sums by numbers, and exclusive ors. An IntervalBox holds what they leave of each
// variable.
class Relations {
 public:
  using Variable = std::uint32_t;
  // Propagation gives up after looking at each relation `rounds` times, on average.
  explicit Relations(std::size_t rounds = 40) : rounds_(rounds) {}

  struct Part {
    Variable variable;
    std::int64_t coefficient;
  };

  Variable add_variable(const Interval& range);
  void narrow(Variable v, const Interval& range) { start_[v] = intersect(start_[v], range); }
  // The sum of the parts and the constant lies within `range`.
  void add_sum(std::span<const Part> parts, std::int64_t constant, const Interval& range);
  // result = (parts + constant) / divisor, or the remainder; the divisor is at least 1.
  void add_quotient(Variable result, std::span<const Part> parts, std::int64_t constant,
                    std::int64_t divisor);
  void add_remainder(Variable result, std::span<const Part> parts, std::int64_t constant,
                     std::int64_t divisor);
  // y = rows ^ v
  void add_xor(Variable y, Variable rows, Variable v);

  std::size_t variables() const { return start_.size(); }
  std::size_t size() const { return list_.size(); }

 private:
  friend class IntervalBox;
  enum class Kind : std::uint8_t { Sum, Quotient, Remainder, Xor };
  struct Relation {
    Kind kind;
    Variable result = 0;               // of a quotient or a remainder
    std::uint32_t begin = 0, end = 0;  // parts_; of an Xor: y, rows, v
    std::int64_t constant = 0;
    std::int64_t divisor = 1;
    Interval range = {};  // of a sum
  };
  void add(Relation relation, std::span<const Part> parts);
  std::span<const Part> parts(const Relation& r) const {
    return std::span(parts_).subspan(r.begin, r.end - r.begin);
  }

  std::size_t rounds_;
  std::vector<Interval> start_;
  std::vector<Relation> list_;
  std::vector<Part> parts_;
  std::vector<std::vector<std::uint32_t>> around_;  // by variable: the relations that it is in
};

// An interval and a congruence for each variable, narrowed through the relations until nothing more
// follows. Sound: values that meet all relations and lie in all ranges set are never lost.
class IntervalBox {
 public:
  // Starts with the ranges of the variables, and propagates nothing yet.
  explicit IntervalBox(const Relations& relations);

  // Narrows v to [lo, hi]; propagate() then narrows the others. False: no values are left.
  bool set(Relations::Variable v, std::int64_t lo, std::int64_t hi);
  bool propagate();
  bool narrow(Relations::Variable v, std::int64_t lo, std::int64_t hi) {
    return set(v, lo, hi) && propagate();
  }

  bool empty() const { return empty_; }
  Interval operator[](Relations::Variable v) const { return ranges_[v]; }
  // Relations looked at so far, by this box and by those that it was copied from.
  std::uint64_t steps() const { return steps_; }

 private:
  using Relation = Relations::Relation;
  using Part = Relations::Part;

  void touch(Relations::Variable v);
  bool apply(const Relation& r);
  bool require(std::span<const Part> parts, std::int64_t constant, const Interval& range);
  bool require_congruence(std::span<const Part> parts, std::int64_t sum);
  bool apply_division(const Relation& r);
  bool apply_xor(const Relation& r);
  bool set(Relations::Variable v, const Interval& range) { return set(v, range.lo, range.hi); }
  bool set(Relations::Variable v, const Congruence& known);
  Interval product(const Part& p) const;
  Interval value(std::span<const Part> parts, std::int64_t constant) const;
  Interval others(std::span<const Part> parts, std::int64_t constant, const Part& without,
                  const Interval& total) const;

  const Relations* relations_;
  std::vector<Interval> ranges_;
  std::vector<Congruence> residues_;
  std::vector<std::uint32_t> queue_;  // relations still to look at; empty after propagate()
  std::vector<char> queued_;
  std::uint64_t steps_ = 0;
  bool empty_ = false;
};

// What a search does next: halve the range of a variable, ask is_wanted() because all that matters
// is fixed, or give up.
struct Halving {
  enum class Kind : std::uint8_t { Variable, Fixed, Stuck } kind;
  Relations::Variable variable = 0;
  bool upper_first = false;
};

// Looks for values in a propagated box, by halving ranges and propagating. Found and None are
// exact. pick(box) returns what to do next; is_wanted(box) decides where all is fixed;
// charge(steps) is told the steps of propagation for each half, and ends the search by returning
// false.
enum class Answer : std::uint8_t { Found, None, GaveUp };
template <class Pick, class IsWanted, class Charge>
Answer search(const IntervalBox& box, const Pick& pick, const IsWanted& is_wanted,
              const Charge& charge) {
  const Halving next = pick(box);
  if (next.kind == Halving::Kind::Stuck) return Answer::GaveUp;
  if (next.kind == Halving::Kind::Fixed) return is_wanted(box) ? Answer::Found : Answer::None;
  const Interval range = box[next.variable];
  const std::uint64_t width = std::uint64_t(range.hi) - std::uint64_t(range.lo);
  const std::int64_t middle = range.lo + std::int64_t(width / 2);
  const Interval halves[2] = {{range.lo, middle}, {middle + 1, range.hi}};
  for (int k = 0; k < 2; ++k) {
    const Interval part = halves[next.upper_first ? 1 - k : k];
    IntervalBox half = box;
    const bool is_left = half.narrow(next.variable, part.lo, part.hi);
    if (!charge(half.steps() - box.steps())) return Answer::GaveUp;
    if (!is_left) continue;
    const Answer found = search(half, pick, is_wanted, charge);
    if (found != Answer::None) return found;
  }
  return Answer::None;
}

}  // namespace selvage
