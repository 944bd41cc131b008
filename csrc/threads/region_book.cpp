#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/region_book.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

bool have_equal_extents(const ThreadMask& a, const ThreadMask& b) {
  const auto extents = [](const ThreadMask& mask) {
    std::vector<std::int64_t> out;
    for (const MaskLevel& level : mask.levels()) {
      for (const MaskIndex& i : level.indices) out.push_back(i.extent);
      out.push_back(0);
    }
    return out;
  };
  return extents(a) == extents(b);
}

std::vector<std::size_t> united(const std::vector<std::size_t>& a,
                                const std::vector<std::size_t>& b) {
  std::set<std::size_t> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return {all.begin(), all.end()};
}

// Are masks disjoint, and do they cover all threads? Those of levels side by side number the same
// threads by other indices, and are put together thread by thread, where these are few enough.
void compare(std::span<const ThreadMask* const> masks, AsyncGroup& group) {
  constexpr std::int64_t kMostThreads = std::int64_t{1} << 20;
  const ThreadMask& first = *masks[0];
  const auto is_alike = [&](const ThreadMask* m) { return have_equal_extents(*m, first); };
  if (std::all_of(masks.begin(), masks.end(), is_alike)) {
    ThreadMask all = first;
    group.is_disjoint = true;
    for (const ThreadMask* mask : masks.subspan(1)) {
      if (!disjoint(all, *mask)) group.is_disjoint = false;
      all = all | *mask;
    }
    group.is_complete = all.is_all();
    return;
  }
  const std::int64_t threads = first.size();
  const auto is_as_large = [&](const ThreadMask* m) { return m->size() == threads; };
  if (threads > kMostThreads || !std::all_of(masks.begin(), masks.end(), is_as_large)) return;
  group.is_disjoint = group.is_complete = true;
  for (std::int64_t t = 0; t < threads; ++t) {
    const auto n = std::count_if(masks.begin(), masks.end(),
                                 [&](const ThreadMask* m) { return m->contains(t); });
    if (n > 1) group.is_disjoint = false;
    if (n == 0) group.is_complete = false;
  }
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
  region.is_in_loop = !at.loops.empty();
  if (!region.is_implicit && !region.is_iteration) warn(region, at, when);
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
  const std::string barrier = region.is_async ? ""
                                              : std::string(", and put sync: ") +
                                                    (at.is_in_inthreads ? "region" : "shared") +
                                                    " where its threads are to wait";
  diagnostics_.push_back(
      {.code = "E813",
       .severity = Severity::Warning,
       .place = region.place,
       .message = never ? "no thread runs this: " + region.when + " never holds here"
                        : "every thread that gets here runs this: " + region.when + " always holds",
       .help = never ? "take it out, or compare with a value that the index takes"
                     : "leave the inthreads out" + barrier});
}

void RegionBook::note_async(std::size_t region) {
  open_.push_back(region);
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    loops_[l].all.push_back(region);
    if (!have_met_[l]) loops_[l].head.push_back(region);
  }
}

void RegionBook::close_group() {
  add_group(std::move(open_));
  open_.clear();
  have_met_.assign(loops_.size(), true);
}

void RegionBook::enter_loop() {
  loops_.push_back({open_, {}, {}, have_met_});
  have_met_.push_back(false);
}

void RegionBook::leave_loop(bool may_be_skipped, bool may_be_left) {
  const OpenLoop loop = std::move(loops_.back());
  const bool have_met = have_met_.back();
  loops_.pop_back();
  have_met_.pop_back();
  if (!have_met) return;
  if (may_be_left) open_ = loop.all;
  if (!loop.head.empty() && !open_.empty()) add_group(united(loop.head, open_));
  if (!may_be_skipped && !may_be_left) return;
  open_ = united(loop.before, open_);
  have_met_ = loop.had_met;
}

void RegionBook::add_group(std::vector<std::size_t> regions) {
  if (regions.size() < 2) return;
  AsyncGroup group{.regions = std::move(regions), .is_disjoint = {}, .is_complete = {}};
  std::vector<const ThreadMask*> masks;
  for (std::size_t r : group.regions) {
    if (const auto& mask = regions_[r].who.mask) masks.push_back(&*mask);
  }
  if (masks.size() == group.regions.size()) compare(masks, group);
  groups_.push_back(std::move(group));
}

}  // namespace selvage
