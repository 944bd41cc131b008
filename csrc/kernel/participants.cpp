#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/ir/parallel.h>
#include <selvage/kernel/participants.h>
#include <selvage/kernel/statements.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// Lanes of a warp as a barrier has them: all where the block has no other threads of it.
std::uint32_t lanes_of(const std::vector<std::uint32_t>& lanes, std::size_t warp,
                       std::int64_t threads) {
  const std::int64_t n = threads - std::int64_t(warp) * kWarp;
  const bool is_whole = n < kWarp && lanes[warp] == (std::uint32_t{1} << n) - 1;
  return is_whole ? Barrier::kAllLanes : lanes[warp];
}

// Whether a condition may hold for some threads of a block only.
bool diverges(Expr condition, const ThreadMask::Levels& levels) {
  return std::ranges::any_of(levels, [&](const MaskLevel& level) {
    return level.is_in_block && std::ranges::any_of(level.indices, [&](const MaskIndex& i) {
             return mentions(condition, i.symbol);
           });
  });
}

// The one shape of all blocks in which some thread is active.
std::optional<Participants> members_of(const ThreadMask& mask, std::string& why) {
  Participants members{.threads = mask.block_threads(), .active = 0, .lanes = {}};
  for (const BlockMask& shape : mask.block_masks()) {
    if (shape.active == 0) continue;
    if (members.active != 0) {
      why = "the threads that run it are not the same in every block";
      return std::nullopt;
    }
    members.active = shape.active;
    members.lanes = shape.lanes;
  }
  if (members.lanes.empty()) members.lanes = mask.lanes();
  return members;
}

// Whether barrier a joins all threads that b joins, given that the same threads reach both.
bool joins_all_of(const Barrier& a, const Barrier& b) {
  if (a.scope == Barrier::Scope::Block) return true;
  if (a.scope == Barrier::Scope::Rank) return b.scope != Barrier::Scope::Block;
  // The threads that get there are the members of a, which are whole warps.
  if (a.scope == Barrier::Scope::Threads && b.scope == Barrier::Scope::Warp) return true;
  return a.scope == b.scope && a.lanes == b.lanes && a.members == b.members;
}

}  // namespace

bool Participants::is_one_warp() const {
  return std::count_if(lanes.begin(), lanes.end(), [](std::uint32_t w) { return w != 0; }) <= 1;
}

std::optional<std::size_t> Participants::first_cut_warp() const {
  for (std::size_t w = 0; w < lanes.size(); ++w) {
    if (lanes[w] != 0 && lanes_of(lanes, w, threads) != Barrier::kAllLanes) return w;
  }
  return std::nullopt;
}

std::optional<Participants> participants_of(const RegionThreads& who, Expr condition,
                                            const ThreadMask::Levels& levels, std::string& why) {
  if (who.mask) return members_of(*who.mask, why);
  if (!who.iterations.empty()) {
    const ThreadMask& first = who.iterations[0];
    if (std::ranges::count(who.iterations, first) == std::ssize(who.iterations)) {
      return members_of(first, why);
    }
    why = "the threads that run it are not the same in every iteration";
  } else {
    why = "which threads run it is known only at run time";
  }
  // All threads of a block are alike to what does not depend on their indices.
  if (diverges(condition, levels)) return std::nullopt;
  return members_of(ThreadMask::all(levels), why);
}

Expr divergent_part(Expr condition, const ThreadMask::Levels& levels) {
  if (condition.is(Op::And)) {
    return both(divergent_part(condition[0], levels), divergent_part(condition[1], levels));
  }
  return diverges(condition, levels) ? condition : condition.pool().truth(true);
}

std::optional<Barrier> warp_barrier(const RegionThreads& who, Expr condition,
                                    const ThreadMask::Levels& levels) {
  // By what number threads differ that differ in an index by one.
  std::int64_t stride = 1;
  bool is_uniform = true;
  for (std::size_t l = levels.size(); l-- > 0 && levels[l].is_in_block;) {
    for (std::size_t k = levels[l].indices.size(); k-- > 0;) {
      const MaskIndex& i = levels[l].indices[k];
      if (mentions(condition, i.symbol) && stride % kWarp != 0) is_uniform = false;
      stride *= i.extent;
    }
  }
  const std::int64_t threads = stride;
  if (is_uniform) return Barrier{.scope = Barrier::Scope::Warp};
  std::vector<const ThreadMask*> masks;
  if (who.mask) masks.push_back(&*who.mask);
  for (const ThreadMask& m : who.iterations) masks.push_back(&m);
  std::optional<std::uint32_t> lanes;
  for (const ThreadMask* mask : masks) {
    for (const BlockMask& shape : mask->block_masks()) {
      for (std::size_t w = 0; w < shape.lanes.size(); ++w) {
        const std::uint32_t own = lanes_of(shape.lanes, w, threads);
        if (own == 0) continue;
        if (lanes.value_or(own) != own) return std::nullopt;
        lanes = own;
      }
    }
  }
  if (!lanes) return std::nullopt;
  return Barrier{.scope = Barrier::Scope::Warp, .lanes = *lanes};
}

void drop_repeated_barriers(Body& body) {
  Body out;
  for (Statement& s : body) {
    for (Body* inner : bodies(s)) drop_repeated_barriers(*inner);
    const auto* next = std::get_if<Barrier>(&s.node);
    auto* last = out.empty() ? nullptr : std::get_if<Barrier>(&out.back().node);
    if (next != nullptr && last != nullptr) {
      if (joins_all_of(*last, *next)) continue;
      if (joins_all_of(*next, *last)) out.pop_back();
    }
    out.push_back(std::move(s));
  }
  body = std::move(out);
}

std::optional<Barrier> BarrierNumbers::barrier_of(const Participants& members,
                                                  const std::string& otherwise) {
  if (members.is_whole_block()) return Barrier{};
  if (members.active <= 1) return std::nullopt;
  if (members.is_one_warp()) {
    std::size_t warp = 0;
    while (members.lanes[warp] == 0) ++warp;
    return Barrier{.scope = Barrier::Scope::Warp,
                   .lanes = lanes_of(members.lanes, warp, members.threads)};
  }
  if (const auto warp = members.first_cut_warp()) {
    refuse<Illegal>(
        "E816",
        counted(members.active, "thread") + " of several warps wait for one another, and warp " +
            std::to_string(*warp) + " has others beside: a warp meets other warps as a whole",
        "let the region around begin and end where warps do, every 32 threads" + otherwise);
  }
  int id = 0;
  for (auto& [known, owner] : ids_) {
    if (owner.members == members.lanes) id = known;
  }
  for (int free = 1; id == 0 && free <= most_ids_; ++free) {
    const auto it = ids_.find(free);
    if (it != ids_.end() && it->second.last_used == epoch_) continue;
    has_given_again_ = has_given_again_ || it != ids_.end();
    id = free;
  }
  if (id == 0) {
    refuse<Illegal>(
        "E816",
        "more than " + std::to_string(kIds) +
            " sets of threads wait for one another before all of the block do, outside of "
            "loops, and the hardware has barriers for " +
            std::to_string(kIds),
        "put sync: shared between some of them, where no loop is around");
  }
  ids_[id] = {members.lanes, epoch_};
  return Barrier{.scope = Barrier::Scope::Threads, .id = id, .members = members.lanes};
}

std::optional<Barrier> BarrierNumbers::late_barrier_of(const Participants& members) {
  const bool is_easy = members.is_whole_block() || members.is_one_warp();
  if (is_easy) return barrier_of(members);
  // Once an id has been given to a second set, it is not known which set had it at a place. Until
  // then the set's own id, or a new one, is right for any place.
  const bool is_known = std::any_of(ids_.begin(), ids_.end(), [&](const auto& entry) {
    return entry.second.members == members.lanes;
  });
  if (!members.has_whole_warps() || has_given_again_) return std::nullopt;
  if (!is_known && ids_.size() == std::size_t(most_ids_)) return std::nullopt;
  for (auto& [id, owner] : ids_) owner.last_used = epoch_;
  return barrier_of(members);
}

}  // namespace selvage
