// Propagation of intervals and congruences through sums, divisions and exclusive ors, both ways.
#include <selvage/base/integer.h>
#include <selvage/simplifier/propagation.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <numeric>

namespace selvage {

namespace {

// With more variables no congruences go through sums: on long chains they climb step by step.
constexpr std::size_t kResiduesAtMost = 256;
constexpr std::size_t kMostParts = 8;  // of a sum through which congruences go

}  // namespace

Relations::Variable Relations::add_variable(const Interval& range) {
  start_.push_back(range);
  around_.emplace_back();
  return Variable(start_.size() - 1);
}

void Relations::add(Relation relation, std::span<const Part> parts) {
  const auto number = std::uint32_t(list_.size());
  relation.begin = std::uint32_t(parts_.size());
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(parts_),
               [](const Part& p) { return p.coefficient != 0; });
  relation.end = std::uint32_t(parts_.size());
  const auto tie = [&](Variable v) {
    if (around_[v].empty() || around_[v].back() != number) around_[v].push_back(number);
  };
  for (const Part& p : parts) tie(p.variable);
  if (relation.kind == Kind::Quotient || relation.kind == Kind::Remainder) tie(relation.result);
  list_.push_back(relation);
}

void Relations::add_sum(std::span<const Part> parts, std::int64_t constant, const Interval& range) {
  add({.kind = Kind::Sum, .constant = constant, .range = range}, parts);
}

void Relations::add_quotient(Variable result, std::span<const Part> parts, std::int64_t constant,
                             std::int64_t divisor) {
  add({.kind = Kind::Quotient, .result = result, .constant = constant, .divisor = divisor}, parts);
}

void Relations::add_remainder(Variable result, std::span<const Part> parts, std::int64_t constant,
                              std::int64_t divisor) {
  narrow(result, {0, divisor - 1});
  add({.kind = Kind::Remainder, .result = result, .constant = constant, .divisor = divisor}, parts);
}

void Relations::add_xor(Variable y, Variable rows, Variable v) {
  add({.kind = Kind::Xor}, std::array{Part{y, 1}, Part{rows, 1}, Part{v, 1}});
}

IntervalBox::IntervalBox(const Relations& relations)
    : relations_(&relations),
      ranges_(relations.start_),
      residues_(relations.variables()),
      queue_(relations.size()),
      queued_(relations.size(), 1) {
  std::iota(queue_.begin(), queue_.end(), 0u);
  empty_ = std::any_of(ranges_.begin(), ranges_.end(), [](const Interval& r) { return r.empty(); });
}

void IntervalBox::touch(Relations::Variable v) {
  for (std::uint32_t r : relations_->around_[v]) {
    if (queued_[r]) continue;
    queued_[r] = 1;
    queue_.push_back(r);
  }
}

bool IntervalBox::set(Relations::Variable v, std::int64_t lo, std::int64_t hi) {
  Interval& range = ranges_[v];
  if (lo <= range.lo && hi >= range.hi) return !empty_;
  if (const Congruence& c = residues_[v]; c.modulus > 1) {
    if (lo > range.lo) lo = tightened({lo, Interval::kInfinity}, c).lo;
    if (hi < range.hi) hi = tightened({Interval::kMinusInfinity, hi}, c).hi;
  }
  range = intersect(range, {lo, hi});
  touch(v);
  if (range.empty()) empty_ = true;
  return !empty_;
}

bool IntervalBox::set(Relations::Variable v, const Congruence& known) {
  if (known.modulus <= 1) return true;
  Congruence& old = residues_[v];
  Congruence both;
  if (!intersect(old, known, &both)) {
    empty_ = true;
    return false;
  }
  if (both.modulus == old.modulus) return true;
  old = both;
  touch(v);
  return set(v, tightened(ranges_[v], old));
}

bool IntervalBox::propagate() {
  // Ranges may shrink by 1 at a time, so steps are limited. The ranges are right whenever it ends.
  const std::size_t most = relations_->rounds_ * relations_->size();
  std::size_t next = 0;
  for (; next < queue_.size() && next < most && !empty_; ++next) {
    const std::uint32_t r = queue_[next];
    queued_[r] = 0;
    ++steps_;
    apply(relations_->list_[r]);
  }
  for (; next < queue_.size(); ++next) queued_[queue_[next]] = 0;
  queue_.clear();
  return !empty_;
}

bool IntervalBox::apply(const Relation& r) {
  using Kind = Relations::Kind;
  switch (r.kind) {
    case Kind::Sum: {
      const std::span<const Part> parts = relations_->parts(r);
      if (!require(parts, r.constant, r.range)) return false;
      if (!r.range.is_point() || ranges_.size() > kResiduesAtMost) return true;
      const auto sum = checked_sub(r.range.lo, r.constant);
      return !sum || require_congruence(parts, *sum);
    }
    case Kind::Quotient:
    case Kind::Remainder: return apply_division(r);
    case Kind::Xor: return apply_xor(r);
  }
  return true;
}

Interval IntervalBox::product(const Part& p) const {
  const Interval& range = ranges_[p.variable];
  return p.coefficient == 1 ? range : Interval::point(p.coefficient) * range;
}

Interval IntervalBox::value(std::span<const Part> parts, std::int64_t constant) const {
  Interval total = Interval::point(constant);
  for (const Part& p : parts) total = total + product(p);
  return total;
}

// The interval of the sum without one part: `total`, that of all, minus the part, end by end if all
// ends are finite; else summed anew.
Interval IntervalBox::others(std::span<const Part> parts, std::int64_t constant,
                             const Part& without, const Interval& total) const {
  const Interval own = product(without);
  if (total.has_lo() && total.has_hi() && own.has_lo() && own.has_hi()) {
    const auto lo = checked_sub(total.lo, own.lo), hi = checked_sub(total.hi, own.hi);
    if (lo && hi && *lo <= *hi) return {*lo, *hi};
  }
  Interval rest = Interval::point(constant);
  for (const Part& p : parts) {
    if (&p != &without) rest = rest + product(p);
  }
  return rest;
}

// Narrows each part to the range minus the interval of the other parts.
bool IntervalBox::require(std::span<const Part> parts, std::int64_t constant,
                          const Interval& range) {
  if (parts.empty()) {
    empty_ = empty_ || !range.contains(constant);
    return !empty_;
  }
  const Interval total = value(parts, constant);
  if (total.within(range.lo, range.hi)) return true;
  for (const Part& p : parts) {
    const Interval of = range - others(parts, constant, p, total);
    const std::int64_t k = p.coefficient;
    if (k == 1) {
      if (!set(p.variable, of)) return false;
      continue;
    }
    if (k == INT64_MIN) continue;
    // Rounded inwards: the least v with k*v >= lo, the greatest v with k*v <= hi.
    const std::int64_t d = magnitude(k);
    const Interval low = k > 0 ? of : Interval::point(0) - of;
    Interval to;
    if (low.has_lo()) to.lo = ceil_div(low.lo, d);
    if (low.has_hi()) to.hi = floor_div(low.hi, d);
    if (!set(p.variable, to)) return false;
  }
  return true;
}

// The parts add up to `sum`, so each is congruent to `sum` minus the others. Nothing follows if two
// parts have no known congruence.
bool IntervalBox::require_congruence(std::span<const Part> parts, std::int64_t sum) {
  if (parts.size() > kMostParts) return true;
  std::array<Congruence, kMostParts> products;
  std::size_t open = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Interval& range = ranges_[parts[i].variable];
    const Congruence own =
        range.is_point() ? Congruence::point(range.lo) : residues_[parts[i].variable];
    products[i] = Congruence::point(parts[i].coefficient) * own;
    if (products[i].modulus == 1) ++open;
  }
  if (open > 1) return true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (open == 1 && products[i].modulus != 1) continue;
    Congruence rest = Congruence::point(sum);
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (j != i) rest = rest - products[j];
    }
    const std::int64_t k = parts[i].coefficient;
    if (rest.modulus <= 1 || k == INT64_MIN) continue;
    if (rest.modulus % k != 0 || rest.residue % k != 0) continue;
    const std::int64_t m = magnitude(rest.modulus / k);
    if (!set(parts[i].variable, Congruence{m, *euclid_mod(rest.residue / k, m)})) return false;
  }
  return true;
}

bool IntervalBox::apply_division(const Relation& r) {
  const std::span<const Part> parts = relations_->parts(r);
  const std::int64_t d = r.divisor;
  const Interval operand = value(parts, r.constant), by = Interval::point(d);
  const Interval& result = ranges_[r.result];
  if (r.kind == Relations::Kind::Quotient) {
    if (!set(r.result, operand / by)) return false;
    const Interval least = by * result;
    return require(parts, r.constant, {least.lo, saturating_add(least.hi, d - 1)});
  }
  if (!set(r.result, operand % by)) return false;
  if (!operand.has_lo() || !operand.has_hi()) return true;
  const std::int64_t q = floor_div(operand.lo, d);
  if (q != floor_div(operand.hi, d)) return true;
  const auto multiple = checked_mul(q, d);
  return !multiple || require(parts, r.constant, Interval::point(*multiple) + result);
}

// y = rows ^ v
bool IntervalBox::apply_xor(const Relation& r) {
  const std::span<const Part> parts = relations_->parts(r);
  const Relations::Variable y = parts[0].variable, v = parts[2].variable;
  const Interval rows = ranges_[parts[1].variable];
  if (rows.is_point()) {
    const Interval in = ranges_[v], out = ranges_[y];
    if (in.is_point() && !set(y, Interval::point(rows.lo ^ in.lo))) return false;
    if (out.is_point() && !set(v, Interval::point(rows.lo ^ out.lo))) return false;
  }
  // ~rows ^ v = ~(rows ^ v): negative rows mirror the blocks.
  const bool mirrored = rows.hi < 0;
  const std::int64_t highest = mirrored ? (rows.has_lo() ? ~rows.lo : -1) : rows.hi;
  if ((rows.lo < 0 && !mirrored) || highest < 0 || highest >= Interval::kInfinity / 4) return true;
  // Only the low bits of y and v differ: both lie in the same blocks.
  const auto block = std::int64_t(std::bit_ceil(std::uint64_t(highest) + 1));
  const auto widen = [&](Interval w) {
    const auto last = [&] {
      return saturating_add(saturating_mul(floor_div(w.hi, block), block), block - 1);
    };
    const Interval wide{w.has_lo() ? floor_div(w.lo, block) * block : w.lo,
                        w.has_hi() ? last() : w.hi};
    return mirrored ? Interval::point(-1) - wide : wide;
  };
  const Interval wide_v = widen(ranges_[v]), wide_y = widen(ranges_[y]);
  return set(y, wide_v) && set(v, wide_y);
}

}  // namespace selvage
