#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/region_book.h>

#include <algorithm>

namespace selvage {

Expr both(Expr a, Expr b) { return a.is_true() ? b : b.is_true() ? a : a && b; }

Expr all_zero(std::span<const Expr> indices, ExprPool& pool) {
  Expr all = pool.truth(true);
  for (Expr i : indices) all = both(all, eq(i, 0));
  return all;
}

Expr ThreadPlace::full_condition() const {
  return both(condition, all_zero(inner, condition.pool()));
}

Facts RegionBook::facts_at(const ThreadPlace& at, bool is_guarded) const {
  Facts facts = facts_;
  for (const SerialFor* loop : at.loops) facts.loop(loop->index, loop->extent);
  if (is_guarded) facts.assume(at.condition);
  return facts;
}

std::size_t RegionBook::add(ThreadRegion region, const ThreadPlace& at, Expr when) {
  region.levels = at.levels;
  region.around = at.region;
  region.condition = both(at.condition, when);
  region.who = threads(region.condition, at);
  region.is_in_loop = !at.loops.empty();
  if (!region.is_implicit) warn(region, at, when);
  regions_.push_back(std::move(region));
  return regions_.size() - 1;
}

RegionThreads RegionBook::threads(Expr condition, const ThreadPlace& at) const {
  std::vector<LoopAround> loops;
  for (const SerialFor* loop : at.loops) loops.push_back({loop->index, loop->extent});
  return region_threads(condition, at.levels, loops, facts_at(at, false));
}

void RegionBook::warn(const ThreadRegion& region, const ThreadPlace& at, Expr when) {
  Simplifier known(facts_at(at, true));
  const Expr said = known.simplify(when);
  bool never = said.is_false(), always = said.is_true();
  if (region.who.mask) {
    const auto around = ThreadMask::of(at.condition, region.levels, facts_at(at, false));
    never = region.who.mask->is_none();
    always = around && *around == *region.who.mask;
  }
  if (!never && !always) return;
  diagnostics_.push_back(
      {.code = "E813",
       .severity = Severity::Warning,
       .place = region.place,
       .message = never ? "no thread runs this: " + region.when + " never holds here"
                        : "every thread that gets here runs this: " + region.when + " always holds",
       .help = never ? "take it out, or compare with a value that the index takes"
                     : "leave the inthreads out, and put sync: shared where its threads are to "
                       "wait"});
}

void RegionBook::close_group() {
  if (open_.size() < 2) return open_.clear();
  AsyncGroup group{.regions = std::move(open_), .is_disjoint = {}, .is_complete = {}};
  open_.clear();
  const ThreadRegion& first = regions_[group.regions[0]];
  std::optional<ThreadMask> all = first.who.mask;
  bool is_disjoint = true;
  for (std::size_t k = 1; k < group.regions.size() && all; ++k) {
    const std::optional<ThreadMask>& mask = regions_[group.regions[k]].who.mask;
    if (!mask) {
      all.reset();
      break;
    }
    is_disjoint = is_disjoint && disjoint(*all, *mask);
    all = *all | *mask;
  }
  if (all) {
    group.is_disjoint = is_disjoint;
    group.is_complete = all->is_all();
  }
  groups_.push_back(std::move(group));
}

}  // namespace selvage
