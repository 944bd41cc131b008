#include <selvage/base/words.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/async_groups.h>
#include <selvage/threads/region_book.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

std::vector<std::size_t> united(const std::vector<std::size_t>& a,
                                const std::vector<std::size_t>& b) {
  std::set<std::size_t> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  return {all.begin(), all.end()};
}

std::vector<LoopAround> loops_around(const ThreadPlace& at) {
  std::vector<LoopAround> loops;
  for (const SerialFor* loop : at.loops) loops.push_back({loop->index, loop->extent});
  return loops;
}

}  // namespace

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
  region.loops = loops_around(at);
  region.may_be_left = at.may_be_left;
  if (!region.is_implicit && !region.is_iteration) warn(region, at, when);
  loops_.push_back(at.loops);
  regions_.push_back(std::move(region));
  return regions_.size() - 1;
}

RegionThreads RegionBook::threads(Expr condition, const ThreadPlace& at) const {
  return region_threads(condition, at.levels, loops_around(at), facts_at(at, false));
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
                     : "leave the inthreads out" + barrier,
       .cause = never ? "never" : "always"});
}

void RegionBook::note_async(std::size_t region) {
  open_.push_back(region);
  for (std::size_t l = 0; l < open_loops_.size(); ++l) {
    open_loops_[l].all.push_back(region);
    if (!have_met_[l]) open_loops_[l].head.push_back(region);
  }
}

void RegionBook::close_group() {
  add_group(std::move(open_), false);
  open_.clear();
  have_met_.assign(open_loops_.size(), true);
}

void RegionBook::enter_loop() {
  open_loops_.push_back({open_, {}, {}, have_met_});
  have_met_.push_back(false);
}

void RegionBook::leave_loop(bool may_be_skipped, bool may_be_left) {
  const OpenLoop loop = std::move(open_loops_.back());
  const bool have_met = have_met_.back();
  open_loops_.pop_back();
  have_met_.pop_back();
  if (!have_met) return;
  if (may_be_left) open_ = loop.all;
  if (!loop.head.empty() && !open_.empty()) add_group(united(loop.head, open_), true);
  if (!may_be_skipped && !may_be_left) return;
  open_ = united(loop.before, open_);
  have_met_ = loop.had_met;
}

void RegionBook::add_group(std::vector<std::size_t> regions, bool is_of_two_iterations) {
  if (regions.size() < 2) return;
  AsyncGroup group{.regions = std::move(regions)};
  std::vector<AsyncPart> parts;
  for (std::size_t r : group.regions) parts.push_back({&regions_[r], &loops_[r]});
  compare(parts, is_of_two_iterations, facts_, group);
  groups_.push_back(std::move(group));
}

std::string who_runs(const ThreadRegion& region) {
  constexpr std::int64_t kLongest = 64;
  const std::string role = region.role.empty() ? "" : region.role + ", ";
  const std::string when =
      region.when.size() <= std::size_t(kLongest) ? role + region.when + ": " : role;
  if (region.who.is_dynamic()) return when + "dynamic";
  if (!region.who.mask) return when + "other threads in other iterations";
  const ThreadMask& mask = *region.who.mask;
  const std::string text = mask.is_product() ? mask.text(kLongest) : joined(mask.rows(kLongest));
  if (text.size() <= std::size_t(kLongest)) return when + text;
  return when + std::to_string(mask.count()) + " of " + counted(mask.size(), "thread");
}

}  // namespace selvage
