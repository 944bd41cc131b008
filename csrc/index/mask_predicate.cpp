// From a predicate to its masks: what is known of its symbols, and what is not.
#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/base/points.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/index/mask_axes.h>
#include <selvage/index/mask_sweep.h>
#include <selvage/index/thread_mask.h>
#include <selvage/simplifier/point.h>
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

bool uses_any(Expr e, std::span<const Expr> symbols) {
  const std::vector<Expr> used = symbols_of(std::span(&e, 1));
  return std::ranges::any_of(used, [&](Expr s) { return contains(symbols, s); });
}

// What is known of all symbols but `bounded`, and of those that they are loop variables.
Facts facts_beside(const Facts& known, std::span<const Expr> bounded,
                   std::span<const std::int64_t> extents) {
  Facts facts = known.without(bounded);
  for (std::size_t i = 0; i < bounded.size(); ++i) {
    facts.loop(bounded[i], known.pool().constant(extents[i]));
  }
  return facts;
}

// Values of symbols to be tried one by one.
struct Trial {
  std::vector<Expr> symbols;
  std::vector<std::int64_t> first, step, count;
  std::vector<Expr> relations;  // that must hold

  // With a further symbol. False: there are too many values.
  bool add(Expr symbol, Simplifier& s) {
    const Interval range = s.interval(symbol);
    if (range.empty() || !range.has_lo() || !range.has_hi()) return false;
    const Facts::Symbol* said = s.facts().find(symbol);
    const Congruence c = said == nullptr ? Congruence{} : said->congruence;
    const std::int64_t each = std::max<std::int64_t>(c.modulus, 1);
    const auto shift = checked_sub(c.residue, range.lo);
    const auto begin = shift ? checked_add(range.lo, *euclid_mod(*shift, each)) : std::nullopt;
    const auto size = begin ? checked_sub(range.hi, *begin) : std::nullopt;
    if (!size || *size < 0 || *size / each >= ThreadMask::kMostTried) return false;
    symbols.push_back(symbol);
    first.push_back(*begin);
    step.push_back(each);
    count.push_back(*size / each + 1);
    return *count_points(count) <= ThreadMask::kMostTried;  // 4096 times 4096 fits
  }
};

// All that the facts tie to the symbols of the predicate; where that is too much, these alone:
// more values than there are, and so never a constant that is wrong.
std::optional<Trial> trial_of(Expr predicate, std::span<const Expr> bounded, Simplifier& s) {
  std::vector<Expr> free;
  for (Expr symbol : symbols_of(std::span(&predicate, 1))) {
    if (!contains(bounded, symbol)) free.push_back(symbol);
  }
  std::vector<Expr> ties;
  for (Expr relation : relations(s.facts())) {
    if (!is_opaque(relation) && !uses_any(relation, bounded)) ties.push_back(relation);
  }
  std::vector<Expr> tied = free;
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (Expr relation : ties) {
      if (!uses_any(relation, tied)) continue;
      for (Expr symbol : symbols_of(std::span(&relation, 1))) {
        if (contains(tied, symbol)) continue;
        tied.push_back(symbol);
        is_more = true;
      }
    }
  }
  for (const auto* symbols : {&tied, &free}) {
    Trial trial;
    if (!std::ranges::all_of(*symbols, [&](Expr e) { return trial.add(e, s); })) continue;
    for (Expr relation : ties) {
      if (uses_only(std::span(&relation, 1), *symbols)) trial.relations.push_back(relation);
    }
    return trial;
  }
  return std::nullopt;
}

}  // namespace

// The masks of one predicate, for values of the serial loops around it.
class PredicateMasks {
 public:
  PredicateMasks(Expr predicate, ThreadMask::Levels levels, std::span<const MaskIndex> loops,
                 const Facts& known)
      : predicate_(predicate), known_(known), axes_(levels) {
    for (const MaskIndex& loop : loops) {
      if (contains(axes_.symbols, loop.symbol) || contains(loops_, loop.symbol)) {
        const std::string name(loop.symbol.name());
        refuse<BadInput>("E343", "the loop index " + name + " stands in two places",
                         "give one of the two another name");
      }
      loops_.push_back(loop.symbol);
      loop_extents_.push_back(loop.extent);
    }
    std::vector<Expr> bounded = loops_;
    bounded.insert(bounded.end(), axes_.symbols.begin(), axes_.symbols.end());
    if (uses_only(std::span(&predicate, 1), bounded) && !is_opaque(predicate)) {
      sweep_.emplace(predicate, loops_, axes_.symbols, axes_.extents);
    }
    levels_ = std::make_shared<const ThreadMask::Levels>(std::move(levels));
  }

  std::optional<ThreadMask> at(std::span<const std::int64_t> iteration) {
    if (sweep_) return mask(swept(*sweep_, iteration, iteration));
    Expr predicate = predicate_;
    if (!loops_.empty()) {
      Environment values;
      for (std::size_t i = 0; i < loops_.size(); ++i) {
        values.emplace_back(loops_[i], predicate.pool().constant(iteration[i]));
      }
      predicate = substitute(predicate, values);
    }
    refuse_division_by_zero(predicate, iteration);
    if (!simplifier_) {
      simplifier_.emplace(facts_beside(known_, axes_.symbols, axes_.extents));
    }
    predicate = simplifier_->simplify(predicate);
    if (is_opaque(predicate)) return std::nullopt;
    if (uses_only(std::span(&predicate, 1), axes_.symbols)) {
      MaskSweep sweep(predicate, {}, axes_.symbols, axes_.extents);
      return mask(swept(sweep, {}, iteration));
    }
    const auto diagram = same_for_all_values(predicate);
    if (!diagram) return std::nullopt;
    return mask(*diagram);
  }

  std::span<const std::int64_t> loop_extents() const { return loop_extents_; }

 private:
  ThreadMask mask(MaskDiagram diagram) const { return ThreadMask(levels_, std::move(diagram)); }

  MaskDiagram swept(MaskSweep& sweep, std::span<const std::int64_t> fixed,
                    std::span<const std::int64_t> iteration) const {
    switch (sweep.run(fixed)) {
      case MaskSweep::Outcome::Done: break;
      case MaskSweep::Outcome::Undefined:
        refuse_undefined(sweep.undefined(), sweep.undefined_at(), iteration);
      case MaskSweep::Outcome::TooLarge:
        refuse_too_large("the mask of " + quoted(predicate_), axes_, sweep.used_axes());
    }
    return sweep.diagram();
  }

  [[noreturn]] void refuse_undefined(Expr what, const std::vector<std::int64_t>& thread,
                                     std::span<const std::int64_t> iteration) const {
    Point point = point_at(loops_, iteration);
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      point.emplace_back(axes_.symbols[k], thread[k]);
    }
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

  // Whatever the symbols are, a divisor that the thread alone decides must not be 0.
  void refuse_division_by_zero(Expr predicate, std::span<const std::int64_t> iteration) const {
    for (Expr e : reachable(std::span(&predicate, 1), true)) {
      if (!e.is(Op::Div) && !e.is(Op::Mod)) continue;
      const Expr divisor = e[1];
      if (!uses_only(std::span(&divisor, 1), axes_.symbols) || is_opaque(divisor)) continue;
      MaskSweep sweep(eq(divisor, 0), {}, axes_.symbols, axes_.extents);
      if (sweep.run({}) != MaskSweep::Outcome::Done) continue;
      const auto first = mask(sweep.diagram()).first();
      if (!first) continue;
      std::vector<std::int64_t> thread;
      for (std::size_t k = 0; k < axes_.size(); ++k) {
        thread.push_back(*first / axes_.inner[k + 1] % axes_.extents[k]);
      }
      refuse_undefined(e, thread, iteration);
    }
  }

  // Where every value of the symbols that is allowed gives one and the same.
  std::optional<MaskDiagram> same_for_all_values(Expr predicate) {
    const auto trial = trial_of(predicate, axes_.symbols, *simplifier_);
    if (!trial) return std::nullopt;
    MaskSweep sweep(predicate, trial->symbols, axes_.symbols, axes_.extents);
    std::optional<Tape> allowed;
    if (!trial->relations.empty()) allowed.emplace(trial->relations, trial->symbols);
    std::optional<MaskDiagram> found;
    std::vector<std::int64_t> values(trial->symbols.size());
    const bool is_one = for_each_point(trial->count, [&](const auto& point) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = trial->first[i] + trial->step[i] * point[i];
      }
      if (allowed && allowed->evaluate(values)) {
        for (std::size_t i = 0; i < trial->relations.size(); ++i) {
          if (allowed->root(i) == 0) return true;
        }
      }
      switch (sweep.run(values)) {
        case MaskSweep::Outcome::Done: break;
        case MaskSweep::Outcome::Undefined: return false;
        case MaskSweep::Outcome::TooLarge:
          refuse_too_large("the mask of " + quoted(predicate_), axes_, sweep.used_axes());
      }
      if (!found) found = sweep.diagram();
      return *found == sweep.diagram();
    });
    return is_one ? found : std::nullopt;
  }

  Expr predicate_;
  const Facts& known_;
  MaskAxes axes_;
  std::shared_ptr<const ThreadMask::Levels> levels_;
  std::vector<Expr> loops_;
  std::vector<std::int64_t> loop_extents_;
  std::optional<MaskSweep> sweep_;  // where nothing but threads and loops decides
  std::optional<Simplifier> simplifier_;
};

std::optional<ThreadMask> ThreadMask::of(Expr predicate, Levels levels, const Facts& known) {
  check_levels(levels);
  return PredicateMasks(predicate, std::move(levels), {}, known).at({});
}

std::vector<std::optional<ThreadMask>> masks_by_iteration(Expr predicate,
                                                          const ThreadMask::Levels& levels,
                                                          std::span<const MaskIndex> loops,
                                                          const Facts& known, std::int64_t limit) {
  check_levels(levels);
  PredicateMasks masks(predicate, levels, loops, known);
  std::vector<std::optional<ThreadMask>> list;
  if (limit < 1) return list;
  for_each_point(masks.loop_extents(), [&](const auto& iteration) {
    list.push_back(masks.at(iteration));
    return std::int64_t(list.size()) < limit;
  });
  return list;
}

}  // namespace selvage
