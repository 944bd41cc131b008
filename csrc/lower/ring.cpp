#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/ir/about.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/role_statements.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>
#include <selvage/lower/late_copies.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/ring.h>

#include <algorithm>
#include <map>
#include <set>

namespace selvage {

namespace {

// What is copied at one loop.
struct Ring {
  Expr variable;  // of the loop
  // The shared memory that is copied into: in groups, and in bulk, boxes too.
  std::set<BufferId> grouped = {}, bulk = {};
  std::int64_t ahead = 0;
  TensorId tensor{};  // one of those that are copied
  bool has_role = false;
  bool is_multicast = false;
  bool has(BufferId tile) const { return grouped.contains(tile) || bulk.contains(tile); }
};

// Loops around a ring, in each of whose iterations it runs again.
struct Around {
  std::vector<Expr> variables = {};
  Expr before = {};        // how often it has run before; invalid: there are no such loops
  bool is_regular = true;  // no number of iterations depends on another loop

  bool tells(Expr extent) const {
    return std::ranges::any_of(variables, [&](Expr v) { return mentions(extent, v); });
  }
  Around inside(const Loop& loop) const {
    Around own = *this;
    own.is_regular = is_regular && !tells(loop.extent) && !loop.begin.valid();
    own.before = before.valid() ? before * loop.extent + loop.variable : loop.variable;
    own.variables.push_back(loop.variable);
    return own;
  }
};

class RingMaker {
 public:
  explicit RingMaker(Kernel& kernel) : kernel_(kernel) {}

  // The loops of the ring in a body.
  void make(Body& body, const Ring& ring, KernelDraft& draft, const Around& around = {}) {
    for (Statement& s : body) {
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop != nullptr && same(loop->variable, ring.variable) &&
          begins_copies(loop->body, [&](BufferId b) { return ring.has(b); })) {
        if (around.before.valid() && !ring.bulk.empty()) check_inside(ring, *loop, around);
        make(*loop, ring, around.before, draft);
        continue;
      }
      const bool iterates =
          loop != nullptr && !is_index(loop->parallel) && !loop->extent.is_const(1);
      const Around inside = iterates ? around.inside(*loop) : around;
      for (Body* inner : bodies(s)) make(*inner, ring, draft, inside);
    }
  }

 private:
  static Expr after(Expr first, Expr k) { return first.is_const(0) ? k : first + k; }
  bool writes_a_tile(const Statement& s, const Ring& ring) const {
    const StatementParts parts = parts_of(s);
    for (const StatementAccess& a : parts.accesses) {
      if (writes(a.kind) && ring.has(a.buffer)) return true;
    }
    return std::ranges::any_of(parts.bodies, [&](const Body* body) {
      return std::ranges::any_of(*body,
                                 [&](const Statement& in) { return writes_a_tile(in, ring); });
    });
  }
  // Whether copies to a buffer that `is_tile` are begun in these statements.
  static bool begins_copies(std::span<const Statement> body, const auto& is_tile) {
    bool begins = false;
    for_each_statement(body, [&](const Statement& s) {
      const auto* copy = std::get_if<AsyncCopy>(&s.node);
      begins = begins || (copy != nullptr && is_tile(copy->copy.to));
    });
    return begins;
  }
  static bool begins_bulk_copies(const Statement& s, const Ring& ring) {
    return begins_copies({&s, 1}, [&](BufferId b) { return ring.bulk.contains(b); });
  }

  // The thread indices along which only the first thread begins a copy in a statement, each with
  // the loop that is bound to it; the loop's body is a guard.
  using Firsts = std::map<ParallelType, const Loop*>;
  static Firsts firsts_of(const Statement& s) {
    Firsts firsts;
    for (const Statement* at = &s;;) {
      const auto* loop = std::get_if<Loop>(&at->node);
      if (loop == nullptr || !is_thread(loop->parallel) || loop->body.size() != 1) return firsts;
      at = &loop->body[0];
      const auto* guard = std::get_if<Guard>(&at->node);
      if (guard == nullptr || !guard->otherwise.empty() || guard->body.size() != 1) return firsts;
      if (!same(guard->condition, eq(loop->variable, 0))) return firsts;
      firsts.emplace(loop->parallel, loop);
      at = &guard->body[0];
    }
  }
  Firsts firsts_of(const Body& copies, const Ring& ring) const {
    std::optional<Firsts> all;
    for (const Statement& s : copies) {
      if (!begins_bulk_copies(s, ring)) continue;
      Firsts own = firsts_of(s);
      if (all) std::erase_if(own, [&](const auto& first) { return !all->contains(first.first); });
      all = std::move(own);
    }
    return all.value_or(Firsts{});
  }

  // The barrier objects of a ring's bulk copies. All threads that may copy arrive at each.
  BufferId add_objects(const Ring& ring, const Firsts& firsts, std::int64_t n,
                       KernelDraft& draft) const {
    std::int64_t threads = 1;
    for (ParallelType type : {ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz}) {
      const bool is_rank = type == ParallelType::TIDz && kernel_.launch.is_cluster;
      if (is_rank || firsts.contains(type)) continue;
      const Expr extent = kernel_.launch.block[std::size_t(axis(type))];
      if (!extent.is(Op::Const)) {
        refuse<Illegal>("E448",
                        "copies end at a barrier object that counts the threads of a block, " +
                            to_string(extent) + " along one index",
                        "bind loops of known extents to thread indices; or copy by cp_async");
      }
      threads *= extent.value();
    }
    const BufferId objects =
        draft.add_shared(std::string(ring.variable.name()) + ".copied", DataType::Int64, n);
    draft.kernel.buffers[objects].arrivals = threads;
    return objects;
  }
  static std::vector<ParallelType> axes_of(const Firsts& firsts) {
    std::vector<ParallelType> axes;
    for (const auto& [type, loop] : firsts) axes.push_back(type);
    return axes;
  }
  // What the first thread does there: the body of the innermost guard.
  static Body body_of_first(Statement& s, std::size_t guards) {
    Statement* at = &s;
    for (; guards > 0; --guards) {
      at = &std::get<Guard>(std::get<Loop>(at->node).body[0].node).body[0];
    }
    Body body;
    body.push_back(std::move(*at));
    return body;
  }

  // Lets one rank of a cluster make the copies of each iteration of a loop that is bound to
  // Multicast. Returns whether there are any.
  bool share_out(Body& body, const Ring& ring, Expr rank = {}) const {
    bool is_any = false;
    for (Statement& s : body) {
      auto* copy = std::get_if<AsyncCopy>(&s.node);
      if (copy != nullptr && rank.valid() && ring.bulk.contains(copy->copy.to)) {
        copy->by_rank = rank;
        is_any = true;
      }
      const auto* loop = std::get_if<Loop>(&s.node);
      const bool is_of_ranks = loop != nullptr && loop->parallel == ParallelType::Multicast;
      const Expr own = is_of_ranks ? loop->variable : rank;
      for (Body* inner : bodies(s)) is_any = share_out(*inner, ring, own) || is_any;
    }
    return is_any;
  }
  // Who shares the copies of a ring meets there: all threads of the block that has their memory, or
  // of the cluster.
  Statement barrier_of(const Ring& ring) const {
    return {ring.is_multicast ? Barrier{} : block_barrier(kernel_.launch)};
  }

  // Gives the bulk copies their object, and arrives there behind them.
  void arrive_behind(Body& copies, const Ring& ring, const Firsts& firsts,
                     const BarrierObject& object) const {
    Statement arrival{Arrive{object}};
    for_each_statement(copies, [&](Statement& s) {
      auto* copy = std::get_if<AsyncCopy>(&s.node);
      if (copy == nullptr || !ring.bulk.contains(copy->copy.to)) return;
      copy->object = object;
      copy->announces = true;
    });
    if (!is_one_thread(axes_of(firsts), kernel_)) {
      for (const auto& [type, loop] : firsts) {
        const Guard first{eq(loop->variable, 0), {std::move(arrival)}};
        arrival = {Loop{loop->variable, loop->extent, loop->parallel, {{first}}}};
      }
      return copies.push_back(std::move(arrival));
    }
    // All of it by one thread, under one guard.
    Body rest, by_one;
    for (Statement& s : copies) {
      const Firsts own = begins_bulk_copies(s, ring) ? firsts_of(s) : Firsts{};
      if (own.empty()) {
        rest.push_back(std::move(s));
      } else {
        append(by_one, body_of_first(s, own.size()));
      }
    }
    by_one.push_back(std::move(arrival));
    append(rest, one_elected(axes_of(firsts), std::move(by_one), kernel_));
    copies = std::move(rest);
  }

  // A ring that runs again and again has as many iterations each time.
  void check_inside(const Ring& ring, const Loop& loop, const Around& around) const {
    if (around.is_regular && !around.tells(loop.extent)) return;
    const std::string &tile = kernel_.buffers[*ring.bulk.begin()].name, k(loop.variable.name());
    refuse<Illegal>("E448",
                    "bulk copies of " + tile + " would begin the ring of " + k +
                        " again in each iteration of a loop around it, with other numbers of "
                        "iterations",
                    "bind the loops around it to blocks; or copy by cp_async");
  }

  // In the order in which they stand: the copies, and what they wait for, then the rest. `first`:
  // the number of iterations before this loop.
  void make_at_once(Loop& loop, const Ring& ring, Expr first, KernelDraft& draft) const {
    const auto is_copy = [&](const Statement& s) { return writes_a_tile(s, ring); };
    const auto last = std::find_if(loop.body.rbegin(), loop.body.rend(), is_copy).base();
    Body rest(std::make_move_iterator(last), std::make_move_iterator(loop.body.end()));
    loop.body.erase(last, loop.body.end());
    if (!ring.bulk.empty()) {
      const Firsts firsts = firsts_of(loop.body, ring);
      const BarrierObject object{add_objects(ring, firsts, 1, draft), kernel_.pool->constant(0)};
      arrive_behind(loop.body, ring, firsts, object);
      // A block goes through its own index once, and has read nothing before.
      const bool is_once = is_block(loop.parallel);
      loop.body.push_back(
          {Wait{object, draft.form(is_once ? first : after(first, loop.variable))}});
      if (!is_once || !first.is_const(0))
        loop.body.insert(loop.body.begin(), {{ProxyFence{}}, barrier_of(ring)});
    }
    // Each thread waits for copies of an object by itself.
    if (!ring.grouped.empty())
      append(loop.body, {{Arrive{}}, {Wait{}}, {block_barrier(kernel_.launch)}});
    append(loop.body, std::move(rest));
  }

  // A ring of two roles, whose regions part_roles() makes, and the objects at which who uses a tile
  // says that it is free.
  void note_role(const Ring& ring, const Firsts& firsts, RoleRing role, KernelDraft& draft) const {
    if (!is_one_thread(axes_of(firsts), kernel_) || !ring.grouped.empty()) {
      refuse<Illegal>("E448",
                      "the copies of the role " + draft.role->name + " are made by " +
                          (ring.grouped.empty() ? "several threads" : "cp_async as well"),
                      "bind no loop of what is copied to thread indices; or leave the role out");
    }
    role.free =
        draft.add_shared(std::string(ring.variable.name()) + ".free", DataType::Int64, role.stages);
    kernel_.buffers[role.free].arrivals = draft.role->computing;
    if (ring.is_multicast) {
      role.ready = draft.add_shared(std::string(ring.variable.name()) + ".ready", DataType::Int64,
                                    role.stages);
      kernel_.buffers[*role.ready].arrivals = kernel_.launch.ranks();
    }
    draft.roles.push_back(role);
  }

  // Refuses copies of what the same iteration stores, which is later by then.
  void check_sources(const Body& copies, const Body& rest, const Ring& ring) const {
    std::set<BufferId> stored;
    for_each_statement(rest, [&](const Statement& s) {
      for (const StatementAccess& a : parts_of(s).accesses) {
        if (writes(a.kind)) stored.insert(a.buffer);
      }
    });
    for_each_statement(copies, [&](const Statement& s) {
      for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
        if (writes(a.kind) || !stored.contains(a.buffer)) return;
        const auto& tiles = ring.bulk.empty() ? ring.grouped : ring.bulk;
        const std::string &tile = kernel_.buffers[*tiles.begin()].name,
                          &from = kernel_.buffers[a.buffer].name;
        refuse<Illegal>("E448",
                        "copies of " + tile + " would be begun before the iteration in which " +
                            from + " is stored, which says what they copy",
                        "begin them 0 ahead; or store " + from + " outside of that loop");
      });
    });
  }

  // Loops of several rings may have the same name.
  Expr ring_variable(Expr k, Expr extent) const {
    const std::string first = std::string(k.name()) + ".ring";
    std::string name = first;
    for (int n = 2; kernel_.facts.find(kernel_.pool->symbol(name)) != nullptr; ++n) {
      name = first + std::to_string(n);
    }
    return own_variable(name, extent, kernel_);
  }

  void make(Loop& loop, Ring ring, Expr before, KernelDraft& draft) {
    SELVAGE_CHECK(!loop.begin.valid());
    // Iterations of one run, and of all before it.
    const Expr own = is_block(loop.parallel) ? kernel_.pool->constant(1) : loop.extent;
    const Expr first = before.valid() ? before * own : kernel_.pool->constant(0);
    ring.is_multicast = kernel_.launch.is_cluster && share_out(loop.body, ring);
    if (ring.ahead == 0) return make_at_once(loop, ring, first, draft);
    Body copies, rest;
    for (Statement& s : loop.body) {
      // A name is one for both halves.
      if (std::holds_alternative<Define>(s.node)) copies.push_back(s);
      (writes_a_tile(s, ring) ? copies : rest).push_back(std::move(s));
    }
    check_sources(copies, rest, ring);
    const std::int64_t ahead = ring.ahead;
    const Expr k = loop.variable, n = loop.extent;
    Wait wait;
    wait.pending = ahead - 1;
    const Expr q = ring_variable(k, n + ahead);
    const auto half = [&](Expr condition, Expr iteration, Body body) {
      condition = draft.form(condition);
      draft.uniform.push_back(condition);
      body.insert(body.begin(), {Define{k, draft.form(iteration)}});
      return Statement{Guard{condition, std::move(body)}};
    };
    loop.variable = q;
    loop.extent = draft.form(n + ahead);
    loop.body.clear();
    if (!ring.grouped.empty()) loop.body.push_back({wait});
    if (!ring.bulk.empty()) {
      const Firsts firsts = firsts_of(copies, ring);
      // For two roles there is an object for each slot, ahead + 1 of them.
      const std::int64_t n_objects = ring.has_role ? ahead + 1 : ahead;
      const Expr waits = after(first, ring.has_role ? q + 1 : q);
      const BufferId objects = add_objects(ring, firsts, n_objects, draft);
      arrive_behind(copies, ring, firsts, {objects, draft.form(after(first, k) % n_objects)});
      append(loop.body, {{Wait{BarrierObject{objects, draft.form(waits % n_objects)},
                               draft.form(waits / n_objects - 1)}},
                         {ProxyFence{}}});
      if (ring.has_role) {
        const BufferId tile = *tiles_of(copies).begin();
        note_role(ring, firsts, {q, k, n, first, tile, objects, 0, n_objects}, draft);
      }
    }
    loop.body.push_back(barrier_of(ring));
    loop.body.push_back(half(q < n, q, std::move(copies)));
    if (!ring.grouped.empty()) loop.body.push_back({Arrive{}});
    loop.body.push_back(half(kernel_.pool->constant(ahead) <= q, q - ahead, std::move(rest)));
  }

  Kernel& kernel_;
};

std::optional<BufferId> tile_of(const Kernel& kernel, TensorId t) {
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    const Buffer& buffer = kernel.buffers[b];
    if (buffer.memory == Memory::Shared && buffer.holds && buffer.holds->tensor == t) return b;
  }
  return std::nullopt;
}

// Loops that are bound to Multicast have an iteration for each rank of a cluster.
void check_multicast(const Schedule& schedule, TensorId t, const Launch& launch) {
  for (DomainId d : schedule.loop_domains(t)) {
    const Expr extent = schedule.graph()[d].extent;
    if (schedule.parallel(t, d) != ParallelType::Multicast || extent.is_const(launch.ranks())) {
      continue;
    }
    const std::string loop = schedule.name(t, d), n = to_string(extent);
    refuse<Illegal>("E467",
                    loop + " of " + schedule.fusion()[t].name +
                        ", which is bound to Multicast, has " + n + " iterations, and a cluster " +
                        counted(launch.ranks(), "block"),
                    extent.is(Op::Const)
                        ? "bind a loop of " + n + " iterations around what is copied to CIDx; or " +
                              loop + " to Serial"
                        : "split by the number of blocks in a cluster, and bind the part of that "
                          "extent to Multicast");
  }
}

[[noreturn]] void refuse_copies(const KernelRequest& request, TensorId t, bool is_kept) {
  const TensorInfo& tensor = request.scheduled.fusion[t];
  const std::string& name = tensor.name;
  if (is_kept && request.scheduled.schedule.copied_by(t) == CopyBy::Bulk) {
    const std::string n = std::to_string(kBulkAlignment / size_of(tensor.type));
    refuse<Illegal>("E448",
                    "none of the copies of " + name +
                        " could be made in bulk: each copies a vector of a multiple of 16 bytes "
                        "of global memory, unchanged",
                    "cache an input as it is, and bind its inner loop, split by a multiple of " +
                        n + " elements, to Vectorize; or copy by cp_async");
  }
  std::string widths;
  for (std::int64_t bytes : {4, 8, 16}) {
    const std::int64_t n = bytes / size_of(tensor.type);
    if (n > 0) widths += (widths.empty() ? "" : bytes < 16 ? ", " : " or ") + std::to_string(n);
  }
  refuse<Illegal>(
      "E448",
      is_kept ? "none of the copies of " + name +
                    " could end later: it copies 4, 8 or 16 bytes of global memory that lie side "
                    "by side, unchanged, and " +
                    name + " is of " + std::string(to_string(tensor.type))
              : "copies of " + name + " end in shared memory, and it is kept elsewhere",
      is_kept ? "cache an input as it is, and vectorize the copy by " + widths +
                    " elements; or load and store it, ldst"
              : "keep it in shared memory; or load and store it, ldst");
}

}  // namespace

std::int64_t ahead_at(const Schedule& schedule, const Schedule::Site& site) {
  std::int64_t least = INT64_MAX;
  for (std::size_t k = 0; k < schedule.fusion().size(); ++k) {
    const auto t = TensorId(k);
    if (schedule.copied_by(t) == CopyBy::LoadStore || schedule.site(t) != site) continue;
    least = std::min(least, schedule.ahead(t));
  }
  return least;
}

void make_rings(const KernelRequest& request, KernelDraft& draft) {
  const ScheduledNests& scheduled = request.scheduled;
  const Schedule& schedule = scheduled.schedule;
  RingMaker maker(draft.kernel);
  std::vector<Ring> rings;
  for (const NestTree* root : request.group) {
    for (TensorId t : tensors_of(*root)) {
      const CopyBy by = schedule.copied_by(t);
      about(t, [&] { check_multicast(schedule, t, draft.kernel.launch); });
      if (by == CopyBy::LoadStore || !schedule.site(t)) continue;
      const Schedule::Site site = *schedule.site(t);
      const std::int64_t ahead = ahead_at(schedule, site);
      about(t, [&] {
        const auto tile = tile_of(draft.kernel, t);
        if (!tile) refuse_copies(request, t, false);
        const PlacedTensors& placed = scheduled.placed.at(root->tensor);
        if (begin_copies(draft, *tile, by) == 0) {
          // There are no vectors, or none is whole for these sizes.
          if (!draft.is_vectorised) return;
          if (placed[t].analysis.vector && !is_moved_into(draft.kernel.body, *tile)) return;
          refuse_copies(request, t, true);
        }
        // The loop is the reader's, whether or not the tensor has it.
        const TensorAnalysis& analysis = placed[site.tensor].analysis;
        const auto at = std::ranges::find(analysis.loops, *site.loop);
        SELVAGE_CHECK(at != analysis.loops.end());
        const Expr variable = analysis.variables[std::size_t(at - analysis.loops.begin())];
        auto ring =
            std::ranges::find_if(rings, [&](const Ring& r) { return same(r.variable, variable); });
        if (ring == rings.end()) ring = rings.insert(rings.end(), {variable});
        (is_by_proxy(by) ? ring->bulk : ring->grouped).insert(*tile);
        ring->tensor = t;
        ring->ahead = ahead;
        ring->has_role = ring->has_role || (draft.role && schedule.role(t));
      });
    }
  }
  for (const Ring& ring : rings) {
    about(ring.tensor, [&] { maker.make(draft.kernel.body, ring, draft); });
  }
}

}  // namespace selvage
