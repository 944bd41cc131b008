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
      for (Expr s : symbols_of(e)) {
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
