#include <selvage/expr/symbols.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/role_rings.h>
#include <selvage/kernel/role_statements.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/threads_inside.h>
#include <selvage/kernel/tile_slots.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <bit>
#include <string>

namespace selvage {

namespace {

std::int64_t threads_of(const Region& region) {
  std::int64_t threads = 0;
  for (std::uint32_t lanes : region.members) threads += std::popcount(lanes);
  return threads;
}

class RoleRings {
 public:
  // `accesses`: of the kernel with its regions; `kernel`: a copy, which it changes.
  RoleRings(const AccessMap& accesses, Kernel& kernel)
      : accesses_(accesses), kernel_(kernel), slots_(accesses, kernel) {
    if (!kernel.launch.is_cluster) return;
    for_each_statement(kernel.body, [&](const Statement& s) {
      const auto* loop = std::get_if<Loop>(&s.node);
      const bool is_rank = loop != nullptr && loop->parallel == ParallelType::TIDz;
      if (is_rank && !rank_.valid()) rank_ = loop->variable;
    });
  }

  // Whether every region is of such a ring; these are one loop each then.
  bool merge(Body& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (std::holds_alternative<Region>(body[i].node)) {
        std::optional<Body> merged;
        if (i + 1 < body.size()) merged = merge_at(body, i);
        if (!merged) return false;
        const std::size_t n = merged->size();
        const auto at =
            body.erase(body.begin() + std::ptrdiff_t(i), body.begin() + std::ptrdiff_t(i) + 2);
        body.insert(at, std::make_move_iterator(merged->begin()),
                    std::make_move_iterator(merged->end()));
        i += n - 1;
        continue;
      }
      for (Body* inner : bodies(body[i])) {
        if (!merge(*inner)) return false;
      }
    }
    return true;
  }
  const std::vector<Expr>& loops() const { return loops_; }  // variables of the rings
  // Whether those who use tiles meet in each iteration as in the rings of one role.
  bool meets() const { return meets_; }

  static void erase(Body& body) {
    std::erase_if(body, [](const Statement& s) { return std::holds_alternative<Region>(s.node); });
    for (Statement& s : body) {
      for (Body* inner : bodies(s)) erase(*inner);
    }
  }

 private:
  // The regions of a ring, and what is known on the way to its two loops.
  struct Pair {
    const Region &load, &compute;
    Facts facts;
    Body around = {};                  // of all that those do who copy: thread indices and guards
    Body names = {};                   // that the copies alone need
    std::vector<Expr> variables = {};  // of the loops around the ring
    Expr runs = {};                    // how often it has run before; invalid: there are no such
    std::set<BufferId> tiles = {};
    bool meets = false;          // at a barrier of their own, in each iteration
    bool is_surely_run = false;  // for an iteration at least
    bool does_more = false;      // with shared memory, before the ring or behind it
  };

  std::optional<Body> merge_at(const Body& body, std::size_t at) {
    const auto* load = std::get_if<Region>(&body[at].node);
    const auto* compute = std::get_if<Region>(&body[at + 1].node);
    if (compute == nullptr || share_a_thread(*load, *compute)) return std::nullopt;
    // Each rank of a cluster has such a ring.
    const Launch& launch = kernel_.launch;
    if (launch.is_cluster &&
        !(is_alike_in_ranks(*load, launch) && is_alike_in_ranks(*compute, launch))) {
      return std::nullopt;
    }
    Pair pair{*load, *compute, kernel_.facts};
    const auto uses = with_threads_inside(compute->body);
    if (!uses) return std::nullopt;
    auto merged = together(inside_threads(load->body, pair.around), *uses, pair);
    if (!merged) return std::nullopt;
    if (pair.does_more && !pair.is_surely_run) return std::nullopt;
    if (pair.does_more || accesses_more(kernel_, compute->body, pair.tiles)) {
      if (launch.is_cluster) return std::nullopt;
      const bool is_between = at > 0 && is_block_barrier(body[at - 1]) && at + 2 < body.size() &&
                              is_block_barrier(body[at + 2]);
      if (!is_between || !pair.meets) return std::nullopt;
    }
    meets_ = meets_ && pair.meets;
    return merged;
  }

  // What the two roles do in loops and guards that both have around the ring.
  std::optional<Body> together(const Body& copies, const Body& uses, Pair& pair) {
    if (copies.empty()) return std::nullopt;
    const auto main = std::ranges::find_if(
        uses, [&](const Statement& s) { return are_alike(copies.back(), s, pair); });
    if (main == uses.end()) return std::nullopt;
    Body before(uses.begin(), main), behind(main + 1, uses.end());
    for (Body* own : {&before, &behind}) {
      pair.does_more = pair.does_more || accesses_more(kernel_, *own, {});
      if (!only_uses(*own, pair.compute)) return std::nullopt;
    }
    for (std::size_t k = 0; k + 1 < copies.size(); ++k) {
      if (!std::holds_alternative<Define>(copies[k].node) || reads_stores(kernel_, copies[k]))
        return std::nullopt;
      pair.names.push_back(copies[k]);
    }
    Statement inner = *main;
    if (auto* guard = std::get_if<Guard>(&inner.node)) {
      pair.facts.assume(guard->condition);
      auto own = together(std::get<Guard>(copies.back().node).body, guard->body, pair);
      if (!own) return std::nullopt;
      guard->body = *std::move(own);
    } else {
      const Loop& loop = std::get<Loop>(copies.back().node);
      Loop& both = std::get<Loop>(inner.node);
      if (begins_with_a_wait(turn_of_copies(loop))) {
        auto ring = ring_of(loop, both, pair);
        if (!ring) return std::nullopt;
        inner = *std::move(ring);
      } else {
        pair.facts.loop(loop.variable, loop.extent);
        // A block has one of the indices of blocks.
        if (!is_block(loop.parallel)) {
          pair.variables.push_back(loop.variable);
          pair.runs = pair.runs.valid() ? pair.runs * loop.extent + loop.variable : loop.variable;
        }
        auto own = together(loop.body, both.body, pair);
        if (!own) return std::nullopt;
        both.body = *std::move(own);
      }
    }
    Body merged = for_members(std::move(before), pair.compute);
    merged.push_back(std::move(inner));
    for (Statement& s : for_members(std::move(behind), pair.compute)) {
      merged.push_back(std::move(s));
    }
    return merged;
  }

  // Whether both are the same guard, the same index of blocks, or loops that run together, as often
  // in each iteration of those around them.
  static bool are_alike(const Statement& copies, const Statement& uses, const Pair& pair) {
    if (const auto* guard = std::get_if<Guard>(&copies.node)) {
      const auto* other = std::get_if<Guard>(&uses.node);
      return other != nullptr && same(guard->condition, other->condition) &&
             guard->otherwise.empty() && other->otherwise.empty();
    }
    const auto *loop = std::get_if<Loop>(&copies.node), *other = std::get_if<Loop>(&uses.node);
    if (loop == nullptr || other == nullptr || !same(loop->variable, other->variable)) return false;
    for (const Loop* own : {loop, other}) {
      const bool is_known = own->parallel == ParallelType::Serial || is_block(own->parallel);
      if (!is_known || own->parallel != loop->parallel || own->begin.valid()) return false;
    }
    const bool is_regular =
        std::ranges::none_of(pair.variables, [&](Expr v) { return mentions(loop->extent, v); });
    return is_regular && Simplifier(pair.facts).proves(eq(loop->extent, other->extent));
  }

  // What those do who copy in an iteration, in the loop or in a guard there.
  static const Guard* guard_of_turn(const Loop& loop) {
    const Guard* guard = nullptr;
    for (const Statement& s : loop.body) {
      if (std::holds_alternative<ProxyFence>(s.node)) continue;
      const auto* own = std::get_if<Guard>(&s.node);
      if (guard != nullptr || own == nullptr || !own->otherwise.empty()) return nullptr;
      guard = own;
    }
    return guard;
  }
  static const Body& turn_of_copies(const Loop& loop) {
    const Guard* guard = guard_of_turn(loop);
    return guard != nullptr ? guard->body : loop.body;
  }
  static bool begins_with_a_wait(const Body& body) {
    const auto first = std::ranges::find_if(
        body, [](const Statement& s) { return !std::holds_alternative<ProxyFence>(s.node); });
    return first != body.end() && object_wait(*first) != nullptr;
  }

  // The two loops as one.
  std::optional<Statement> ring_of(const Loop& loop, const Loop& uses, Pair& pair) {
    const Region& compute = pair.compute;
    // A fence orders more, but for elements that are stored behind it.
    bool has_fence = false;
    Body copies;
    for (const Statement& s : turn_of_copies(loop)) {
      const bool is_fence = std::holds_alternative<ProxyFence>(s.node);
      has_fence = has_fence || (is_fence && copies.size() == 1);
      if (!is_fence) copies.push_back(s);
    }
    // Who waits for a slot arrives there: no other phase ends before.
    if (!std::holds_alternative<Arrive>(copies.back().node)) return std::nullopt;
    // A barrier of the region in front of the wait, or behind the fence.
    Body use = uses.body;
    const bool meets_first = is_own_barrier(use[0], compute);
    if (meets_first) use.erase(use.begin());
    if (use.size() > 2 && is_own_barrier(use[use.size() - 2], compute)) {
      use.erase(use.end() - 2);
    }
    if (use.size() < 3 || copies.size() < 2) return std::nullopt;
    if (const auto* guard = guard_of_turn(loop)) {
      if (mentions(guard->condition, loop.variable)) return std::nullopt;
      Guard own = *guard;
      own.body.clear();
      innermost_of(pair.around).push_back({std::move(own)});
    }
    const auto* is_empty = object_wait(copies[0]);
    const auto* is_full = object_wait(use[0]);
    const auto* frees = std::get_if<Arrive>(&use.back().node);
    if (is_empty == nullptr || is_full == nullptr || frees == nullptr || !is_mere_arrival(*frees) ||
        !std::holds_alternative<ProxyFence>(use[use.size() - 2].node)) {
      return std::nullopt;
    }
    const BufferId full = is_full->object->buffer, empty = is_empty->object->buffer;
    if (frees->object->buffer != empty || full == empty) return std::nullopt;
    const Buffer &f = kernel_.buffers[full], &e = kernel_.buffers[empty];
    if (!f.elements.is(Op::Const) || !same(f.elements, e.elements)) return std::nullopt;
    const Launch& launch = kernel_.launch;
    const std::int64_t stages = f.piece(launch.ranks());
    if (stages < 2 || !e.arrivals) return std::nullopt;
    if (*e.arrivals * launch.ranks() != threads_of(compute)) return std::nullopt;
    // Of all iterations of all runs the first of this one, and this iteration.
    const Expr k = loop.variable, n = loop.extent;
    const auto after_runs = [&](Expr own) { return pair.runs.valid() ? pair.runs * n + own : own; };
    const Expr turn = after_runs(k), slot = turn % stages;
    Facts facts = pair.facts;
    facts.loop(k, n);
    Simplifier known(facts);
    const Expr first = rank_.valid() ? rank_ * stages : kernel_.pool->constant(0);
    const auto is_of_turn = [&](const BarrierObject& object) {
      return known.proves(eq(object.address, first + slot));
    };
    const bool takes_turns = is_of_turn(*is_empty->object) && is_of_turn(*is_full->object) &&
                             is_of_turn(*frees->object) &&
                             known.proves(eq(is_empty->phase, turn / stages - 1)) &&
                             known.proves(eq(is_full->phase, turn / stages));
    if (!takes_turns) return std::nullopt;
    copies.erase(copies.begin());
    const auto ready = ready_at(copies);
    if (ready) {
      const bool is_ready =
          f.arrivals == 1 && is_of_turn(*ready->wait->object) &&
          known.proves(eq(ready->wait->phase, turn / stages)) &&
          known.proves(eq(ready->arrive->object->address, ready->rank * stages + slot));
      if (!is_ready || !meets_in(*ready, f, full, empty)) return std::nullopt;
      copies.erase(copies.begin(), copies.begin() + 2);
    } else if (has_multicast(copies)) {
      return std::nullopt;
    }
    use.erase(use.begin());
    use.erase(use.end() - 2, use.end());
    if (!only_copies(kernel_, copies, full, has_fence) || !only_uses(use, compute))
      return std::nullopt;
    if (uses_of(kernel_.body, full) != uses_of(copies, full) + 1 ||
        uses_of(kernel_.body, empty) != 2) {
      return std::nullopt;
    }
    // Who uses what shares bytes with these meets nobody before the first copy.
    if (!accesses_.lies_alone(empty) || !accesses_.lies_alone(full)) return std::nullopt;
    pair.tiles = tiles_of(copies);
    for (BufferId tile : pair.tiles) {
      if (!accesses_.lies_alone(tile)) return std::nullopt;
      if (uses_of(kernel_.body, tile) != uses_of(copies, tile) + uses_of(use, tile))
        return std::nullopt;
      // There may be more slots than objects.
      std::int64_t slots = stages;
      while (!slots_.are(tile, turn, slots)) {
        if (++slots > 2 * stages) return std::nullopt;
      }
      if (!pair.runs.valid()) continue;
      // All that is done in one run of the ring of one role comes before the next.
      for (Body* own : {&copies, &use}) slots_.begin_at_0(*own, tile, k, slots, rank_, known);
    }
    pair.meets = meets_first || (!use.empty() && is_block_barrier(use[0]));
    pair.is_surely_run = Simplifier(pair.facts).proves(kernel_.pool->constant(1) <= n);
    Body by_one = pair.around;
    copies.insert(copies.begin(), pair.names.begin(), pair.names.end());
    innermost_of(by_one) = std::move(copies);
    const std::int64_t ahead = stages - 1;
    const Expr q = kernel_.pool->symbol(std::string(k.name()) + ".merged");
    const auto half = [&](Expr condition, Expr iteration, Body own) {
      own.insert(own.begin(), {Define{k, iteration}});
      return Statement{Guard{condition, std::move(own)}};
    };
    loops_.push_back(q);
    const Expr next = after_runs(q) + 1;
    Loop one{q, n + ahead, ParallelType::Serial, {}};
    one.body = {
        {Wait{.object = BarrierObject{full, first + next % stages}, .phase = next / stages - 1}},
        {ProxyFence{}},
        {ready ? Barrier{} : block_barrier(launch)},
        half(q < n, q, {{Region{pair.load.role, pair.load.members, std::move(by_one)}}}),
        half(kernel_.pool->constant(ahead) <= q, q - ahead, for_members(std::move(use), compute))};
    return Statement{std::move(one)};
  }

  // What stands inside of thread indices and guards, which `around` gets.
  static const Body& inside_threads(const Body& body, Body& around) {
    const bool is_one = body.size() == 1;
    const auto* loop = is_one ? std::get_if<Loop>(&body[0].node) : nullptr;
    const auto* guard = is_one ? std::get_if<Guard>(&body[0].node) : nullptr;
    if (loop != nullptr && is_thread(loop->parallel)) {
      around.push_back({Loop{loop->variable, loop->extent, loop->parallel, {}}});
    } else if (guard != nullptr && guard->otherwise.empty()) {
      Guard own = *guard;
      own.body.clear();
      around.push_back({std::move(own)});
    } else {
      return body;
    }
    return inside_threads(loop != nullptr ? loop->body : guard->body, *bodies(around[0])[0]);
  }
  static bool is_own_barrier(const Statement& s, const Region& region) {
    const auto* barrier = std::get_if<Barrier>(&s.node);
    return barrier != nullptr && barrier->scope == Barrier::Scope::Threads &&
           same_members(*barrier, {.scope = Barrier::Scope::Threads, .members = region.members});
  }
  static const Wait* object_wait(const Statement& s) {
    const auto* wait = std::get_if<Wait>(&s.node);
    return wait != nullptr && wait->object ? wait : nullptr;
  }

  // How those who copy in different ranks of a cluster wait for one another: each arrives at an
  // object of each, and waits at its own.
  struct Ready {
    Expr rank;
    const Arrive* arrive;
    const Wait* wait;
  };
  std::optional<Ready> ready_at(const Body& copies) const {
    if (copies.size() < 2) return std::nullopt;
    const auto* each = std::get_if<Loop>(&copies[0].node);
    if (each == nullptr || !kernel_.launch.is_cluster || is_index(each->parallel) ||
        each->begin.valid() || !each->extent.is_const(kernel_.launch.ranks()) ||
        each->body.size() != 1) {
      return std::nullopt;
    }
    const auto* arrive = std::get_if<Arrive>(&each->body[0].node);
    const auto* wait = object_wait(copies[1]);
    if (arrive == nullptr || !is_mere_arrival(*arrive) || wait == nullptr ||
        wait->object->buffer != arrive->object->buffer) {
      return std::nullopt;
    }
    return Ready{each->variable, arrive, wait};
  }
  // Whether nobody else uses these objects, of which there are as many as of `full`.
  bool meets_in(const Ready& ready, const Buffer& f, BufferId full, BufferId empty) const {
    const BufferId own = ready.wait->object->buffer;
    const Buffer& objects = kernel_.buffers[own];
    return own != full && own != empty && objects.arrivals == kernel_.launch.ranks() &&
           same(objects.elements, f.elements) && uses_of(kernel_.body, own) == 2 &&
           accesses_.lies_alone(own);
  }
  std::int64_t uses_of(const Body& body, BufferId b) const {
    std::int64_t n = 0;
    for_each_statement(body, [&](const Statement& s) {
      for_each_access(s, kernel_.values, [&](const StatementAccess& a) { n += a.buffer == b; });
    });
    return n;
  }

  const AccessMap& accesses_;
  Kernel& kernel_;
  TileSlots slots_;
  Expr rank_ = {};  // of a cluster
  std::vector<Expr> loops_;
  bool meets_ = true;
};

// Leaves of each ring what those do who use tiles.
void leave_uses(Body& body, const std::vector<Expr>& rings) {
  for_each_statement(body, [&](Statement& s) {
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || !contains(rings, loop->variable)) return;
    loop->body.erase(loop->body.begin(), loop->body.end() - 1);
  });
}

}  // namespace

std::optional<MergedRoles> with_roles_merged(const Kernel& kernel) {
  bool has_regions = false;
  for_each_statement(kernel.body, [&](const Statement& s) {
    has_regions = has_regions || std::holds_alternative<Region>(s.node);
  });
  if (!has_regions) return std::nullopt;
  const auto merged = std::make_shared<Kernel>(kernel);
  merged->forms = nullptr;
  const AccessMap accesses(kernel);
  RoleRings rings(accesses, *merged);
  if (!rings.merge(merged->body)) return std::nullopt;
  MergedRoles out{merged, nullptr, accesses.simplifiers()};
  if (!rings.meets()) {
    const auto uses = std::make_shared<Kernel>(*merged);
    leave_uses(uses->body, rings.loops());
    out.uses = uses;
  }
  return out;
}

std::shared_ptr<const Kernel> without_regions(const Kernel& kernel) {
  auto rest = std::make_shared<Kernel>(kernel);
  RoleRings::erase(rest->body);
  return rest;
}

}  // namespace selvage
