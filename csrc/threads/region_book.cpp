#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/async_groups.h>
#include <selvage/threads/region_book.h>

#include <algorithm>

namespace selvage {

namespace {

// Is there a break or continue of one of these loops? Of another one that has its label, too.
bool leaves(const ThreadBody& body, std::span<const SerialFor* const> loops) {
  return std::any_of(body.begin(), body.end(), [&](const ThreadItem& item) {
    if (const auto* leave = std::get_if<LeaveFor>(&item.node)) {
      return std::any_of(loops.begin(), loops.end(),
                         [&](const SerialFor* loop) { return loop->label == leave->label; });
    }
    const ThreadBody* inside = body_of(item);
    return inside != nullptr && leaves(*inside, loops);
  });
}

}  // namespace

Expr ThreadPlace::full_condition() const {
  return both(condition, elected(inner, condition.pool()));
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
  for (const SerialFor* loop : at.loops) region.loops.push_back({loop->index, loop->extent});
  region.may_be_left = !at.loops.empty() && leaves(at.loops.front()->body, at.loops);
  if (!region.is_implicit) warn(region, at, when);
  loops_.push_back(at.loops);
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
  std::vector<std::size_t> regions = std::move(open_);
  open_.clear();
  if (regions.size() < 2) return;
  AsyncGroup group{.regions = std::move(regions)};
  std::vector<AsyncPart> parts;
  for (std::size_t r : group.regions) parts.push_back({&regions_[r], &loops_[r]});
  compare(parts, facts_, group);
  groups_.push_back(std::move(group));
}

}  // namespace selvage
