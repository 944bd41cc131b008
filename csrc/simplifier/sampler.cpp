#include <selvage/expr/symbols.h>
#include <selvage/simplifier/sampler.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// The conditions of the facts that share a symbol with the roots, directly or through other such
// conditions. Adds the symbols of these conditions to `symbols`.
std::vector<Expr> tied_conditions(const Facts& facts, std::vector<Expr>& symbols) {
  struct Condition {
    Expr condition;
    std::vector<Expr> symbols;
  };
  std::vector<Condition> open;
  for (Expr c : relations(facts)) open.push_back({c, symbols_of(std::span(&c, 1))});
  std::vector<Expr> tied;
  const auto take = [&](const Condition& c) {
    const bool is_tied =
        c.symbols.empty() || std::any_of(c.symbols.begin(), c.symbols.end(),
                                         [&](Expr e) { return contains(symbols, e); });
    if (!is_tied) return false;
    tied.push_back(c.condition);
    for (Expr e : c.symbols) {
      if (!contains(symbols, e)) symbols.push_back(e);
    }
    return true;
  };
  while (std::erase_if(open, take) > 0) {}
  std::sort(symbols.begin(), symbols.end(), structurally_before);
  const auto position = [&](Expr e) { return facts.find(e) ? facts.position(e) + 1 : 0; };
  std::stable_sort(symbols.begin(), symbols.end(),
                   [&](Expr a, Expr b) { return position(a) < position(b); });
  return tied;
}

}  // namespace

Sampler::Sampler(const Facts& facts, std::span<const Expr> roots, std::uint64_t seed)
    : symbols_(symbols_of(roots)), roots_(roots.size()), tape_({}, {}), random_(seed) {
  std::vector<Expr> all(roots.begin(), roots.end());
  for (Expr c : tied_conditions(facts, symbols_)) all.push_back(c);
  conditions_ = all.size() - roots_;
  tape_ = Tape(all, symbols_);
  cost_ = std::int64_t(reachable(all, true).size());
  values_.resize(symbols_.size());
  for (Expr e : symbols_) {
    Own& own = own_.emplace_back();
    const Facts::Symbol* s = facts.find(e);
    if (s == nullptr) continue;
    own.range = s->range;
    own.congruence = s->congruence;
    own.has_lo = s->lo.valid() && !s->lo.is(Op::Const);
    own.has_hi = s->hi.valid() && !s->hi.is(Op::Const);
    const Expr ends[] = {own.has_lo ? s->lo : e, own.has_hi ? s->hi : e};
    if (own.has_lo || own.has_hi) own.ends.emplace(ends, symbols_);
  }
}

bool Sampler::stand() {
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (!own_[i].range.contains(values_[i])) return false;
    if (!own_[i].congruence.contains(values_[i])) return false;
  }
  if (!tape_.evaluate(values_)) return false;
  for (std::size_t i = 0; i < conditions_; ++i) {
    if (tape_.root(roots_ + i) == 0) return false;
  }
  return true;
}

bool Sampler::move_to(std::span<const std::int64_t> values) {
  values_.assign(values.begin(), values.end());
  return stand();
}

bool Sampler::move(std::size_t symbol, std::int64_t value) {
  values_[symbol] = value;
  return stand();
}

bool Sampler::draw(std::int64_t spread) {
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    Own& own = own_[i];
    Interval range = own.range;
    if (own.ends && own.ends->evaluate(values_)) {
      if (own.has_lo) range.lo = std::max(range.lo, own.ends->root(0));
      if (own.has_hi) range.hi = std::min(range.hi, own.ends->root(1));
    }
    if (range.empty()) return false;
    values_[i] = draw_value(range, own.congruence, spread, random_);
  }
  return stand();
}

std::optional<std::int64_t> Sampler::count(std::int64_t most) const {
  std::int64_t points = 1;
  for (const Own& own : own_) {
    const Interval& r = own.range;
    if (!r.has_lo() || !r.has_hi()) return std::nullopt;
    const auto first = first_member(r.lo, own.congruence);
    const auto width = first ? checked_sub(r.hi, *first) : std::nullopt;
    if (!width || *width == INT64_MAX) return std::nullopt;
    const std::int64_t step = std::max<std::int64_t>(own.congruence.modulus, 1);
    const auto more = checked_mul(points, *width < 0 ? 0 : *width / step + 1);
    if (!more || *more > most) return std::nullopt;
    points = *more;
  }
  return points;
}

// One draw in eight is the near end, one the far end, two are next to a power of two, one is
// anywhere, and the others are near. The near end is the lower one; if there is none, it is -spread
// * modulus, or the upper end if that is less.
std::int64_t draw_value(Interval range, const Congruence& congruence, std::int64_t spread,
                        SplitMix64& random) {
  if (congruence.is_point()) return congruence.residue;
  const std::int64_t step = congruence.modulus;
  const std::int64_t reach = saturating_mul(spread, step);
  const bool has_near = range.has_lo(), has_far = range.has_hi();
  if (!has_near) range.lo = std::min(-reach, range.hi);
  if (!has_far) range.hi = std::max(saturating_add(range.lo, reach), reach);
  const std::uint64_t pick = random.next(), number = pick >> 3;
  const auto within = [&](std::int64_t lo, std::int64_t hi) {
    const std::uint64_t width = std::uint64_t(hi) - std::uint64_t(lo) + 1;
    return std::int64_t(std::uint64_t(lo) + (width == 0 ? pick : number % width));
  };
  const std::int64_t near_end =
      has_near ? std::min(range.hi, saturating_add(range.lo, reach)) : range.hi;
  std::int64_t v = 0;
  switch (pick % 8) {
    case 0: v = range.lo; break;
    case 1: v = has_far ? range.hi : within(range.lo, near_end); break;
    case 2: v = within(range.lo, range.hi); break;
    case 3:
    case 4: {
      const std::uint64_t powers = std::uint64_t(std::bit_width(std::uint64_t(spread)));
      v = std::clamp((std::int64_t{1} << number / 4 % powers) + std::int64_t(number % 3) - 1,
                     range.lo, near_end);
      break;
    }
    default: v = within(range.lo, near_end);
  }
  if (step == 1) return v;
  // The next member above, or below if that one is out of the range.
  const auto up = first_member(v, congruence);
  return up && *up <= range.hi ? *up : last_member(v, congruence).value_or(v);
}

}  // namespace selvage
