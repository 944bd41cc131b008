#include <selvage/base/check.h>
#include <selvage/expr/apply.h>
#include <selvage/expr/symbols.h>
#include <selvage/index/mask_sweep.h>

#include <algorithm>
#include <cstring>

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
  for (std::int64_t v : tape_.values()) ranges_.push_back(Interval::point(v));
  for (const Tape::Instruction& in : tape_.code()) {
    SELVAGE_CHECK(in.op != Op::Symbol && in.op != Op::Load && in.op != Op::Call);
  }
  inputs_.resize(fixed_ + used_.size());
}

MaskSweep::Outcome MaskSweep::run(std::span<const std::int64_t> fixed) {
  SELVAGE_CHECK(fixed.size() == fixed_);
  builder_ = {};
  points_ = boxes_ = 0;
  outcome_ = Outcome::Done;
  for (std::size_t i = 0; i < fixed_; ++i) {
    ranges_[tape_.inputs()[i]] = Interval::point(fixed[i]);
    inputs_[i] = fixed[i];
  }
  for (std::size_t k = 0; k < used_.size(); ++k) range(k) = {0, extents_[k] - 1};
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
  for (const Tape::Instruction& in : tape_.code()) {
    const Interval divisor = ranges_[in.b];
    if ((in.op == Op::Div || in.op == Op::Mod) && divisor.contains(0)) return std::nullopt;
    const Interval r = apply(in.op, ranges_[in.a], divisor, ranges_[in.c]);
    if (!r.has_lo() || !r.has_hi()) return std::nullopt;
    ranges_[in.out] = r;
  }
  const Interval root = ranges_[tape_.root_slot(0)];
  if (root.always()) return true;
  if (root.never()) return false;
  return std::nullopt;
}

NodeId MaskSweep::node_below(std::size_t k) {
  std::vector<Run> runs;
  cover(k, 0, extents_[k], true, runs);
  range(k) = {0, extents_[k] - 1};
  if (outcome_ != Outcome::Done) return MaskDiagram::kNone;
  return builder_.make(used_[k], runs);
}

// Adds the runs of [lo, hi) of axis k, the axes before at one point; `is_open`: the box was just
// asked, in vain.
void MaskSweep::cover(std::size_t k, std::int64_t lo, std::int64_t hi, bool is_open,
                      std::vector<Run>& runs) {
  if (outcome_ != Outcome::Done) return;
  range(k) = {lo, hi - 1};
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
    if (evaluate(k, lo, size * inner)) append_results(k, lo, size, results().data(), runs);
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

// The predicate at so many points from axis k = lo on, the axes before at one point. False: it is
// undefined at one of them.
bool MaskSweep::evaluate(std::size_t k, std::int64_t lo, std::int64_t points) {
  if (columns_.empty()) {
    const auto rows = std::size_t(std::min(suffix_[0], kBatch));
    for (std::int64_t v : tape_.values()) columns_.emplace_back(rows, v);
  }
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    const std::uint32_t slot = tape_.inputs()[j];
    const bool varies = j >= fixed_ + k;
    const std::int64_t first = j == fixed_ + k ? lo : ranges_[slot].lo;
    const std::int64_t each = varies ? suffix_[j - fixed_ + 1] : points;
    const std::int64_t values = varies && j > fixed_ + k ? extents_[j - fixed_] : points;
    std::int64_t* out = columns_[slot].data();
    for (std::int64_t i = 0, x = 0; i < points; x = x + 1 == values ? 0 : x + 1) {
      const std::int64_t end = std::min(i + each, points);
      for (; i < end; ++i) out[i] = first + x;
    }
  }
  std::int64_t undefined = points;  // the first point at which something is
  for (const Tape::Instruction& in : tape_.code()) {
    const std::int64_t *a = columns_[in.a].data(), *b = columns_[in.b].data(),
                       *c = columns_[in.c].data();
    std::int64_t* out = columns_[in.out].data();
    with_operator(in.op, [&](auto f) {
      for (std::int64_t i = 0; i < undefined; ++i) {
        const Checked r = f(Checked(a[i]), Checked(b[i]), Checked(c[i]));
        out[i] = r.value;
        if (!r.is_defined) undefined = i;
      }
    });
  }
  if (undefined == points) return true;
  outcome_ = Outcome::Undefined;
  undefined_at_.assign(axes_, 0);
  for (std::size_t j = 0; j < inputs_.size(); ++j) {
    inputs_[j] = columns_[tape_.inputs()[j]][std::size_t(undefined)];
    if (j >= fixed_) undefined_at_[used_[j - fixed_]] = inputs_[j];
  }
  SELVAGE_CHECK(!tape_.evaluate(inputs_));  // and so the tape knows what is undefined
  return false;
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
