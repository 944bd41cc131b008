#include <selvage/base/integer.h>
#include <selvage/base/work.h>
#include <selvage/simplifier/narrowing.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kRounds = 16;              // of propagation in one box
constexpr std::size_t kMostAtoms = 200;  // past them a quotient is any number of its range

bool narrow(Interval& range, const Interval& to, bool& moved) {
  const Interval both = intersect(range, to);
  moved = moved || !(both == range);
  range = both;
  return !both.empty();
}

}  // namespace

std::size_t Narrowing::atom(Expr e) {
  for (std::size_t i = 0; i < atoms_.size(); ++i) {
    if (same(atoms_[i], e)) return i;
  }
  const std::size_t made = atoms_.size();
  atoms_.push_back(e);
  start_.push_back(range_(e));
  const bool divides = (e.is(Op::Div) || e.is(Op::Mod)) && e[1].is(Op::Const) && e[1].value() > 0;
  if (divides && atoms_.size() <= kMostAtoms) {
    const std::size_t operand = convert(to_linear_or_atom(e[0]));
    divisions_.push_back({made, operand, e[1].value(), e.is(Op::Mod)});
  }
  return made;
}

std::size_t Narrowing::convert(const LinearSum& sum) {
  Sum s{{}, sum.constant};
  for (const auto& t : sum.terms) s.parts.push_back({atom(t.monomial), t.coefficient});
  sums_.push_back(std::move(s));
  return sums_.size() - 1;
}

void Narrowing::add(const LinearSum& sum) { constraints_.push_back(convert(sum)); }

Interval Narrowing::value(const Sum& sum, const Box& box) {
  Interval total = Interval::point(sum.constant);
  for (const Part& p : sum.parts) total = total + Interval::point(p.coefficient) * box[p.atom];
  return total;
}

bool Narrowing::require(const Sum& sum, const Interval& allowed, Box& box, bool& moved) {
  count_work(sum.parts.size() * (sum.parts.size() + 1));
  for (const Part& p : sum.parts) {
    // coefficient * atom lies within allowed - others.
    Interval others = Interval::point(sum.constant);
    for (const Part& q : sum.parts) {
      if (&q != &p) others = others + Interval::point(q.coefficient) * box[q.atom];
    }
    const Interval product = allowed - others;
    const std::int64_t k = p.coefficient;
    if (k == INT64_MIN) continue;
    Interval to;
    const std::int64_t lo = k > 0 ? product.lo : product.hi, hi = k > 0 ? product.hi : product.lo;
    // Towards the inside: the least v with k*v >= lo, the greatest with k*v <= hi.
    const bool has_lo = k > 0 ? product.has_lo() : product.has_hi();
    const bool has_hi = k > 0 ? product.has_hi() : product.has_lo();
    const std::int64_t d = magnitude(k), s = k > 0 ? 1 : -1;
    if (has_lo) to.lo = -floor_div(-(s * lo), d);
    if (has_hi) to.hi = floor_div(s * hi, d);
    if (!narrow(box[p.atom], to, moved)) return false;
  }
  return sum.parts.empty() ? intersect(Interval::point(sum.constant), allowed).lo == sum.constant &&
                                 allowed.contains(sum.constant)
                           : true;
}

bool Narrowing::revise(const Division& division, Box& box, bool& moved) const {
  const Sum& x = sums_[division.operand];
  const std::int64_t d = division.divisor;
  const Interval operand = value(x, box);
  Interval& result = box[division.atom];
  const Interval by = Interval::point(d);
  if (!division.remainder) {
    if (!narrow(result, operand / by, moved)) return false;
    const Interval least = Interval::point(d) * result;
    return require(x, {least.lo, saturating_add(least.hi, d - 1)}, box, moved);
  }
  if (!narrow(result, operand % by, moved)) return false;
  if (!operand.has_lo() || !operand.has_hi()) return true;
  const std::int64_t q = floor_div(operand.lo, d);
  if (q != floor_div(operand.hi, d)) return true;
  const auto multiple = checked_mul(q, d);
  return !multiple || require(x, Interval::point(*multiple) + result, box, moved);
}

bool Narrowing::propagate(Box& box) const {
  bool moved = true;
  for (int round = 0; moved && round < kRounds && work_done < last_work_; ++round) {
    moved = false;
    for (const std::size_t c : constraints_) {
      if (!require(sums_[c], {0, Interval::kInfinity}, box, moved)) return false;
    }
    for (const Division& d : divisions_) {
      if (!revise(d, box, moved)) return false;
    }
  }
  return true;
}

bool Narrowing::is_empty(Box box, int& boxes) const {
  if (--boxes < 0 || work_done >= last_work_) return false;
  if (!propagate(box)) return true;
  // Halve the narrowest of what is left open and is no quotient or remainder of others.
  std::size_t widest = atoms_.size();
  std::uint64_t width = 0;
  for (std::size_t i = 0; i < box.size(); ++i) {
    const bool follows = std::any_of(divisions_.begin(), divisions_.end(),
                                     [&](const Division& d) { return d.atom == i; });
    if (follows || box[i].is_point()) continue;
    if (!box[i].has_lo() || !box[i].has_hi()) return false;
    const std::uint64_t w = std::uint64_t(box[i].hi) - std::uint64_t(box[i].lo);
    if (widest == atoms_.size() || w < width) {
      widest = i;
      width = w;
    }
  }
  if (widest == atoms_.size()) return false;
  Box upper = box;
  const std::int64_t middle = box[widest].lo + std::int64_t(width / 2);
  box[widest].hi = middle;
  upper[widest].lo = middle + 1;
  return is_empty(std::move(box), boxes) && is_empty(std::move(upper), boxes);
}

bool Narrowing::is_empty(int boxes, std::uint64_t last_work) {
  last_work_ = last_work;
  return is_empty(start_, boxes);
}

}  // namespace selvage
