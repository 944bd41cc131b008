#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/async_groups.h>

#include <algorithm>

namespace selvage {

namespace {

void compare_masks(std::span<const ThreadMask* const> masks, AsyncGroup& group) {
  ThreadMask all = *masks[0];
  for (const ThreadMask* mask : masks) {
    if (!have_same_threads(*mask, all)) return;
  }
  group.is_disjoint = true;
  for (const ThreadMask* mask : masks.subspan(1)) {
    if (!disjoint(all, *mask)) group.is_disjoint = false;
    all = all | *mask;
  }
  group.is_complete = all.is_all();
}

// An equation by its two halves as well.
bool proves(Simplifier& known, Expr condition) {
  if (known.proves(condition)) return true;
  if (!condition.is(Op::Eq)) return false;
  const Expr a = condition[0], b = condition[1];
  return known.proves(a <= b) && known.proves(b <= a);
}

// Conditions over the indices of the first region's levels, and loops.
class ConditionComparison {
 public:
  explicit ConditionComparison(const Facts& facts) : facts_(facts) {}

  // False: they cannot be written over the same indices.
  bool take(std::span<const AsyncPart> parts) {
    levels_ = parts[0].region->levels;
    for (const AsyncPart& part : parts) {
      const auto own = renamed(part.region->levels);
      if (!own) return false;
      for (const SerialFor* loop : *part.loops) {
        if (!take(*loop, *own)) return false;
      }
      conditions_.push_back(substitute(part.region->condition, *own));
    }
    return true;
  }

  bool depends_on_loops() const {
    const std::vector<Expr> symbols = symbols_of(conditions_);
    return std::ranges::any_of(loops_,
                               [&](const LoopAround& l) { return contains(symbols, l.index); });
  }

  void compare(AsyncGroup& group) const {
    constexpr std::size_t kMostParts = 64, kMostProved = 16;
    if (conditions_.size() > kMostParts) return;
    Expr any = conditions_[0], two = facts_.pool().truth(false);
    for (std::size_t k = 1; k < conditions_.size(); ++k) {
      two = two || (any && conditions_[k]);
      any = any || conditions_[k];
    }
    group.is_disjoint = never_holds(two);
    group.is_complete = never_holds(!any);
    if (conditions_.size() > kMostProved) return;
    if (!group.is_disjoint && each_excludes_others()) group.is_disjoint = true;
    if (!group.is_complete && one_follows_from_others()) group.is_complete = true;
  }

 private:
  // Nothing where they are not indices of the same extents in the same levels.
  std::optional<Environment> renamed(const ThreadMask::Levels& levels) const {
    Environment own;
    if (levels.size() != levels_.size()) return std::nullopt;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const MaskLevel &from = levels[l], &to = levels_[l];
      const bool is_alike =
          std::ranges::equal(from.indices, to.indices, {}, &MaskIndex::extent, &MaskIndex::extent);
      if (from.is_in_block != to.is_in_block || !is_alike) return std::nullopt;
      for (std::size_t k = 0; k < from.indices.size(); ++k) {
        const Expr own_symbol = from.indices[k].symbol, symbol = to.indices[k].symbol;
        if (!same(own_symbol, symbol)) own.emplace_back(own_symbol, symbol);
      }
    }
    return own;
  }

  bool take(const SerialFor& loop, const Environment& own) {
    if (std::ranges::find(nodes_, &loop) != nodes_.end()) return true;
    const auto is_its = [&](const LoopAround& l) { return same(l.index, loop.index); };
    if (std::ranges::any_of(loops_, is_its)) return false;
    nodes_.push_back(&loop);
    loops_.push_back({loop.index, substitute(loop.extent, own)});
    facts_.loop(loop.index, loops_.back().extent);
    return true;
  }

  // For any thread: in all runs and iterations, or in none of them.
  std::optional<bool> never_holds(Expr condition) const {
    try {
      const RegionThreads who = region_threads(condition, levels_, loops_, facts_);
      if (who.is_none()) return true;
      if (who.mask) return false;
      const auto is_none = [](const ThreadMask& m) { return m.is_none(); };
      if (!who.is_dynamic() && std::ranges::none_of(who.iterations, is_none)) return false;
    } catch (const BadInput&) {  // it is too large to be put together
    }
    return std::nullopt;
  }

  // No two hold: of each pair, one excludes the other. Which way round it is tried decides what the
  // simplifier sees, as it does below.
  bool each_excludes_others() const {
    const std::size_t n = conditions_.size();
    std::vector<Simplifier> known;
    for (Expr c : conditions_) {
      Facts facts = facts_;
      facts.assume(c);
      known.emplace_back(facts);
    }
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        if (!known[a].proves(!conditions_[b]) && !known[b].proves(!conditions_[a])) return false;
      }
    }
    return true;
  }
  bool one_follows_from_others() const {
    for (std::size_t last = 0; last < conditions_.size(); ++last) {
      Facts facts = facts_;
      for (std::size_t k = 0; k < conditions_.size(); ++k) {
        if (k != last) facts.assume(!conditions_[k]);
      }
      Simplifier known(facts);
      if (proves(known, conditions_[last])) return true;
    }
    return false;
  }

  Facts facts_;
  ThreadMask::Levels levels_;
  std::vector<Expr> conditions_;
  std::vector<LoopAround> loops_;
  std::vector<const SerialFor*> nodes_;
};

}  // namespace

void compare(std::span<const AsyncPart> parts, bool is_of_two_iterations, const Facts& facts,
             AsyncGroup& group) {
  std::vector<const ThreadMask*> masks;
  for (const AsyncPart& part : parts) {
    if (const auto& mask = part.region->who.mask) masks.push_back(&*mask);
  }
  if (masks.size() == parts.size()) return compare_masks(masks, group);
  ConditionComparison comparison(facts);
  const bool is_taken = comparison.take(parts);
  group.is_by_iteration = comparison.depends_on_loops();
  if (is_taken && !is_of_two_iterations) comparison.compare(group);
}

}  // namespace selvage
