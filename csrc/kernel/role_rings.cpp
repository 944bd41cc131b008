#include <selvage/expr/symbols.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/role_rings.h>
#include <selvage/kernel/statements.h>
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
bool are_apart(const Region& a, const Region& b) {
  for (std::size_t w = 0; w < std::min(a.members.size(), b.members.size()); ++w) {
    if ((a.members[w] & b.members[w]) != 0) return false;
  }
  return true;
}
bool is_block_barrier(const Statement& s) {
  const auto* barrier = std::get_if<Barrier>(&s.node);
  return barrier != nullptr && barrier->scope == Barrier::Scope::Block;
}

class RoleRings {
 public:
  explicit RoleRings(Kernel& kernel) : kernel_(kernel) {}

  // Whether every region is of such a ring; these are one loop each then.
  bool merge(Body& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (std::holds_alternative<Region>(body[i].node)) {
        if (i + 1 == body.size() || !merge_at(body, i)) return false;
        ++merged_;
        continue;
      }
      for (Body* inner : bodies(body[i])) {
        if (!merge(*inner)) return false;
      }
    }
    return true;
  }
  int merged() const { return merged_; }

  static void erase(Body& body) {
    std::erase_if(body, [](const Statement& s) { return std::holds_alternative<Region>(s.node); });
    for (Statement& s : body) {
      for (Body* inner : bodies(s)) erase(*inner);
    }
  }

 private:
  bool merge_at(Body& body, std::size_t at) {
    const auto* load = std::get_if<Region>(&body[at].node);
    const auto* compute = std::get_if<Region>(&body[at + 1].node);
    if (compute == nullptr || !are_apart(*load, *compute)) return false;
    Body around;  // of the loop of those who copy: thread indices and guards
    const Loop *loop = loop_of(load->body, &around), *uses = loop_of(compute->body, nullptr);
    if (loop == nullptr || uses == nullptr || !same(loop->variable, uses->variable)) return false;
    // Who waits for a slot arrives there: no other phase ends before.
    const auto* copied = std::get_if<Arrive>(&loop->body.back().node);
    if (copied == nullptr) return false;
    // A fence in front of copies or behind them orders more, but for elements that are stored.
    const bool has_fence = std::holds_alternative<ProxyFence>(loop->body[1].node);
    Body copies = loop->body;
    std::erase_if(copies,
                  [](const Statement& s) { return std::holds_alternative<ProxyFence>(s.node); });
    // A barrier of the region in front of the wait, or behind the fence.
    Body use = uses->body;
    const bool meets_first = is_own_barrier(use[0], *compute);
    if (meets_first) use.erase(use.begin());
    if (use.size() > 2 && is_own_barrier(use[use.size() - 2], *compute)) {
      use.erase(use.end() - 2);
    }
    if (use.size() < 3 || copies.size() < 2) return false;
    const auto* is_empty = object_wait(copies[0]);
    const auto* is_full = object_wait(use[0]);
    const auto* frees = std::get_if<Arrive>(&use.back().node);
    if (is_empty == nullptr || is_full == nullptr || frees == nullptr || !frees->object ||
        frees->bytes.valid() || frees->of_copies ||
        !std::holds_alternative<ProxyFence>(use[use.size() - 2].node)) {
      return false;
    }
    const BufferId full = is_full->object->buffer, empty = is_empty->object->buffer;
    if (frees->object->buffer != empty || full == empty) return false;
    const Buffer &f = kernel_.buffers[full], &e = kernel_.buffers[empty];
    if (!f.elements.is(Op::Const) || !same(f.elements, e.elements)) return false;
    const std::int64_t stages = f.elements.value();
    if (stages < 2 || e.arrivals != threads_of(*compute)) return false;
    Facts facts = kernel_.facts;
    facts.loop(loop->variable, loop->extent);
    Simplifier known(facts);
    const Expr k = loop->variable, slot = k % stages;
    const bool takes_turns = known.proves(eq(loop->extent, uses->extent)) &&
                             known.proves(eq(is_empty->object->address, slot)) &&
                             known.proves(eq(is_empty->phase, k / stages - 1)) &&
                             known.proves(eq(is_full->object->address, slot)) &&
                             known.proves(eq(is_full->phase, k / stages)) &&
                             known.proves(eq(frees->object->address, slot));
    if (!takes_turns) return false;
    copies.erase(copies.begin());
    use.erase(use.begin());
    use.erase(use.end() - 2, use.end());
    if (!only_copies(copies, full, has_fence) || !only_uses(use, *compute)) return false;
    if (uses_of(kernel_.body, full) != uses_of(copies, full) + 1 ||
        uses_of(kernel_.body, empty) != 2) {
      return false;
    }
    if (!lies_alone(empty) || !lies_alone(full)) return false;
    const std::set<BufferId> tiles = tiles_of(copies);
    for (BufferId tile : tiles) {
      if (!lies_alone(tile)) return false;
      if (uses_of(kernel_.body, tile) != uses_of(copies, tile) + uses_of(use, tile)) return false;
    }
    if (accesses_more(kernel_, use, tiles)) {
      const bool is_between = at > 0 && is_block_barrier(body[at - 1]) && at + 2 < body.size() &&
                              is_block_barrier(body[at + 2]);
      const bool meets = meets_first || (!use.empty() && is_block_barrier(use[0]));
      if (!is_between || !meets) return false;
    }
    Body* innermost = &around;
    while (!innermost->empty()) innermost = bodies((*innermost)[0])[0];
    *innermost = std::move(copies);
    auto of_members = for_members(std::move(use), *compute);
    if (!of_members) return false;
    const Expr n = loop->extent;
    const std::int64_t ahead = stages - 1;
    const Expr q = kernel_.pool->symbol(std::string(k.name()) + ".merged");
    const auto half = [&](Expr condition, Expr iteration, Body own) {
      own.insert(own.begin(), {Define{k, iteration}});
      return Statement{Guard{condition, std::move(own)}};
    };
    Loop one{q, n + ahead, ParallelType::Serial, {}};
    one.body = {
        {Wait{.object = BarrierObject{full, (q + 1) % stages}, .phase = (q + 1) / stages - 1}},
        {ProxyFence{}},
        {Barrier{}},
        half(q < n, q, {{Region{load->role, load->members, std::move(around)}}}),
        half(kernel_.pool->constant(ahead) <= q, q - ahead, *std::move(of_members))};
    body[at] = {std::move(one)};
    body.erase(body.begin() + std::ptrdiff_t(at) + 1);
    return true;
  }

  // The serial loop that a body is; `around`: what may stand around it, without it.
  static const Loop* loop_of(const Body& body, Body* around) {
    if (body.size() != 1) return nullptr;
    const auto* loop = std::get_if<Loop>(&body[0].node);
    const auto* guard = std::get_if<Guard>(&body[0].node);
    const bool is_index = loop != nullptr && is_thread(loop->parallel);
    if (around != nullptr && (is_index || (guard != nullptr && guard->otherwise.empty()))) {
      const Body& inner = is_index ? loop->body : guard->body;
      if (is_index) {
        around->push_back({Loop{loop->variable, loop->extent, loop->parallel, {}}});
      } else {
        Guard own = *guard;
        own.body.clear();
        around->push_back({std::move(own)});
      }
      return loop_of(inner, bodies((*around)[0])[0]);
    }
    const bool is_serial = loop != nullptr && loop->parallel == ParallelType::Serial &&
                           !loop->begin.valid() && loop->body.size() >= 2;
    return is_serial ? loop : nullptr;
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

  // Whether statements do no more than to begin copies for objects, of what the kernel does not
  // store, and to arrive there; or, if a fence stands before the next copies, to store elements of
  // tiles themselves.
  bool only_copies(const Body& body, BufferId full, bool has_fence) const {
    bool are_copies = true;
    for_each_statement(body, [&](const Statement& s) {
      const auto* copy = std::get_if<AsyncCopy>(&s.node);
      const auto* arrive = std::get_if<Arrive>(&s.node);
      const bool is_copy = copy != nullptr && copy->object && copy->object->buffer == full &&
                           kernel_.buffers[copy->copy.to].memory == Memory::Shared &&
                           !is_stored(copy->copy.from);
      const bool is_arrival = arrive != nullptr && arrive->object && !arrive->of_copies &&
                              arrive->object->buffer == full;
      const auto* define = std::get_if<Define>(&s.node);
      const bool is_around = std::holds_alternative<Loop>(s.node) ||
                             std::holds_alternative<Guard>(s.node) ||
                             (define != nullptr && !reads_stores(s));
      const auto* store = std::get_if<Store>(&s.node);
      const bool is_store = has_fence && store != nullptr && !store->atomic &&
                            kernel_.buffers[store->buffer].memory == Memory::Shared &&
                            !reads_stores(s);
      are_copies = are_copies && (is_copy || is_arrival || is_around || is_store);
    });
    return are_copies;
  }
  // Whether a value is made of what the kernel stores or keeps.
  bool reads_stores(const Statement& s) const {
    bool reads = false;
    for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
      const bool is_global = kernel_.buffers[a.buffer].memory == Memory::Global;
      reads = reads || (!writes(a.kind) && (!is_global || is_stored(a.buffer)));
    });
    return reads;
  }
  bool is_stored(BufferId from) const {
    const auto& all = kernel_.buffers;
    return all[from].is_written ||
           std::ranges::any_of(all, [&](const Buffer& b) { return b.replaces == from; });
  }

  // Whether statements wait for one another by barriers of the region or of warps alone; barriers
  // of the region become such of the block.
  static bool only_uses(Body& body, const Region& region) {
    bool are_uses = true;
    const Barrier own{.scope = Barrier::Scope::Threads, .members = region.members};
    for_each_statement(body, [&](Statement& s) {
      if (auto* barrier = std::get_if<Barrier>(&s.node)) {
        const bool is_own =
            barrier->scope == Barrier::Scope::Threads && same_members(*barrier, own);
        const bool is_of_warp = barrier->scope == Barrier::Scope::Warp && !barrier->is_partial();
        are_uses = are_uses && (is_own || is_of_warp);
        if (is_own) *barrier = Barrier{};
        return;
      }
      const bool is_event =
          std::holds_alternative<AsyncCopy>(s.node) || std::holds_alternative<Arrive>(s.node) ||
          std::holds_alternative<Wait>(s.node) || std::holds_alternative<ProxyFence>(s.node) ||
          std::holds_alternative<Region>(s.node) || std::holds_alternative<LastBlock>(s.node) ||
          std::holds_alternative<Leave>(s.node) || std::holds_alternative<While>(s.node);
      are_uses = are_uses && !is_event;
    });
    return are_uses;
  }

  static bool meets_inside(const Statement& s) {
    bool meets = false;
    for (const Body* inner : bodies(s)) {
      for_each_statement(*inner,
                         [&](const Statement& own) { meets = meets || is_block_barrier(own); });
    }
    return meets;
  }
  // A loop over a thread index as several, between which its barriers stand.
  static std::optional<Body> without_barriers_inside(Body body) {
    Body out;
    for (Statement& s : body) {
      if (!meets_inside(s)) {
        out.push_back(std::move(s));
        continue;
      }
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop == nullptr || !is_thread(loop->parallel)) return std::nullopt;
      auto inner = without_barriers_inside(std::move(loop->body));
      if (!inner) return std::nullopt;
      Body names, part;  // names stay known
      const auto close = [&] {
        out.push_back({Loop{loop->variable, loop->extent, loop->parallel, std::move(part)}});
        part = names;
      };
      for (Statement& own : *inner) {
        if (is_block_barrier(own)) {
          close();
          out.push_back(std::move(own));
          continue;
        }
        if (std::holds_alternative<Define>(own.node)) names.push_back(own);
        part.push_back(std::move(own));
      }
      close();
    }
    return out;
  }
  // The same for the members of a region alone, who meet the others at barriers of the block;
  // nothing where these stand inside of other loops and guards.
  static std::optional<Body> for_members(Body use, const Region& region) {
    auto parts = without_barriers_inside(std::move(use));
    if (!parts) return std::nullopt;
    Body out;
    for (Statement& s : *parts) {
      if (is_block_barrier(s) || std::holds_alternative<Define>(s.node)) {
        out.push_back(std::move(s));
        continue;
      }
      if (out.empty() || !std::holds_alternative<Region>(out.back().node)) {
        out.push_back({Region{region.role, region.members, {}}});
      }
      std::get<Region>(out.back().node).body.push_back(std::move(s));
    }
    return out;
  }

  // Whether no other buffer has bytes of this one: who uses that meets nobody before the first
  // copy.
  bool lies_alone(BufferId b) const {
    const auto end_of = [](const Buffer& own) {
      return *own.offset + own.elements.value() * size_of(own.type);
    };
    const Buffer& own = kernel_.buffers[b];
    for (BufferId other = 0; other < kernel_.buffers.size(); ++other) {
      const Buffer& o = kernel_.buffers[other];
      if (other == b || o.memory != Memory::Shared || !o.offset || !own.offset) continue;
      if (*o.offset < end_of(own) && *own.offset < end_of(o)) return false;
    }
    return true;
  }
  std::int64_t uses_of(const Body& body, BufferId b) const {
    std::int64_t n = 0;
    for_each_statement(body, [&](const Statement& s) {
      for_each_access(s, kernel_.values, [&](const StatementAccess& a) { n += a.buffer == b; });
    });
    return n;
  }

  Kernel& kernel_;
  int merged_ = 0;
};

}  // namespace

std::set<BufferId> tiles_of(const Body& copies) {
  std::set<BufferId> tiles;
  for_each_statement(copies, [&](const Statement& s) {
    if (const auto* copy = std::get_if<AsyncCopy>(&s.node)) tiles.insert(copy->copy.to);
    if (const auto* store = std::get_if<Store>(&s.node)) tiles.insert(store->buffer);
  });
  return tiles;
}

bool accesses_more(const Kernel& kernel, const Body& use, const std::set<BufferId>& tiles) {
  bool does = false;
  for_each_statement(use, [&](const Statement& s) {
    for_each_access(s, kernel.values, [&](const StatementAccess& a) {
      if (kernel.buffers[a.buffer].memory != Memory::Shared) return;
      does = does || writes(a.kind) || !tiles.contains(a.buffer);
    });
  });
  return does;
}

std::shared_ptr<const Kernel> with_roles_merged(const Kernel& kernel) {
  auto merged = std::make_shared<Kernel>(kernel);
  merged->forms = nullptr;
  RoleRings rings(*merged);
  return rings.merge(merged->body) && rings.merged() > 0 ? merged : nullptr;
}

std::shared_ptr<const Kernel> without_regions(const Kernel& kernel) {
  auto rest = std::make_shared<Kernel>(kernel);
  RoleRings::erase(rest->body);
  return rest;
}

}  // namespace selvage
