#include <selvage/base/integer.h>
#include <selvage/base/random.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/verify_points.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>
#include <numeric>

namespace selvage {

std::size_t Slots::operator()(Expr symbol) {
  const auto [it, fresh] = slots_.try_emplace(symbol.id(), values_.size());
  if (fresh) values_.push_back(0);
  return it->second;
}

bool Slots::has_all(Expr e) const {
  const std::vector<Expr> symbols = symbols_of(std::span(&e, 1));
  return std::all_of(symbols.begin(), symbols.end(), [&](Expr s) { return has(s); });
}

SlotTape::SlotTape(std::span<const Expr> roots, Slots& slots)
    : tape_(roots, symbols_of(roots)), cost_(std::int64_t(reachable(roots, true).size()) + 1) {
  for (Expr symbol : symbols_of(roots)) from_.push_back(slots(symbol));
  inputs_.resize(from_.size());
}

bool SlotTape::evaluate(Slots& slots, std::int64_t& work) {
  work -= cost_;
  for (std::size_t i = 0; i < from_.size(); ++i) inputs_[i] = slots[from_[i]];
  return tape_.evaluate(inputs_);
}

PointWalk::PointWalk(std::span<const PointAxis> axes, std::span<const Expr> conditions,
                     std::span<const Expr> results, Slots& slots)
    : slots_(slots), results_(results, slots) {
  std::vector<Expr> later;
  for (const PointAxis& a : axes) later.push_back(a.symbol);
  std::vector<Expr> open(conditions.begin(), conditions.end());
  // Those that speak of nothing that comes later.
  const auto take = [&](std::size_t& count) {
    std::vector<Expr> own;
    std::erase_if(open, [&](Expr e) {
      for (Expr s : symbols_of(std::span(&e, 1))) {
        if (contains(later, s)) return false;
      }
      own.push_back(e);
      return true;
    });
    count = own.size();
    return own.empty() ? std::nullopt : std::optional<SlotTape>(std::in_place, own, slots);
  };
  before_ = take(before_count_);
  for (const PointAxis& a : axes) {
    later.erase(later.begin());
    const Expr ends[] = {a.begin, a.end};
    Level level{slots(a.symbol), SlotTape(ends, slots), {}, 0, a.only_first};
    level.conditions = take(level.count);
    levels_.push_back(std::move(level));
  }
}

bool PointWalk::hold(std::optional<SlotTape>& conditions, std::size_t count, Slots& slots,
                     std::int64_t& work, bool& is_defined) {
  is_defined = !conditions || conditions->evaluate(slots, work);
  if (!conditions || !is_defined) return is_defined;
  for (std::size_t i = 0; i < count; ++i) {
    if (conditions->root(i) == 0) return false;
  }
  return true;
}

PointWalk::End PointWalk::run(std::int64_t& work, const std::function<bool()>& visit) {
  bool is_defined = true;
  const bool go_on = hold(before_, before_count_, slots_, work, is_defined);
  if (!is_defined) return End::Undefined;
  return go_on ? run(0, work, visit) : End::Done;
}

PointWalk::End PointWalk::run(std::size_t k, std::int64_t& work,
                              const std::function<bool()>& visit) {
  if (work < 0) return End::OutOfWork;
  if (k == levels_.size()) {
    if (!results_.evaluate(slots_, work)) return End::Undefined;
    return visit() ? End::Done : End::Stopped;
  }
  Level& level = levels_[k];
  if (!level.range.evaluate(slots_, work)) return End::Undefined;
  const std::int64_t begin = level.range.root(0), end = level.range.root(1);
  for (std::int64_t v = begin; v < end; ++v) {
    slots_[level.slot] = v;
    bool is_defined = true;
    if (--work < 0) return End::OutOfWork;
    if (hold(level.conditions, level.count, slots_, work, is_defined)) {
      if (const End e = run(k + 1, work, visit); e != End::Done) return e;
      if (level.only_first) break;
    }
    if (!is_defined) return End::Undefined;
  }
  return End::Done;
}

std::optional<std::int64_t> period_of(Expr symbol, std::span<const Expr> expressions) {
  constexpr std::int64_t kMost = 1024;
  std::int64_t period = 1;
  std::unordered_map<std::uint32_t, bool> is_open;  // does it occur outside of a remainder?
  for (Expr e : reachable(expressions, true)) {
    bool open = same(e, symbol);
    for (Expr a : e.args()) open = open || is_open.at(a.id());
    if (open && e.is(Op::Mod) && e[1].is(Op::Const) && e[1].value() > 0) {
      const LinearSum sum = to_linear_or_atom(e[0]);
      bool is_linear = true;
      std::int64_t coefficient = 0;
      for (const LinearSum::Term& t : sum.terms) {
        if (same(t.monomial, symbol)) {
          coefficient = t.coefficient;
        } else {
          const auto it = is_open.find(t.monomial.id());
          const std::vector<Expr> symbols = symbols_of(std::span(&t.monomial, 1));
          const bool occurs = it != is_open.end() ? it->second : contains(symbols, symbol);
          is_linear = is_linear && !occurs;
        }
      }
      if (is_linear) {
        const std::int64_t n = e[1].value() / common_divisor(e[1].value(), coefficient);
        if (n > kMost) return std::nullopt;
        period = std::lcm(period, n);
        if (period > kMost) return std::nullopt;
        open = false;
      }
    }
    is_open[e.id()] = open;
  }
  for (Expr e : expressions) {
    if (is_open.at(e.id())) return std::nullopt;
  }
  return period;
}

std::vector<Point> sample_points(const Facts& facts, std::span<const Expr> symbols,
                                 std::size_t most) {
  if (symbols.empty()) return {Point{}};
  constexpr std::int64_t kSmall[] = {1, 2, 3, 4, 5, 7, 8, 16, 17};
  // Wider than a warp, than a block.
  constexpr std::int64_t kLarge[] = {257, 384, 1000, 1024, 1027, 2048};
  constexpr std::int64_t kMiddling[] = {31, 32, 33, 40, 64, 65, 100, 128, 200, 257};
  constexpr int kTries = 400;
  std::vector<Expr> all(symbols.begin(), symbols.end());
  for (const Facts::Symbol& s : facts.symbols()) {
    if (!contains(all, s.symbol)) all.push_back(s.symbol);
  }
  std::vector<Expr> roots = relations(facts);
  for (Expr e : symbols_of(roots)) {
    if (!contains(all, e)) all.push_back(e);
  }
  roots.push_back(facts.pool().truth(true));
  Tape tape(roots, all);
  SplitMix64 random(0x5A3B1E);
  std::vector<std::vector<std::int64_t>> found;
  for (int attempt = 0; attempt < kTries && found.size() < most; ++attempt) {
    std::vector<std::int64_t> values;
    const Expr large = all[found.size() / 4 % all.size()];
    for (Expr e : all) {
      const Facts::Symbol* s = facts.find(e);
      const Interval range = s == nullptr ? Interval{} : s->range;
      const Congruence c = s == nullptr ? Congruence{} : s->congruence;
      const bool is_small = (found.size() % 2 == 0) != (random.next() % 4 == 0);
      std::int64_t v = is_small ? kSmall[random.next() % std::size(kSmall)]
                                : kMiddling[random.next() % std::size(kMiddling)];
      if (found.size() % 4 == 2 && same(e, large)) v = kLarge[random.next() % std::size(kLarge)];
      if (random.next() % 4 == 0 && range.has_lo()) v = range.lo;
      v = std::clamp(v, range.lo, std::max(range.lo, range.hi));
      if (c.modulus > 1) {
        // Down to one that the congruence holds, or the next one up.
        v = saturating_add(v, -*euclid_mod(*euclid_mod(v, c.modulus) - c.residue, c.modulus));
        if (v < range.lo) v = saturating_add(v, c.modulus);
      }
      values.push_back(v);
    }
    bool is_allowed = tape.evaluate(values);
    for (std::size_t i = 0; is_allowed && i < roots.size(); ++i) is_allowed = tape.root(i) != 0;
    for (std::size_t i = 0; is_allowed && i < all.size(); ++i) {
      const Facts::Symbol* s = facts.find(all[i]);
      is_allowed =
          s == nullptr || (s->range.contains(values[i]) && s->congruence.contains(values[i]));
    }
    if (is_allowed && std::find(found.begin(), found.end(), values) == found.end()) {
      found.push_back(std::move(values));
    }
  }
  std::vector<Point> points;
  for (const auto& values : found) {
    Point p = point_at(all, values);
    std::erase_if(p, [&](const auto& entry) { return !contains(symbols, entry.first); });
    points.push_back(std::move(p));
  }
  return points;
}

std::optional<std::vector<Point>> all_points(const Facts& facts, std::span<const Expr> symbols,
                                             std::size_t most) {
  constexpr std::int64_t kMostTried = 1 << 14;
  if (symbols.empty()) return std::vector<Point>{{}};
  std::vector<Expr> known = relations(facts);
  std::erase_if(known, [&](Expr e) {
    const std::vector<Expr> own = symbols_of(std::span(&e, 1));
    return std::none_of(own.begin(), own.end(), [&](Expr s) { return contains(symbols, s); });
  });
  if (!uses_only(known, symbols)) return std::nullopt;
  std::vector<const Facts::Symbol*> of;
  std::int64_t tried = 1;
  for (Expr e : symbols) {
    of.push_back(facts.find(e));
    if (of.back() == nullptr) return std::nullopt;
    const Interval& range = of.back()->range;
    if (!range.has_lo() || !range.has_hi() || range.hi == INT64_MAX) return std::nullopt;
    const auto width = checked_sub(range.hi, range.lo);
    const auto all = width ? checked_add(*width, 1) : std::nullopt;
    const auto product = all ? checked_mul(tried, std::max<std::int64_t>(*all, 0)) : std::nullopt;
    if (!product || *product > kMostTried) return std::nullopt;
    tried = *product;
  }
  std::vector<Expr> roots = known;
  roots.push_back(facts.pool().truth(true));
  Tape tape(roots, symbols);
  std::vector<Point> points;
  std::vector<std::int64_t> values(symbols.size());
  for (std::int64_t n = 0; n < tried; ++n) {
    std::int64_t rest = n;
    bool is_allowed = true;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const Interval& range = of[i]->range;
      values[i] = range.lo + rest % (range.hi - range.lo + 1);
      rest /= range.hi - range.lo + 1;
      is_allowed = is_allowed && of[i]->congruence.contains(values[i]);
    }
    is_allowed = is_allowed && tape.evaluate(values);
    for (std::size_t i = 0; is_allowed && i < roots.size(); ++i) is_allowed = tape.root(i) != 0;
    if (!is_allowed) continue;
    if (points.size() == most) return std::nullopt;
    points.push_back(point_at(symbols, values));
  }
  return points;
}

}  // namespace selvage
