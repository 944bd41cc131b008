#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/index/mask_sweep.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace selvage {

namespace {

using NodeId = MaskDiagram::NodeId;
using Run = MaskDiagram::Run;

std::vector<Expr> joined(std::span<const Expr> fixed, std::span<const Expr> axes,
                         std::span<const std::uint32_t> used) {
  std::vector<Expr> all(fixed.begin(), fixed.end());
  for (std::uint32_t axis : used) all.push_back(axes[axis]);
  return all;
}

std::vector<std::uint32_t> axes_in(Expr predicate, std::span<const Expr> axes) {
  const std::vector<Expr> symbols = symbols_of(std::span(&predicate, 1));
  std::vector<std::uint32_t> used;
  for (std::uint32_t k = 0; k < axes.size(); ++k) {
    if (contains(symbols, axes[k])) used.push_back(k);
  }
  return used;
}

const Interval kFalse{0, 0}, kTrue{1, 1}, kEither{0, 1};
Interval truth(bool is_true, bool is_false) {
  return is_true ? kTrue : is_false ? kFalse : kEither;
}
bool always(Interval x) { return !x.contains(0); }
bool never(Interval x) { return x == kFalse; }

}  // namespace

MaskSweep::MaskSweep(Expr predicate, std::span<const Expr> fixed, std::span<const Expr> axes,
                     std::span<const std::int64_t> extents)
    : tape_(std::span(&predicate, 1), joined(fixed, axes, axes_in(predicate, axes))),
      fixed_(fixed.size()),
      used_(axes_in(predicate, axes)),
      axes_(axes.size()) {
  for (std::uint32_t axis : used_) extents_.push_back(extents[axis]);
  suffix_.assign(used_.size() + 1, 1);
  for (std::size_t k = used_.size(); k-- > 0;) {
    const auto points = checked_mul(suffix_[k + 1], extents_[k]);
    suffix_[k] = std::min(points.value_or(INT64_MAX), kBatch + 1);
  }
  std::unordered_map<std::uint32_t, std::uint32_t> slots;
  const auto fresh = [&](Interval range, int last_axis) {
    ranges_.push_back(range);
    last_axis_.push_back(last_axis);
    return std::uint32_t(ranges_.size() - 1);
  };
  const std::vector<Expr> inputs = joined(fixed, axes, used_);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_axis = i >= fixed_;
    const std::uint32_t slot = fresh({}, is_axis ? int(i - fixed_) : -1);
    slots.try_emplace(inputs[i].id(), slot);
  }
  for (Expr e : reachable(std::span(&predicate, 1), true)) {
    if (slots.contains(e.id())) continue;
    if (e.is(Op::Const) || e.is(Op::Bool)) {
      slots[e.id()] = fresh(Interval::point(e.value()), -1);
    } else if (e.is(Op::Let)) {
      slots[e.id()] = slots.at(e[0].id());
    } else {
      SELVAGE_CHECK(!e.is(Op::Symbol) && !e.is(Op::Load) && !e.is(Op::Call));
      int last_axis = -1;
      const auto operand = [&](std::size_t i) -> std::uint32_t {
        if (i >= e.args().size()) return 0;
        const std::uint32_t slot = slots.at(e[i].id());
        last_axis = std::max(last_axis, last_axis_[slot]);
        return slot;
      };
      const std::uint32_t a = operand(0), b = operand(1), c = operand(2);
      const std::uint32_t out = fresh({}, last_axis);
      slots[e.id()] = out;
      code_.push_back({e.op(), out, a, b, c});
    }
  }
  root_ = slots.at(predicate.id());
  columns_.resize(ranges_.size());
  filled_.resize(used_.size());
  inputs_.resize(inputs.size());
}

MaskSweep::Outcome MaskSweep::run(std::span<const std::int64_t> fixed) {
  SELVAGE_CHECK(fixed.size() == fixed_);
  builder_ = {};
  points_ = boxes_ = 0;
  outcome_ = Outcome::Done;
  for (std::size_t i = 0; i < fixed_; ++i) {
    ranges_[i] = Interval::point(fixed[i]);
    inputs_[i] = fixed[i];
  }
  for (std::size_t k = 0; k < used_.size(); ++k) ranges_[fixed_ + k] = {0, extents_[k] - 1};
  NodeId root = MaskDiagram::kNone;
  if (used_.empty()) {
    if (tape_.evaluate(inputs_)) {
      root = tape_.root(0) != 0 ? MaskDiagram::kAll : MaskDiagram::kNone;
    } else {
      outcome_ = Outcome::Undefined;
      undefined_at_.assign(axes_, 0);
    }
  } else if (const auto all = decide()) {
    root = *all ? MaskDiagram::kAll : MaskDiagram::kNone;
  } else {
    root = node_below(0);
  }
  if (outcome_ == Outcome::Done && builder_.is_full()) outcome_ = Outcome::TooLarge;
  if (outcome_ == Outcome::Done) diagram_ = builder_.diagram(root);
  return outcome_;
}

// Whether the predicate holds everywhere in the box, or nowhere; nothing where that is open.
std::optional<bool> MaskSweep::decide() {
  ++boxes_;
  is_safe_ = true;
  for (const Instruction& in : code_) {
    const Interval a = ranges_[in.a], b = ranges_[in.b];
    Interval& r = ranges_[in.out];
    const auto checked = [&](Interval value) {
      is_safe_ = is_safe_ && value.has_lo() && value.has_hi();
      r = value;
    };
    switch (in.op) {
      case Op::Add: checked(a + b); break;
      case Op::Sub: checked(a - b); break;
      case Op::Mul: checked(a * b); break;
      case Op::Div:
      case Op::Mod:
        is_safe_ = is_safe_ && !b.contains(0);
        if (!is_safe_) return std::nullopt;
        checked(in.op == Op::Div ? a / b : a % b);
        break;
      case Op::Min: r = min(a, b); break;
      case Op::Max: r = max(a, b); break;
      case Op::Xor: r = a ^ b; break;
      case Op::Select: r = always(a) ? b : never(a) ? ranges_[in.c] : hull(b, ranges_[in.c]); break;
      case Op::Lt: r = truth(a.hi < b.lo, a.lo >= b.hi); break;
      case Op::Le: r = truth(a.hi <= b.lo, a.lo > b.hi); break;
      case Op::Eq: r = truth(a.lo == a.hi && a == b, a.hi < b.lo || b.hi < a.lo); break;
      case Op::Not: r = truth(never(a), always(a)); break;
      case Op::And: r = truth(always(a) && always(b), never(a) || never(b)); break;
      case Op::Or: r = truth(always(a) || always(b), never(a) && never(b)); break;
      case Op::Const:
      case Op::Bool:
      case Op::Symbol:
      case Op::Let:
      case Op::Load:
      case Op::Call: break;
    }
    if (!is_safe_) return std::nullopt;
  }
  if (always(ranges_[root_])) return true;
  if (never(ranges_[root_])) return false;
  return std::nullopt;
}

NodeId MaskSweep::node_below(std::size_t k) {
  std::vector<Run> runs;
  cover(k, 0, extents_[k], true, runs);
  ranges_[fixed_ + k] = {0, extents_[k] - 1};
  if (outcome_ != Outcome::Done) return MaskDiagram::kNone;
  return builder_.make(used_[k], runs);
}

// Adds the runs of [lo, hi) of axis k, the axes before at one point; `is_open`: the box was just
// asked, in vain.
void MaskSweep::cover(std::size_t k, std::int64_t lo, std::int64_t hi, bool is_open,
                      std::vector<Run>& runs) {
  if (outcome_ != Outcome::Done) return;
  ranges_[fixed_ + k] = {lo, hi - 1};
  if (!is_open) {
    if (const auto all = decide()) {
      append(runs, hi, *all ? MaskDiagram::kAll : MaskDiagram::kNone);
      return;
    }
  }
  const std::int64_t inner = suffix_[k + 1], size = hi - lo;
  if (inner <= kBatch && size <= kBatch / inner) {
    points_ += size * inner;
    if (points_ > kMostPoints) {
      outcome_ = Outcome::TooLarge;
      return;
    }
    if (is_safe_) {
      evaluate_batch(k, lo, size * inner);
    } else {
      evaluate_one_by_one(k, lo, size * inner);
    }
    if (outcome_ != Outcome::Done) return;
    const std::vector<std::int64_t>& results = columns_[root_];
    append_results(k, lo, size, results.data(), runs);
  } else if (size == 1) {
    append(runs, hi, node_below(k + 1));
  } else {
    const std::int64_t middle = lo + size / 2;
    cover(k, lo, middle, false, runs);
    cover(k, middle, hi, false, runs);
  }
  if (builder_.is_full() || runs.size() > MaskDiagram::kMostRuns || boxes_ > kMostBoxes) {
    outcome_ = Outcome::TooLarge;
  }
}

// The runs of [lo, lo + size) of axis k, by results in lexicographic order.
void MaskSweep::append_results(std::size_t k, std::int64_t lo, std::int64_t size,
                               const std::int64_t* results, std::vector<Run>& runs) {
  const std::int64_t inner = suffix_[k + 1];
  if (inner == 1) {
    for (std::int64_t x = 0; x < size;) {
      const bool holds = results[x] != 0;
      while (x < size && (results[x] != 0) == holds) ++x;
      append(runs, lo + x, holds ? MaskDiagram::kAll : MaskDiagram::kNone);
    }
    return;
  }
  const auto bytes = std::size_t(inner) * sizeof(*results);
  NodeId node = MaskDiagram::kNone;
  for (std::int64_t x = 0; x < size; ++x, results += inner) {
    if (x == 0 || std::memcmp(results, results - inner, bytes) != 0) {
      std::vector<Run> below;
      append_results(k + 1, 0, extents_[k + 1], results, below);
      node = builder_.make(used_[k + 1], below);
    }
    append(runs, lo + x + 1, node);
  }
}

}  // namespace selvage
