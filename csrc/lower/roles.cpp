#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/ir/about.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/role_statements.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/one_thread.h>
#include <selvage/lower/roles.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace selvage {

namespace {

constexpr std::uint32_t kAll = Barrier::kAllLanes;

// The role of a tensor of the group whose copies warps of their own make; the widest of several.
const CopyRole* role_of(const KernelRequest& request, TensorId& of) {
  const CopyRole* widest = nullptr;
  for (const NestTree* root : request.group) {
    for (TensorId t : tensors_of(*root)) {
      const std::optional<CopyRole>& role = request.scheduled.schedule.role(t);
      if (!role || (widest != nullptr && role->warps <= widest->warps)) continue;
      widest = &*role;
      of = t;
    }
  }
  return widest;
}

// How many registers each thread has that computes: what the others leave, if all are warpgroups.
void share_registers(std::int64_t registers, RoleWarps& role) {
  constexpr std::int64_t kGroup = 4, kMost = 240;
  const std::int64_t computing = role.computing / kWarp, all = computing + role.warps;
  const std::int64_t usual = registers_at_entry(all * kWarp);
  const std::int64_t left = (all * usual - role.warps * registers) / computing,
                     others = std::min(left / kRegisterStep * kRegisterStep, kMost);
  if (computing % kGroup != 0 || role.warps % kGroup != 0 || registers >= usual || others < usual) {
    refuse<Illegal>("E448",
                    counted(role.warps, "warp") + " for copies and " + counted(computing, "other") +
                        " are to share registers, " + std::to_string(registers) +
                        " for a thread that copies",
                    "let both be multiples of 4 warps, with fewer registers than the " +
                        std::to_string(usual) + " that all have; or leave registers out");
  }
  role.registers = registers;
  role.others = others;
  role.usual = usual;
}

class RoleParts {
 public:
  explicit RoleParts(KernelDraft& draft)
      : kernel_(draft.kernel), warps_(*draft.role), rings_(draft.roles) {}

  // Parts the loop of the ring, or the outermost loop around it that iterates.
  bool part(Body& body, const RoleRing& ring) {
    const auto at = std::ranges::find_if(body, [&](Statement& s) { return has(s, ring); });
    if (at == body.end()) return false;
    const auto* loop = std::get_if<Loop>(&at->node);
    const bool is_outermost = loop != nullptr && !is_index(loop->parallel) && !runs_once(*loop);
    if (is_outermost) {
      check_alone(*at, ring);
      part_at(body, at, ring);
      return true;
    }
    return std::ranges::any_of(bodies(*at), [&](Body* inner) { return part(*inner, ring); });
  }

 private:
  static bool is_loop_of(const Statement& s, const RoleRing& ring) {
    const auto* loop = std::get_if<Loop>(&s.node);
    return loop != nullptr && same(loop->variable, ring.loop);
  }
  static bool has(const Statement& s, const RoleRing& ring) {
    return is_loop_of(s, ring) || std::ranges::any_of(bodies(s), [&](const Body* inner) {
             return std::ranges::any_of(*inner,
                                        [&](const Statement& own) { return has(own, ring); });
           });
  }

  // Two regions go through one ring.
  void check_alone(const Statement& s, const RoleRing& ring) const {
    for (const RoleRing& other : rings_) {
      if (same(other.loop, ring.loop) || !has(s, other)) continue;
      refuse<Illegal>("E448",
                      "the role " + warps_.name + " copies " + kernel_.buffers[ring.tile].name +
                          " and " + kernel_.buffers[other.tile].name +
                          " at two loops, in each iteration of a loop around both",
                      "bind the loops around them to blocks; or leave the role out");
    }
  }

  void part_at(Body& body, Body::iterator at, const RoleRing& ring) {
    Body copies, around;
    Statement uses = std::move(*at);
    take_copies(uses, ring, copies, around);
    const std::set<BufferId> tiles = tiles_of(copies);
    const bool meets = accesses_more(kernel_, {&uses, 1}, tiles);
    if (meets && kernel_.launch.is_cluster) {
      refuse<Illegal>("E467",
                      "threads that use what the role " + warps_.name +
                          " copies, and other shared memory, in the blocks of a cluster are not "
                          "supported yet",
                      "leave the role out, or bind nothing to CIDx");
    }
    name_barriers(uses, meets ? &ring : nullptr);
    innermost_of(around) = std::move(copies);
    Body parts;
    if (meets) parts.push_back({Barrier{}});
    parts.push_back(
        {Region{warps_.name, members(true), std::move(around), warps_.registers, warps_.usual}});
    parts.push_back(
        {Region{"compute", members(false), body_of(std::move(uses)), warps_.others, warps_.usual}});
    if (meets) parts.push_back({Barrier{}});
    at = body.erase(at);
    body.insert(at, std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
  }

  // Takes out of the ring in a statement what copies tiles, in loops and guards as those around the
  // ring, and what stands around all that one thread does.
  void take_copies(Statement& s, const RoleRing& ring, Body& copies, Body& around) const {
    if (is_loop_of(s, ring)) return part_loop(std::get<Loop>(s.node), ring, copies, around);
    for (Body* inner : bodies(s)) {
      const auto at = std::ranges::find_if(*inner, [&](Statement& own) { return has(own, ring); });
      if (at == inner->end()) continue;
      take_copies(*at, ring, copies, around);
      const auto* loop = std::get_if<Loop>(&s.node);
      // One thread does it, whatever its index, of each rank of a cluster.
      const bool is_of_threads = loop != nullptr && is_thread(loop->parallel);
      const bool is_of_ranks =
          is_of_threads && loop->parallel == ParallelType::TIDz && kernel_.launch.is_cluster;
      if (is_of_threads && !is_of_ranks) return;
      Body names;
      std::copy_if(inner->begin(), at, std::back_inserter(names),
                   [](const Statement& own) { return std::holds_alternative<Define>(own.node); });
      copies.insert(copies.begin(), std::make_move_iterator(names.begin()),
                    std::make_move_iterator(names.end()));
      if (is_of_ranks) {
        around = body_of(Loop{loop->variable, loop->extent, loop->parallel, std::move(around)});
        return;
      }
      if (loop != nullptr) {
        copies = body_of(Loop{loop->variable, loop->extent, loop->parallel, std::move(copies)});
        return;
      }
      const Guard& guard = std::get<Guard>(s.node);
      const Expr condition = inner == &guard.body ? guard.condition : !guard.condition;
      copies = body_of(Guard{condition, std::move(copies)});
      return;
    }
  }

  // wait, fence, barrier, copies, the rest.
  void part_loop(Loop& loop, const RoleRing& ring, Body& copies, Body& around) const {
    std::erase_if(loop.body, [](const Statement& s) {
      return std::holds_alternative<Wait>(s.node) || std::holds_alternative<ProxyFence>(s.node) ||
             std::holds_alternative<Barrier>(s.node);
    });
    SELVAGE_CHECK(loop.body.size() == 2);
    copies = std::move(std::get<Guard>(loop.body[0].node).body);
    Body rest = std::move(std::get<Guard>(loop.body[1].node).body);
    // Names of the iteration.
    copies.erase(copies.begin());
    rest.erase(rest.begin());
    around = choose_thread(copies);
    const Expr k = ring.iteration;
    const Expr turn = ring.before.is_const(0) ? k : ring.before + k, slot = turn % ring.stages;
    const BarrierObject full = object_of(ring.copied, slot), empty = object_of(ring.free, slot);
    if (ring.ready) copies = meet_ranks(ring, slot, turn, std::move(copies));
    // What the thread stores itself comes before the next copies to that slot.
    bool stores = false;
    for_each_statement(copies, [&](const Statement& s) {
      stores = stores || std::holds_alternative<Store>(s.node);
    });
    if (stores) copies.insert(copies.begin(), {ProxyFence{}});
    copies.insert(copies.begin(), {Wait{empty, turn / ring.stages - 1}});
    rest.insert(rest.begin(), {Wait{full, turn / ring.stages}});
    append(rest, {{ProxyFence{}}, {Arrive{empty}}});
    copies = body_of(Loop{k, ring.tiles, ParallelType::Serial, std::move(copies)});
    loop = Loop{k, ring.tiles, ParallelType::Serial, std::move(rest)};
  }

  // Copies to all ranks: each says to each that its slot is free, and copies once all have.
  Body meet_ranks(const RoleRing& ring, Expr slot, Expr turn, Body copies) const {
    const Expr ranks = kernel_.pool->constant(kernel_.launch.ranks()),
               rank = own_variable(std::string(ring.iteration.name()) + ".rank", ranks, kernel_);
    Loop each{rank, ranks, ParallelType::Unroll, {}};
    each.body.push_back({Arrive{object_of(*ring.ready, slot, rank)}});
    Body all = body_of(std::move(each));
    all.push_back({Wait{object_of(*ring.ready, slot), turn / ring.stages}});
    append(all, std::move(copies));
    return all;
  }
  // An object of the own rank, or of another one.
  BarrierObject object_of(BufferId objects, Expr number, Expr rank = {}) const {
    if (!kernel_.launch.is_cluster) return {objects, number};
    if (!rank.valid()) rank = every(ParallelType::TIDz, kernel_).variable;
    return {objects, rank * kernel_.buffers[objects].piece(kernel_.launch.ranks()) + number};
  }

  std::vector<std::uint32_t> members(bool copies_tiles) const {
    const auto computing = std::size_t(warps_.computing / kWarp);
    std::vector<std::uint32_t> all;
    for (std::int64_t rank = 0; rank < kernel_.launch.ranks(); ++rank) {
      all.insert(all.end(), computing, copies_tiles ? 0 : kAll);
      all.insert(all.end(), std::size_t(warps_.warps), copies_tiles ? kAll : 0);
    }
    while (all.back() == 0) all.pop_back();
    return all;
  }

  // The thread that copies is the first of those warps: leaves what it does in `copies`, and
  // returns what stands around.
  Body choose_thread(Body& copies) const {
    // Names, then what one_elected() has made.
    Body around;
    around.push_back(std::move(copies.back()));
    copies.pop_back();
    Body* inner = &around;
    while (std::holds_alternative<Loop>((*inner)[0].node)) inner = bodies((*inner)[0])[0];
    Guard& guard = std::get<Guard>((*inner)[0].node);
    append(copies, std::exchange(guard.body, {}));
    Expr is_it;
    for (ParallelType p : {ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz}) {
      const bool is_rank = p == ParallelType::TIDz && kernel_.launch.is_cluster;
      if (is_rank || extent_of(kernel_.launch, p).is_const(1)) continue;
      const Expr own = eq(every(p, kernel_).variable, p == warps_.axis ? warps_.first : 0);
      is_it = is_it.valid() ? is_it && own : own;
    }
    guard.condition = is_it;
    guard.warp = warps_.computing / kWarp;
    return around;
  }

  // Those who compute meet one another alone, in each iteration of a ring before anything else.
  void name_barriers(Statement& uses, const RoleRing* ring) const {
    const Barrier own{.scope = Barrier::Scope::Threads, .id = 1, .members = members(false)};
    std::span all(&uses, 1);
    for_each_statement(all, [&](Statement& s) {
      auto* barrier = std::get_if<Barrier>(&s.node);
      if (barrier != nullptr && barrier->scope == Barrier::Scope::Block) *barrier = own;
      auto* loop = std::get_if<Loop>(&s.node);
      if (ring == nullptr || loop == nullptr || !same(loop->variable, ring->iteration)) return;
      loop->body.insert(loop->body.begin() + 1, {own});
    });
  }

  Kernel& kernel_;
  const RoleWarps& warps_;
  const std::vector<RoleRing>& rings_;
};

}  // namespace

void add_role_warps(const KernelRequest& request, KernelDraft& draft) {
  TensorId t{};
  const CopyRole* role = draft.is_vectorised ? role_of(request, t) : nullptr;
  if (role == nullptr) return;
  about(t, [&] {
    std::array<Expr, 3>& block = draft.kernel.launch.block;
    std::int64_t threads = 1, inner = 1;
    std::size_t last = 0;
    // Of a cluster each rank, which is an index of z, has its own.
    for (std::size_t k = 0; k < (draft.kernel.launch.is_cluster ? 2 : 3); ++k) {
      if (!block[k].is(Op::Const)) {
        refuse<Illegal>("E448",
                        "copies by a role of their own need a block of a known number of threads",
                        "bind loops of known extents to thread indices");
      }
      if (!block[k].is_const(1)) last = k;
      threads *= block[k].value();
    }
    for (std::size_t k = 0; k < last; ++k) inner *= block[k].value();
    // A number of rows of the last axis that are whole warps.
    const std::int64_t row = std::lcm(inner, kWarp),
                       more = (role->warps * kWarp + row - 1) / row * row;
    if (threads % kWarp != 0 || threads + more > kMaxThreads) {
      refuse<Illegal>(
          "E448",
          "a block of " + counted(threads, "thread") + " beside " + counted(more / kWarp, "warp") +
              " for copies " +
              (threads % kWarp != 0 ? "is no number of whole warps"
                                    : "has more than " + std::to_string(kMaxThreads) + " threads"),
          "let other threads be a multiple of 32, and at most " +
              std::to_string(kMaxThreads - more));
    }
    draft.role = RoleWarps{.name = role->name,
                           .axis = ParallelType(int(ParallelType::TIDx) + int(last)),
                           .first = block[last].value(),
                           .computing = threads,
                           .warps = more / kWarp};
    block[last] = draft.kernel.pool->constant(block[last].value() + more / inner);
    if (role->registers > 0) share_registers(role->registers, *draft.role);
  });
}

void part_roles(const KernelRequest&, KernelDraft& draft) {
  for (const RoleRing& ring : draft.roles) {
    RoleParts parts(draft);
    const bool is_found = parts.part(draft.kernel.body, ring);
    SELVAGE_CHECK(is_found);
  }
}

}  // namespace selvage
