#include <selvage/kernel/barrier_members.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

bool Barrier::has(std::int64_t thread) const {
  const auto warp = std::size_t(thread / kWarp), lane = std::size_t(thread % kWarp);
  switch (scope) {
    case Scope::Block:
    case Scope::Warpgroup:
    case Scope::Rank: return true;
    case Scope::Warp: return (lanes >> lane & 1) != 0;
    case Scope::Threads: return warp < members.size() && (members[warp] >> lane & 1) != 0;
  }
  return false;
}

int Barrier::warps() const {
  return int(std::count_if(members.begin(), members.end(), [](std::uint32_t w) { return w != 0; }));
}

std::vector<std::pair<std::int64_t, std::int64_t>> runs_of(const Barrier& barrier,
                                                           std::int64_t end) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (std::int64_t t = 0; t < end; ++t) {
    if (!barrier.has(t)) continue;
    if (runs.empty() || runs.back().second != t) runs.emplace_back(t, t);
    runs.back().second = t + 1;
  }
  return runs;
}

std::int64_t count_of(const Barrier& barrier, std::int64_t threads_of_the_block) {
  std::int64_t n = 0;
  for (std::int64_t t = 0; t < threads_of_the_block; ++t) n += barrier.has(t);
  return n;
}

namespace {

bool has_parts(const Barrier& barrier) {
  return barrier.scope == Barrier::Scope::Warp || barrier.scope == Barrier::Scope::Rank ||
         barrier.scope == Barrier::Scope::Warpgroup;
}

// The usual case, seen at once: all threads of a block, or all of one part.
bool is_all_of_them(const Barrier& barrier, std::span<const std::uint32_t> there,
                    std::int64_t threads, std::int64_t part) {
  const auto n = std::int64_t(there.size());
  if (barrier.is_partial() || n == 0) return false;
  if (n == threads) return true;
  const std::int64_t own = there.front() / part;
  return has_parts(barrier) && there.back() / part == own &&
         n == std::min<std::int64_t>(part, threads - own * part);
}

}  // namespace

std::optional<WrongMeeting> wrong_meeting(const Barrier& barrier,
                                          std::span<const std::uint32_t> there,
                                          std::int64_t threads_of_the_block, std::int64_t part) {
  if (is_all_of_them(barrier, there, threads_of_the_block, part)) return std::nullopt;
  const auto threads = std::size_t(threads_of_the_block);
  const auto size = std::size_t(part);
  std::vector<bool> is_there(threads);
  // The first that waits: of the block, or of each part.
  const bool is_of_part = has_parts(barrier);
  std::vector<std::optional<std::uint32_t>> waits(is_of_part ? threads / size + 1 : 1);
  for (std::uint32_t t : there) is_there[t] = true;
  for (std::uint32_t t = 0; t < threads; ++t) {
    if (!is_there[t]) continue;
    if (!barrier.has(t)) return WrongMeeting{t};
    auto& first = waits[is_of_part ? t / size : 0];
    if (!first) first = t;
  }
  for (std::uint32_t t = 0; t < threads; ++t) {
    const auto& first = waits[is_of_part ? t / size : 0];
    if (first && !is_there[t] && barrier.has(t)) return WrongMeeting{*first, t};
  }
  return std::nullopt;
}

std::optional<std::int64_t> part_of(const Barrier& barrier, const Launch& launch) {
  if (!has_parts(barrier)) return std::nullopt;
  if (barrier.scope == Barrier::Scope::Warpgroup) return kWarpgroup;
  return barrier.scope == Barrier::Scope::Warp ? kWarp : launch.part_threads();
}

Barrier part_barrier(const Launch& launch) {
  return {.scope = launch.is_cluster ? Barrier::Scope::Rank : Barrier::Scope::Warp};
}

Barrier block_barrier(const Launch& launch) {
  return {.scope = launch.is_cluster ? Barrier::Scope::Rank : Barrier::Scope::Block};
}

std::optional<std::vector<std::uint32_t>> members_of_each(const Region& region,
                                                          std::int64_t part_threads,
                                                          std::int64_t n) {
  const auto words = std::size_t(part_threads / kWarp);
  std::vector<std::uint32_t> all = region.members;
  all.resize(words * std::size_t(n));
  for (std::size_t w = words; w < all.size(); ++w) {
    if (all[w] != all[w % words]) return std::nullopt;
  }
  all.resize(words);
  return all;
}

bool is_alike_in_ranks(const Region& region, const Launch& launch) {
  return members_of_each(region, launch.part_threads(), launch.ranks()).has_value();
}

bool share_a_thread(const Region& a, const Region& b) {
  for (std::size_t w = 0; w < std::min(a.members.size(), b.members.size()); ++w) {
    if ((a.members[w] & b.members[w]) != 0) return true;
  }
  return false;
}

bool same_members(const Barrier& a, const Barrier& b) {
  const auto word = [](const Barrier& of, std::size_t w) {
    return w < of.members.size() ? of.members[w] : 0;
  };
  for (std::size_t w = 0; w < std::max(a.members.size(), b.members.size()); ++w) {
    if (word(a, w) != word(b, w)) return false;
  }
  return true;
}

std::string name_of(const Barrier& barrier) {
  switch (barrier.scope) {
    case Barrier::Scope::Block: return "a barrier";
    case Barrier::Scope::Warp:
      return barrier.is_partial()
                 ? fmt::format("a barrier of lanes {:#010x} of a warp", barrier.lanes)
                 : "a barrier of a warp";
    case Barrier::Scope::Threads: return fmt::format("barrier {}", barrier.id);
    case Barrier::Scope::Rank: return "a barrier of a block of the cluster";
    case Barrier::Scope::Warpgroup: return "a barrier of a warpgroup";
  }
  return {};
}

}  // namespace selvage
