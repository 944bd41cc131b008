// From a predicate to its masks. MaskSweep finds the threads for which a predicate holds;
// PredicateMasks puts in the values of loops and tries those of other symbols.
#include <selvage/base/check.h>
#include <selvage/base/points.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/apply.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/index/thread_mask.h>
#include <selvage/simplifier/interval.h>
#include <selvage/simplifier/sampler.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

bool is_opaque(Expr e) {
  const std::vector<Expr> nodes = reachable(std::span(&e, 1), true);
  return std::ranges::any_of(nodes, [](Expr n) { return n.is(Op::Load) || n.is(Op::Call); });
}

std::string quoted(Expr e) {
  constexpr std::size_t kLongest = 200;
  return text_length(e, kLongest) > kLongest ? "the predicate" : "'" + to_string(e) + "'";
}

// Finds the threads for which a predicate holds, in order. A box of threads that intervals decide
// is not looked into; any other is halved, and evaluated once it has at most kBatch threads.
class MaskSweep {
 public:
  enum class Outcome {
    Done,
    Undefined,  // at undefined_at()
    TooLarge,   // more than kMostAsked would have to be evaluated, or kMostRuns kept
  };

  // The predicate may use the indices and `fixed`, whose values each sweep is given; nothing in it
  // may be opaque.
  MaskSweep(Expr predicate, std::span<const Expr> fixed, const MaskShape& shape)
      : shape_(shape), tape_({}, {}), extents_(shape.extents), inner_(extents_.size() + 1, 1) {
    std::vector<Expr> inputs(fixed.begin(), fixed.end());
    inputs.insert(inputs.end(), shape.symbols.begin(), shape.symbols.end());
    tape_ = Tape(std::span(&predicate, 1), inputs);
    for (std::int64_t v : tape_.values()) ranges_.push_back(Interval::point(v));
    const std::vector<Expr> used = symbols_of(predicate);
    for (std::size_t k = extents_.size(); k-- > 0;) {
      if (!contains(used, shape.symbols[k])) extents_[k] = 1;
      inner_[k] = inner_[k + 1] * extents_[k];
    }
  }

  Outcome run(std::span<const std::int64_t> fixed) {
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      ranges_[tape_.inputs()[i]] = Interval::point(fixed[i]);
    }
    builder_ = {};
    block_.clear();
    evaluated_ = boxes_ = 0;
    outcome_ = Outcome::Done;
    cover(0, inner_[0]);
    if (outcome_ != Outcome::Done) return outcome_;
    sets_ = builder_.take();
    sets_.blocks = widened(std::move(sets_.blocks), 0, shape_.block_axis);
    for (MaskRuns& kind : sets_.kinds) {
      kind = widened(std::move(kind), shape_.block_axis, extents_.size());
    }
    return outcome_;
  }
  // After Done.
  const BlockSets& sets() const { return sets_; }
  // After Undefined: the first thread, by its indices, and what is undefined there.
  const std::vector<std::int64_t>& undefined_at() const { return undefined_at_; }
  Expr undefined() const { return tape_.stopped_at(); }
  // The extents of the axes that the predicate uses; 1 for others, where only index 0 is asked.
  const std::vector<std::int64_t>& extents() const { return extents_; }

 private:
  static constexpr std::int64_t kBatch = 1024;
  static constexpr std::int64_t kMostBoxes = std::int64_t{1} << 22;

  std::uint32_t slot(std::size_t axis) const {
    return tape_.inputs()[tape_.inputs().size() - extents_.size() + axis];
  }
  std::int64_t index(std::size_t axis, std::int64_t thread) const {
    return thread / inner_[axis + 1] % extents_[axis];
  }

  // The threads [begin, end) are a box: a range of values along one axis, all values along the axes
  // after it, one value along those before it.
  void cover(std::int64_t begin, std::int64_t end) {
    if (outcome_ != Outcome::Done) return;
    std::int64_t half = 0;
    for (std::size_t k = 0; k < extents_.size(); ++k) {
      const Interval range = {index(k, begin), index(k, end - 1)};
      if (half == 0) half = (range.hi - range.lo + 1) / 2 * inner_[k + 1];
      ranges_[slot(k)] = range;
    }
    if (const auto all = decide()) {
      add(end - begin, *all);
    } else if (end - begin <= kBatch) {
      evaluate(end - begin);
    } else {
      cover(begin, begin + half);
      cover(begin + half, end);
    }
    if (builder_.is_full() || boxes_ > kMostBoxes) outcome_ = Outcome::TooLarge;
  }

  // Whether the predicate holds everywhere in the box, or nowhere; nothing where that is open.
  std::optional<bool> decide() {
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

  void evaluate(std::int64_t threads) {
    evaluated_ += threads;
    if (evaluated_ > ThreadMask::kMostAsked) {
      outcome_ = Outcome::TooLarge;
      return;
    }
    if (columns_.empty()) {
      const auto rows = std::size_t(std::min(inner_[0], kBatch));
      for (std::int64_t v : tape_.values()) columns_.emplace_back(rows, v);
    }
    for (std::uint32_t input : tape_.inputs()) {
      std::ranges::fill(columns_[input], ranges_[input].lo);
    }
    for (std::size_t k = 0; k < extents_.size(); ++k) {
      std::int64_t* out = columns_[slot(k)].data();
      for (std::int64_t i = 0, x = out[0]; i < threads; x = x + 1 == extents_[k] ? 0 : x + 1) {
        const std::int64_t end = std::min(i + inner_[k + 1], threads);
        for (; i < end; ++i) out[i] = x;
      }
    }
    std::int64_t defined = threads;  // before the first that is not
    for (const Tape::Instruction& in : tape_.code()) {
      const std::int64_t *a = columns_[in.a].data(), *b = columns_[in.b].data(),
                         *c = columns_[in.c].data();
      std::int64_t* out = columns_[in.out].data();
      with_operator(in.op, [&](auto f) {
        for (std::int64_t i = 0; i < defined; ++i) {
          const Checked r = f(Checked(a[i]), Checked(b[i]), Checked(c[i]));
          out[i] = r.value;
          if (!r.is_defined) defined = i;
        }
      });
    }
    if (defined < threads) return note_undefined(std::size_t(defined));
    const std::int64_t* holds = columns_[tape_.root_slot(0)].data();
    for (std::int64_t i = 0, first = 0; i < threads; first = i) {
      while (i < threads && (holds[i] != 0) == (holds[first] != 0)) ++i;
      add(i - first, holds[first] != 0);
    }
  }

  void note_undefined(std::size_t row) {
    outcome_ = Outcome::Undefined;
    std::vector<std::int64_t> at;
    for (std::uint32_t input : tape_.inputs()) at.push_back(columns_[input][row]);
    SELVAGE_CHECK(!tape_.evaluate(at));  // and so the tape knows what is undefined
    undefined_at_.assign(at.end() - std::ptrdiff_t(extents_.size()), at.end());
  }

  // The next threads, cut where blocks end.
  void add(std::int64_t threads, bool holds) {
    const std::int64_t of_block = inner_[shape_.block_axis];
    while (threads > 0) {
      const std::int64_t open = of_block - (block_.empty() ? 0 : block_.back().end);
      const std::int64_t more = std::min(threads, open);
      append(block_, more, holds);
      threads -= more;
      if (more < open) return;
      const std::uint32_t kind = builder_.kind(block_);
      builder_.add(1, kind);
      if (block_.size() == 1) {  // the same for all threads, so for all blocks that are left
        builder_.add(threads / of_block, kind);
        threads %= of_block;
      }
      block_.clear();
    }
  }

  // Repeats the runs along those axes in [begin, end) of which only index 0 was asked.
  MaskRuns widened(MaskRuns runs, std::size_t begin, std::size_t end) {
    std::int64_t inner = 1;
    for (std::size_t k = end; k-- > begin; inner *= shape_.extents[k]) {
      const std::int64_t times = shape_.extents[k] / extents_[k];
      const std::int64_t more = inner == 1 || runs.size() == 1 ? 1 : times;
      if (runs.size() > BlockSets::kMostRuns / std::size_t(more)) outcome_ = Outcome::TooLarge;
      if (times > 1 && outcome_ == Outcome::Done) runs = repeated(runs, inner, times);
    }
    return runs;
  }

  const MaskShape& shape_;
  Tape tape_;
  std::vector<std::int64_t> extents_, inner_;  // of the axes; threads of the axes from k on
  // By slot of the tape: its interval in the box, and its values for the threads of a batch.
  std::vector<Interval> ranges_;
  std::vector<std::vector<std::int64_t>> columns_;
  BlockSetsBuilder builder_;
  MaskRuns block_;  // the one that is being filled
  std::int64_t evaluated_ = 0, boxes_ = 0;
  Outcome outcome_ = Outcome::Done;
  BlockSets sets_;
  std::vector<std::int64_t> undefined_at_;
};

}  // namespace

// The masks of one predicate, for values of the serial loops around it.
class PredicateMasks {
 public:
  PredicateMasks(Expr predicate, ThreadMask::Levels levels, std::span<const MaskIndex> loops,
                 const Facts& known)
      : predicate_(predicate),
        known_(known),
        shape_(std::make_shared<const MaskShape>(std::move(levels))) {
    std::vector<Expr> bounded = shape_->symbols;
    for (const MaskIndex& loop : loops) {
      if (contains(bounded, loop.symbol)) {
        const std::string name(loop.symbol.name());
        refuse<BadInput>("E343", "the loop index " + name + " stands in two places",
                         "give one of the two another name");
      }
      bounded.push_back(loop.symbol);
      loops_.push_back(loop.symbol);
    }
    if (uses_only(predicate, bounded) && !is_opaque(predicate)) {
      sweep_.emplace(predicate, loops_, *shape_);
    }
  }

  std::optional<ThreadMask> at(std::span<const std::int64_t> iteration) {
    if (sweep_) return swept(*sweep_, iteration, iteration);
    Environment values;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      values.emplace_back(loops_[i], predicate_.pool().constant(iteration[i]));
    }
    Expr predicate = substitute(predicate_, values);
    refuse_division_by_zero(predicate, iteration);
    predicate = simplified(predicate);
    if (is_opaque(predicate)) return std::nullopt;
    if (!uses_only(predicate, shape_->symbols)) return same_for_all(predicate);
    MaskSweep sweep(predicate, {}, *shape_);
    return swept(sweep, {}, iteration);
  }

 private:
  Expr simplified(Expr predicate) {
    if (!simplifier_) {
      Facts facts = known_.without(shape_->symbols);
      for (std::size_t k = 0; k < shape_->symbols.size(); ++k) {
        facts.loop(shape_->symbols[k], known_.pool().constant(shape_->extents[k]));
      }
      simplifier_.emplace(facts);
    }
    return simplifier_->simplify(predicate);
  }

  // The mask; nothing if the predicate is undefined for some thread.
  std::optional<ThreadMask> try_sweep(MaskSweep& sweep, std::span<const std::int64_t> fixed) const {
    switch (sweep.run(fixed)) {
      case MaskSweep::Outcome::Done: return ThreadMask(shape_, sweep.sets());
      case MaskSweep::Outcome::Undefined: return std::nullopt;
      case MaskSweep::Outcome::TooLarge: break;
    }
    shape_->refuse_too_large("the mask of " + quoted(predicate_), sweep.extents());
  }
  ThreadMask swept(MaskSweep& sweep, std::span<const std::int64_t> fixed,
                   std::span<const std::int64_t> iteration) const {
    auto mask = try_sweep(sweep, fixed);
    if (!mask) refuse_undefined(sweep.undefined(), sweep.undefined_at(), iteration);
    return std::move(*mask);
  }

  [[noreturn]] void refuse_undefined(Expr what, const std::vector<std::int64_t>& thread,
                                     std::span<const std::int64_t> iteration) const {
    Point point = point_at(loops_, iteration);
    const Point of_thread = point_at(shape_->symbols, thread);
    point.insert(point.end(), of_thread.begin(), of_thread.end());
    const bool divides = what.is(Op::Div) || what.is(Op::Mod);
    const auto divisor = divides ? value_at(what[1], point) : std::nullopt;
    const std::string message =
        quoted(predicate_) + " is undefined for the thread " + to_text(point) + ": ";
    if (divisor == 0) {
      refuse<BadInput>(
          "E342", message + quoted(what) + " divides by 0",
          "divide by what is never 0, such as " + to_string(max(what[1], what.pool().constant(1))));
    }
    refuse<BadInput>("E342", message + quoted(what) + " does not fit 64 bits", "smaller numbers");
  }

  // Refuses a divisor that the thread alone decides and that is 0 for some thread, whatever the
  // symbols are.
  void refuse_division_by_zero(Expr predicate, std::span<const std::int64_t> iteration) const {
    for (Expr e : reachable(std::span(&predicate, 1), true)) {
      if (!e.is(Op::Div) && !e.is(Op::Mod)) continue;
      const Expr divisor = e[1];
      if (!uses_only(divisor, shape_->symbols) || is_opaque(divisor)) continue;
      MaskSweep sweep(eq(divisor, 0), {}, *shape_);
      if (sweep.run({}) != MaskSweep::Outcome::Done) continue;
      const auto first = ThreadMask(shape_, sweep.sets()).first();
      if (first) refuse_undefined(e, nth_point(*first, shape_->extents), iteration);
    }
  }

  // The mask, if all values that the symbols may have give the same one.
  std::optional<ThreadMask> same_for_all(Expr predicate) {
    std::vector<Expr> free = symbols_of(predicate);
    std::erase_if(free, [&](Expr e) { return contains(shape_->symbols, e); });
    Facts facts = known_.without(shape_->symbols);
    // Ranges that follow from several facts, `i < N` of a loop and `N <= 4`, as numbers.
    const std::vector<Facts::Symbol> symbols = facts.symbols();
    for (const Facts::Symbol& s : symbols) {
      const Interval range = simplifier_->interval(s.symbol);
      if (range.empty() || !range.has_lo() || !range.has_hi()) continue;
      facts.bound(s.symbol, facts.pool().constant(range.lo), facts.pool().constant(range.hi));
    }
    Sampler values(facts, free);
    if (!values.count(ThreadMask::kMostTried)) {
      // Drops the symbols that are tied to these. That allows more values than there are, so a mask
      // is never wrongly called constant.
      std::vector<Expr> tied = values.symbols();
      std::erase_if(tied, [&](Expr e) { return contains(free, e); });
      values = Sampler(facts.without(tied), free);
      if (!values.count(ThreadMask::kMostTried)) return std::nullopt;
    }
    MaskSweep sweep(predicate, values.symbols(), *shape_);
    std::optional<ThreadMask> found;
    const bool is_one = values.for_each([&] {
      auto mask = try_sweep(sweep, values.values());
      const bool is_same = mask && (!found || *mask == *found);
      found = std::move(mask);
      return is_same;
    });
    return is_one ? found : std::nullopt;
  }

  Expr predicate_;
  const Facts& known_;
  std::shared_ptr<const MaskShape> shape_;
  std::vector<Expr> loops_;
  std::optional<MaskSweep> sweep_;  // if the predicate has threads and loops only
  std::optional<Simplifier> simplifier_;
};

std::optional<ThreadMask> ThreadMask::of(Expr predicate, Levels levels, const Facts& known) {
  return PredicateMasks(predicate, std::move(levels), {}, known).at({});
}

std::vector<std::optional<ThreadMask>> masks_by_iteration(Expr predicate,
                                                          const ThreadMask::Levels& levels,
                                                          std::span<const MaskIndex> loops,
                                                          const Facts& known, std::int64_t limit) {
  PredicateMasks masks(predicate, levels, loops, known);
  std::vector<std::int64_t> extents;
  for (const MaskIndex& loop : loops) extents.push_back(loop.extent);
  std::vector<std::optional<ThreadMask>> list;
  if (limit < 1) return list;
  for_each_point(extents, [&](const auto& iteration) {
    list.push_back(masks.at(iteration));
    return std::int64_t(list.size()) < limit;
  });
  return list;
}

}  // namespace selvage
