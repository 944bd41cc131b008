#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/index/mask_sweep.h>

#include <algorithm>
#include <bit>
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

// Where nothing overflows and no divisor is 0.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) return std::int64_t(std::uint32_t(a) / std::uint32_t(b));
  const std::int64_t q = a / b;
  return a - q * b >= 0 ? q : b > 0 ? q - 1 : q + 1;
}
std::int64_t remainder(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) return std::int64_t(std::uint32_t(a) % std::uint32_t(b));
  const std::int64_t r = a % b;
  return r >= 0 ? r : b > 0 ? r + b : r - b;
}

// Division of many by one: a shift, or a product with the reciprocal of 32 bits (Lemire, Kaser and
// Kurz, "Faster remainder by direct computation", 2019), or a division after all.
class Divider {
 public:
  Divider(std::int64_t divisor, Interval dividends) : divisor_(divisor) {
    const bool is_power = divisor > 0 && std::has_single_bit(std::uint64_t(divisor));
    const auto is_word = [](std::int64_t v) { return v >= 0 && v >> 32 == 0; };
    if (is_power) {
      way_ = Way::Shift;
      shift_ = std::countr_zero(std::uint64_t(divisor));
    } else if (is_word(divisor) && is_word(dividends.lo) && is_word(dividends.hi)) {
      way_ = Way::Product;
      reciprocal_ = ~std::uint64_t{0} / std::uint64_t(divisor) + 1;
    }
  }

  void quotients(const std::int64_t* a, std::int64_t* out, std::size_t n) const {
    switch (way_) {
      case Way::Shift:
        for (std::size_t i = 0; i < n; ++i) out[i] = a[i] >> shift_;
        break;
      case Way::Product:
        for (std::size_t i = 0; i < n; ++i) out[i] = by_product(a[i]);
        break;
      case Way::Division:
        for (std::size_t i = 0; i < n; ++i) out[i] = quotient(a[i], divisor_);
        break;
    }
  }
  void remainders(const std::int64_t* a, std::int64_t* out, std::size_t n) const {
    switch (way_) {
      case Way::Shift:
        for (std::size_t i = 0; i < n; ++i) out[i] = a[i] & (divisor_ - 1);
        break;
      case Way::Product:
        for (std::size_t i = 0; i < n; ++i) out[i] = a[i] - by_product(a[i]) * divisor_;
        break;
      case Way::Division:
        for (std::size_t i = 0; i < n; ++i) out[i] = remainder(a[i], divisor_);
        break;
    }
  }

 private:
  enum class Way : unsigned char { Shift, Product, Division };
  __extension__ using Wide = unsigned __int128;

  std::int64_t by_product(std::int64_t a) const {
    return std::int64_t(Wide(std::uint64_t(a)) * reciprocal_ >> 64);
  }

  Way way_ = Way::Division;
  std::int64_t divisor_;
  int shift_ = 0;
  std::uint64_t reciprocal_ = 0;
};

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

// Of so many points from axis k = lo on: into the root's column.
void MaskSweep::evaluate_batch(std::size_t k, std::int64_t lo, std::int64_t points) {
  const std::int64_t inner = suffix_[k + 1];
  // An axis stands in its column as it did, where it is to stand there once more.
  const auto fill = [&](std::size_t j, std::int64_t from, std::int64_t end, std::int64_t each) {
    const Filled wanted = {from, end, points};
    if (filled_[j] == wanted) return;
    filled_[j] = wanted;
    std::vector<std::int64_t>& own = columns_[fixed_ + j];
    own.resize(std::size_t(kBatch));
    for (std::int64_t i = 0, x = from; i < points; x = x + 1 == end ? from : x + 1) {
      for (const std::int64_t next = std::min(i + each, points); i < next; ++i) {
        own[std::size_t(i)] = x;
      }
    }
  };
  fill(k, lo, lo + points / inner, inner);
  for (std::size_t j = k + 1; j < used_.size(); ++j) fill(j, 0, extents_[j], suffix_[j + 1]);
  for (const Instruction& in : code_) evaluate(in, k, points);
  std::vector<std::int64_t>& results = columns_[root_];
  if (last_axis_[root_] < int(k)) {  // it does not depend on them, only its bounds do
    const std::int64_t value =
        ranges_[root_].lo == ranges_[root_].hi ? ranges_[root_].lo : columns_[root_].at(0);
    results.assign(std::size_t(points), value);
    if (root_ >= fixed_ && root_ < inputs_.size()) filled_[root_ - fixed_] = {};
  }
}

MaskSweep::Column MaskSweep::column(std::uint32_t slot, std::size_t k) const {
  if (last_axis_[slot] < int(k)) {
    // A constant, a fixed input and an axis before k are points; what comes of them was computed.
    const bool is_computed = slot >= inputs_.size() && !columns_[slot].empty();
    return {is_computed ? columns_[slot].data() : &ranges_[slot].lo, true};
  }
  return {columns_[slot].data(), false};
}

// Whole batches have a length that the compiler knows.
template <class Value>
void MaskSweep::each_of(std::size_t n, std::int64_t* out, Value value) {
  if (n == std::size_t(kBatch)) {
    for (std::size_t i = 0; i < std::size_t(kBatch); ++i) out[i] = value(i);
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = value(i);
  }
}

void MaskSweep::evaluate(const Instruction& in, std::size_t k, std::int64_t points) {
  const Column a = column(in.a, k), b = column(in.b, k), c = column(in.c, k);
  std::vector<std::int64_t>& out = columns_[in.out];
  out.resize(std::size_t(kBatch));
  const std::size_t n = last_axis_[in.out] < int(k) ? 1 : std::size_t(points);
  std::int64_t* __restrict r = out.data();
  const std::int64_t* __restrict x = a.values, * __restrict y = b.values;
  const auto each = [&](auto value) {
    if (a.is_one && b.is_one) {
      std::fill_n(r, n, value(*x, *y));
    } else if (a.is_one) {
      each_of(n, r, [v = *x, y, value](std::size_t i) { return value(v, y[i]); });
    } else if (b.is_one) {
      each_of(n, r, [v = *y, x, value](std::size_t i) { return value(x[i], v); });
    } else {
      each_of(n, r, [x, y, value](std::size_t i) { return value(x[i], y[i]); });
    }
  };
  using V = std::int64_t;
  switch (in.op) {
    case Op::Add: each([](V x, V y) { return x + y; }); break;
    case Op::Sub: each([](V x, V y) { return x - y; }); break;
    case Op::Mul: each([](V x, V y) { return x * y; }); break;
    case Op::Div:
      if (!a.is_one && b.is_one) {
        Divider(*b.values, ranges_[in.a]).quotients(a.values, r, n);
      } else {
        each(quotient);
      }
      break;
    case Op::Mod:
      if (!a.is_one && b.is_one) {
        Divider(*b.values, ranges_[in.a]).remainders(a.values, r, n);
      } else {
        each(remainder);
      }
      break;
    case Op::Min: each([](V x, V y) { return std::min(x, y); }); break;
    case Op::Max: each([](V x, V y) { return std::max(x, y); }); break;
    case Op::Xor: each([](V x, V y) { return x ^ y; }); break;
    case Op::Select:
      for (std::size_t i = 0; i < n; ++i) {
        const auto at = [&](const Column& col) { return col.values[col.is_one ? 0 : i]; };
        r[i] = at(a) != 0 ? at(b) : at(c);
      }
      break;
    case Op::Lt: each([](V x, V y) { return V(x < y); }); break;
    case Op::Le: each([](V x, V y) { return V(x <= y); }); break;
    case Op::Eq: each([](V x, V y) { return V(x == y); }); break;
    case Op::Not: each([](V x, V) { return V(x == 0); }); break;
    case Op::And: each([](V x, V y) { return V(x != 0 && y != 0); }); break;
    case Op::Or: each([](V x, V y) { return V(x != 0 || y != 0); }); break;
    case Op::Const:
    case Op::Bool:
    case Op::Symbol:
    case Op::Let:
    case Op::Load:
    case Op::Call: break;
  }
}

// The same where something may be undefined: the first point at which it is ends it.
void MaskSweep::evaluate_one_by_one(std::size_t k, std::int64_t lo, std::int64_t points) {
  std::vector<std::int64_t>& results = columns_[root_];
  results.resize(std::size_t(kBatch));
  if (root_ >= fixed_ && root_ < inputs_.size()) filled_[root_ - fixed_] = {};
  for (std::size_t j = 0; j < k; ++j) inputs_[fixed_ + j] = ranges_[fixed_ + j].lo;
  for (std::int64_t i = 0; i < points; ++i) {
    inputs_[fixed_ + k] = lo + i / suffix_[k + 1];
    for (std::size_t j = k + 1; j < used_.size(); ++j) {
      inputs_[fixed_ + j] = i / suffix_[j + 1] % extents_[j];
    }
    if (!tape_.evaluate(inputs_)) {
      outcome_ = Outcome::Undefined;
      undefined_at_.assign(axes_, 0);
      for (std::size_t j = 0; j < used_.size(); ++j) {
        undefined_at_[used_[j]] = inputs_[fixed_ + j];
      }
      return;
    }
    results[std::size_t(i)] = tape_.root(0);
  }
}

}  // namespace selvage
