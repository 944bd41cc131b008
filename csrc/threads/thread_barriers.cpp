#include <selvage/threads/refuse_at.h>
#include <selvage/threads/thread_barriers.h>
#include <selvage/threads/thread_origin.h>

#include <algorithm>

namespace selvage {

namespace {

// E816 at `place`, where threads of `own`, which wait across warps, share one with `other`, which
// runs at the same time.
std::optional<Diagnostic> shared_warp(const Participants& members, const ThreadRegion& own,
                                      const ThreadRegion& other, const Place& place) {
  std::string why;
  const auto others = participants_of(other.who, other.condition, other.levels, why);
  for (std::size_t w = 0; w < members.lanes.size(); ++w) {
    if (members.lanes[w] == 0 || (others && others->lanes[w] == 0)) continue;
    return Diagnostic{
        .code = "E816",
        .place = place,
        .message = "the threads of " + own.when + " wait for one another across warps, and " +
                   (others ? "share warp " + std::to_string(w) + " with" : "may share one with") +
                   " the threads of " + other.when + ", which run at the same time",
        .help =
            "let regions that wait begin and end where warps do, every 32 threads, or put sync: "
            "shared between the regions"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Participants> ThreadBarriers::members(Expr condition, const ThreadPlace& at,
                                                    std::string& why) const {
  const Expr part = divergent_part(condition, at.levels);
  return participants_of(book_.threads(part, at), part, at.levels, why);
}

ThreadBarriers::Waiting ThreadBarriers::at_place(const Place& place, const ThreadPlace& at,
                                                 const std::string& what) {
  const bool may_be_async = what == kEndOfInThreads && !at.is_in_inthreads;
  const std::string otherwise = may_be_async ? ", or make the inthreads asynchronous" : "";
  std::string why;
  if (at.is_implicit()) {
    const auto some = members(at.full_condition(), at, why);
    if (some && some->is_one_warp()) return {numbers_.barrier_of(*some), true};
  }
  why.clear();
  const auto all = members(at.condition, at, why);
  if (!all) {
    refuse_at(place, "E816",
              "the threads around cannot wait for one another at " + what + ": " + why,
              "let the predicates around be of indices and numbers, and alike in every block and "
              "iteration" +
                  otherwise);
  }
  const std::optional<Barrier> barrier = numbers_.barrier_of(*all, otherwise);
  if (barrier && barrier->scope == Barrier::Scope::Threads) {
    named_.push_back({lowered_.async_around(at.region), *all, place});
  }
  return {barrier, false};
}

std::vector<Diagnostic> ThreadBarriers::check_sharing() const {
  std::vector<Diagnostic> wrong;
  for (const Named& named : named_) {
    if (const auto one = sharing(named)) wrong.push_back(*one);
  }
  return wrong;
}

std::optional<Diagnostic> ThreadBarriers::sharing(const Named& named) const {
  if (!named.region) return std::nullopt;
  for (const AsyncGroup& group : lowered_.groups) {
    const auto& all = group.regions;
    if (std::find(all.begin(), all.end(), *named.region) == all.end()) continue;
    for (std::size_t other : all) {
      if (other == *named.region) continue;
      auto wrong = shared_warp(named.members, lowered_.regions[*named.region],
                               lowered_.regions[other], named.place);
      if (wrong) return wrong;
    }
  }
  return std::nullopt;
}

GuardBarriers ThreadBarriers::within(const ThreadPlace& inside, std::optional<std::size_t> region,
                                     const Place& place) {
  const Expr condition = divergent_part(inside.condition, inside.levels);
  const RegionThreads who = book_.threads(condition, inside);
  GuardBarriers own{.block = {}, .warp = warp_barrier(who, condition, inside.levels)};
  std::string why;
  const auto all = participants_of(who, condition, inside.levels, why);
  if (all) own.block = numbers_.late_barrier_of(*all);
  const bool is_named = own.block && own.block->scope == Barrier::Scope::Threads;
  if (is_named && sharing({lowered_.async_around(region), *all, place})) own.block.reset();
  return own;
}

}  // namespace selvage
