#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/verify_points.h>
#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/sampler.h>

#include <algorithm>
#include <numeric>

namespace selvage {

std::size_t Slots::operator()(Expr symbol) {
  const auto [it, fresh] = slots_.try_emplace(symbol.id(), values_.size());
  if (fresh) values_.push_back(0);
  return it->second;
}

bool Slots::has_all(Expr e) const {
  const std::vector<Expr> symbols = symbols_of(e);
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

PointWalk::Conditions PointWalk::conditions_of(std::span<const Expr> all, Slots& slots) {
  Conditions c{{}, all.size()};
  if (!all.empty()) c.tape.emplace(all, slots);
  return c;
}

PointWalk::PointWalk(std::span<const PointAxis> axes, std::span<const Expr> conditions,
                     std::span<const Expr> results, Slots& slots)
    : slots_(slots), results_(results, slots) {
  std::vector<Expr> later;
  for (const PointAxis& a : axes) later.push_back(a.symbol);
  std::vector<Expr> open(conditions.begin(), conditions.end());
  // Those that speak of nothing that comes later.
  const auto take = [&] {
    std::vector<Expr> own;
    std::erase_if(open, [&](Expr e) {
      for (Expr s : symbols_of(e)) {
        if (contains(later, s)) return false;
      }
      own.push_back(e);
      return true;
    });
    return own;
  };
  before_ = conditions_of(take(), slots);
  for (const PointAxis& a : axes) {
    later.erase(later.begin());
    const Expr ends[] = {a.begin, a.end};
    levels_.push_back({a.symbol, slots(a.symbol), SlotTape(ends, slots), {}, a.only_first});
    const std::vector<Expr> own = take();
    if (!later.empty() || a.only_first) {
      levels_.back().conditions = conditions_of(own, slots);
    } else {
      at_points_ = conditions_of(own, slots);
      roots_ = own;
    }
  }
  roots_.insert(roots_.end(), results.begin(), results.end());
}

bool PointWalk::hold(Conditions& conditions, std::int64_t& work, bool& is_defined) {
  if (!conditions.tape) return true;
  is_defined = conditions.tape->evaluate(slots_, work);
  if (!is_defined) return false;
  for (std::size_t i = 0; i < conditions.count; ++i) {
    if (conditions.tape->root(i) == 0) return false;
  }
  return true;
}

PointWalk::End PointWalk::run(std::int64_t& work, const Visit& visit) {
  points_.clear();
  bool is_defined = true;
  const bool go_on = hold(before_, work, is_defined);
  if (!is_defined) return End::Undefined;
  if (!go_on) return End::Done;
  const End end = run(0, work, visit);
  if (end != End::Done && end != End::Undefined) return end;
  const End last = visit_collected(work, visit);
  return last == End::Done ? end : last;
}

PointWalk::End PointWalk::run(std::size_t k, std::int64_t& work, const Visit& visit) {
  if (work < 0) return End::OutOfWork;
  if (levels_.empty()) return visit_point(work, visit);
  if (k == levels_.size()) return collect(work, visit);
  Level& level = levels_[k];
  if (!level.range.evaluate(slots_, work)) return End::Undefined;
  const std::int64_t begin = level.range.root(0), end = level.range.root(1);
  const bool is_last = k + 1 == levels_.size() && !level.only_first;
  for (std::int64_t v = begin; v < end; ++v) {
    slots_[level.slot] = v;
    if (--work < 0) return End::OutOfWork;
    if (is_last) {
      if (const End e = collect(work, visit); e != End::Done) return e;
      continue;
    }
    bool is_defined = true;
    if (hold(level.conditions, work, is_defined)) {
      if (const End e = run(k + 1, work, visit); e != End::Done) return e;
      if (level.only_first) break;
    }
    if (!is_defined) return End::Undefined;
  }
  return End::Done;
}

PointWalk::End PointWalk::collect(std::int64_t& work, const Visit& visit) {
  for (const Level& level : levels_) points_.push_back(slots_[level.slot]);
  const bool is_full = points_.size() == LaneTape::kLanes * levels_.size();
  return is_full ? visit_collected(work, visit) : End::Done;
}

PointWalk::End PointWalk::visit_point(std::int64_t& work, const Visit& visit) {
  bool is_defined = true;
  const bool is_visited = hold(at_points_, work, is_defined);
  if (!is_defined) return End::Undefined;
  if (!is_visited) return End::Done;
  if (!results_.evaluate(slots_, work)) return End::Undefined;
  return visit() ? End::Done : End::Stopped;
}

// The last of the points is the one at which the walk is.
PointWalk::End PointWalk::visit_collected(std::int64_t& work, const Visit& visit) {
  if (points_.empty()) return End::Done;
  const std::size_t points = points_.size() / levels_.size();
  const bool are_lanes = points >= kFewPoints && evaluate_lanes(points, work);
  End end = End::Done;
  for (std::size_t i = 0; i < points && end == End::Done; ++i) {
    if (!are_lanes) {
      go_to(i);
      end = visit_point(work, visit);
      continue;
    }
    lane_ = i;
    if (!holds_in_lane()) continue;
    go_to(i);
    if (!visit()) end = End::Stopped;
  }
  lane_.reset();
  if (end == End::Done) go_to(points - 1);
  points_.clear();
  return end;
}

// False where something is undefined at one of the points, if only where a condition does not hold.
bool PointWalk::evaluate_lanes(std::size_t points, std::int64_t& work) {
  if (!lanes_) {
    std::vector<Expr> inputs;
    for (const Level& level : levels_) inputs.push_back(level.symbol);
    for (Expr symbol : symbols_of(roots_)) {
      if (!contains(inputs, symbol)) others_.push_back(symbol);
    }
    inputs.insert(inputs.end(), others_.begin(), others_.end());
    lanes_.emplace(roots_, inputs);
  }
  const std::int64_t cost = results_.cost() + (at_points_.tape ? at_points_.tape->cost() : 0);
  work -= std::int64_t(points) * cost;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    const auto values = lanes_->input(k);
    for (std::size_t i = 0; i < points; ++i) values[i] = points_[i * levels_.size() + k];
  }
  for (std::size_t k = 0; k < others_.size(); ++k) {
    std::ranges::fill(lanes_->input(levels_.size() + k), slots_.value(others_[k]));
  }
  return lanes_->evaluate(points);
}

bool PointWalk::holds_in_lane() const {
  for (std::size_t i = 0; i < at_points_.count; ++i) {
    if (lanes_->root(i, *lane_) == 0) return false;
  }
  return true;
}

void PointWalk::go_to(std::size_t point) {
  const auto at = points_.begin() + std::ptrdiff_t(point * levels_.size());
  for (std::size_t k = 0; k < levels_.size(); ++k) slots_[levels_[k].slot] = at[std::ptrdiff_t(k)];
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
          const std::vector<Expr> symbols = symbols_of(t.monomial);
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
  // Wider than a warp, than a block.
  constexpr std::int64_t kSpreads[] = {16, 64, 256, 2048};
  constexpr int kTries = 400;
  Sampler sampler(facts, symbols, 0x5A3B1E);
  std::vector<Point> points;
  std::vector<std::vector<std::int64_t>> found;
  for (int attempt = 0; attempt < kTries && points.size() < most; ++attempt) {
    if (!sampler.draw(kSpreads[points.size() % std::size(kSpreads)])) continue;
    Point point = sampler.point();
    std::erase_if(point, [&](const auto& entry) { return !contains(symbols, entry.first); });
    point = in_order(symbols, point);
    if (std::find(found.begin(), found.end(), values_in(point)) != found.end()) continue;
    found.push_back(values_in(point));
    points.push_back(std::move(point));
  }
  return points;
}

std::optional<std::vector<Point>> all_points(const Facts& facts, std::span<const Expr> symbols,
                                             std::size_t most) {
  constexpr std::int64_t kMostTried = 1 << 14;
  if (symbols.empty()) return std::vector<Point>{{}};
  Sampler sampler(facts, symbols);
  if (sampler.symbols().size() > symbols.size() || !sampler.count(kMostTried)) return std::nullopt;
  std::vector<Point> points;
  const bool is_all = sampler.for_each([&] {
    points.push_back(in_order(symbols, sampler.point()));
    return points.size() <= most;
  });
  return is_all ? std::optional(std::move(points)) : std::nullopt;
}

}  // namespace selvage
