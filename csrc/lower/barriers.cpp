#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/effect.h>
#include <selvage/kernel/expressions.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_items.h>
#include <selvage/lower/barriers.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace selvage {

namespace {

using AccessId = std::size_t;

// An access made before another one. `loop`: the depth of the loop in an earlier iteration of which
// the access was made; kSame: both are in the same iteration of all loops around both.
// `is_one_before`: that earlier iteration is the one directly before.
struct Earlier {
  static constexpr int kSame = -1;
  AccessId access = 0;
  int loop = kSame;
  bool is_one_before = false;
  friend auto operator<=>(const Earlier&, const Earlier&) = default;
};

// Which barrier each pair of accesses needs between them, by whether the two are in the same
// iteration or in different ones. Barriers that the kernel has already are not considered. A pair
// is judged when it is asked about: where one barrier is needed anyway, most pairs never are.
class Needs {
 public:
  Needs(const AccessMap& map, const Orders& orders, KnownMeetings* known)
      : map_(map), orders_(orders), items_(map), judge_(map, known) {
    const auto& all = map.accesses();
    for (AccessId a = 0; a < all.size(); ++a) {
      for (AccessId b = a; b < all.size(); ++b) {
        if (!map.overlap(all[a].buffer, all[b].buffer)) continue;
        if (!conflict(effect_of(map, all[a]), effect_of(map, all[b]))) continue;
        const std::size_t loops = common_loops(map, a, b).size();
        // Both accesses in the same iteration of all loops around them.
        if (a != b) add({.first = a, .second = b, .equal = loops});
        // One access in an earlier iteration of a loop than the other.
        for (std::size_t k = 0; k < loops; ++k) {
          for (const auto& [first, second] : {std::pair(a, b), std::pair(b, a)}) {
            add({.first = first,
                 .second = second,
                 .equal = k,
                 .relation = Meeting::Relation::Later});
            if (a == b) break;
          }
        }
      }
    }
  }

  // Whether no accesses conflict, whatever their addresses are.
  bool empty() const { return pairs_.empty(); }
  Needed between(const Earlier& first, AccessId second) {
    Earlier any = first;
    any.is_one_before = false;
    const auto it = pairs_.find({any, second});
    if (it == pairs_.end()) return Needed::None;
    const Needed needed = answer(it->second);
    if (needed == Needed::None || !first.is_one_before) return needed;
    Meeting next = it->second.meeting;
    next.relation = Meeting::Relation::Next;
    return answer(pairs_.try_emplace({first, second}, Pair{next}).first->second);
  }

 private:
  struct Pair {
    Meeting meeting;
    std::optional<Needed> needed = {};  // absent: not asked yet
  };

  void add(const Meeting& m) {
    if (!is_to_be_ordered(m)) return;
    const bool is_same = m.relation == Meeting::Relation::Free;
    pairs_[{{m.first, is_same ? Earlier::kSame : int(m.equal)}, m.second}] = {m};
    if (is_same) pairs_[{{m.second}, m.first}] = {m};
  }
  Needed answer(Pair& pair) {
    if (!pair.needed) {
      const Meeting& m = pair.meeting;
      pair.needed =
          are_of_one_thread(m.first, m.second) ? Needed::None : judge_.ask(m, false).needed();
    }
    return *pair.needed;
  }

  // Of global memory, whose items lowering gives to threads.
  bool are_of_one_thread(AccessId a, AccessId b) {
    const KernelAccess &x = map_.accesses()[a], &y = map_.accesses()[b];
    return map_.kernel().buffers[x.buffer].memory == Memory::Global && !x.mentions_memory &&
           !y.mentions_memory && items_.are_of_one_thread(a, b);
  }
  bool is_to_be_ordered(const Meeting& m) const {
    if (!orders_) return true;
    if (m.relation == Meeting::Relation::Free) return orders_(map_, m.first, m.second, {});
    return orders_(map_, m.first, m.second, common_loops(map_, m.first, m.second)[m.equal]);
  }

  const AccessMap& map_;
  const Orders& orders_;
  ItemProofs items_;
  MeetingJudge judge_;
  std::map<std::pair<Earlier, AccessId>, Pair> pairs_;
};

// Accesses that a later one may conflict with: `block`, those since which no barrier of the block
// has come; `warp`, those since which no barrier at all has come.
struct Open {
  std::set<Earlier> block, warp;

  void add(const Open& more) {
    block.insert(more.block.begin(), more.block.end());
    warp.insert(more.warp.begin(), more.warp.end());
  }
};

// Some statements in order: `first` are the accesses that no barrier in them separates from what
// comes before, `last` those that no barrier in them separates from what comes after.
struct Way {
  Open first, last;
  bool has_block = false, has_any = false;

  void then(const Way& next) {
    if (!has_block) first.block.insert(next.first.block.begin(), next.first.block.end());
    if (!has_any) first.warp.insert(next.first.warp.begin(), next.first.warp.end());
    if (next.has_block) last.block.clear();
    if (next.has_any) last.warp.clear();
    last.add(next.last);
    has_block = has_block || next.has_block;
    has_any = has_any || next.has_any;
  }
};

Way barrier_way(Needed scope) { return {{}, {}, scope == Needed::Block, true}; }

class Placer {
 public:
  Placer(const AccessMap& map, Needs& needs, const Within& within)
      : map_(map), needs_(needs), within_(within) {
    for (const StatementPlace& place : map.places()) {
      if (place.is_serial_loop()) loops_[place.statement] = &place;
    }
    const auto& all = map.accesses();
    for (AccessId a = 0; a < all.size(); ++a) {
      of_[map.places()[all[a].place].statement].push_back(a);
    }
  }

  void run(Body& body) {
    place(body, {}, 0);
    put(body);
  }

 private:
  Needed needed(const Open& before, const Open& next) {
    Needed most = Needed::None;
    for (const Earlier& b : next.block) {
      for (const Earlier& a : before.block) {
        if (needs_.between(a, b.access) == Needed::Block) return Needed::Block;
      }
    }
    for (const Earlier& b : next.warp) {
      for (const Earlier& a : before.warp) most = std::max(most, needs_.between(a, b.access));
    }
    return most;
  }

  // Chooses the places of barriers in a body, when the accesses `before` are open at its start.
  Way place(Body& body, const Open& before, int depth) {
    Way way;
    Open open = before;
    for (Statement& s : body) {
      at_.erase(&s);
      Way own = pass(s, depth);
      const Needed scope = needed(open, own.first);
      if (scope != Needed::None) {
        const auto& own_barrier = scope == Needed::Part && guard_.warp ? guard_.warp : guard_.block;
        if (own_barrier) {
          const Needed joined = joined_by(*own_barrier);
          at_[&s] = *own_barrier;
          way.then(barrier_way(joined));
          if (joined == Needed::Block) open.block.clear();
          open.warp.clear();
        }
      }
      way.then(own);
      if (own.has_block) open.block.clear();
      if (own.has_any) open.warp.clear();
      open.add(own.last);
    }
    return way;
  }

  Way pass(Statement& s, int depth) {
    if (auto* loop = std::get_if<Loop>(&s.node)) return pass_loop(s, *loop, depth);
    if (auto* guard = std::get_if<Guard>(&s.node)) return pass(s, *guard, depth);
    if (const auto* barrier = std::get_if<Barrier>(&s.node)) {
      const Needed joined = joined_by(*barrier);
      return joined == Needed::None ? Way{} : barrier_way(joined);
    }
    if (auto* last = std::get_if<LastBlock>(&s.node)) {
      Way way = barrier_way(Needed::Block);
      way.then(place(last->body, {}, depth));
      return way;
    }
    // The author of a region or a while loop orders the accesses in it, and waits for the copies
    // begun there, which a barrier alone would not wait for.
    return accesses_of(s);
  }
  Way accesses_of(const Statement& s) const {
    Way way;
    collect(s, way.first.block);
    way.first.warp = way.last.block = way.last.warp = way.first.block;
    return way;
  }

  Way pass_loop(const Statement& s, Loop& loop, int depth) {
    // The barriers inside a loop do not depend on the code around it: placing them once is enough.
    const auto known = passed_.find(&s);
    if (known != passed_.end()) return known->second;
    Way way = pass(loop, depth);
    // A loop without an iteration reaches none of the barriers in it.
    if (way.has_any && may_be_empty(s)) way.has_block = way.has_any = false;
    return passed_[&s] = way;
  }
  bool may_be_empty(const Statement& loop) const {
    const auto it = loops_.find(&loop);
    if (it == loops_.end()) return false;
    const StatementPlace& place = *it->second;
    return !is_proved(map_.at(place.scope).prove(place.begin < place.extent));
  }

  // Which of the threads that run this code the barrier joins: all of them (Block), those of each
  // warp (Warp), or neither (None).
  Needed joined_by(const Barrier& barrier) const {
    const auto is = [&](const std::optional<Barrier>& own) {
      return own && own->scope == barrier.scope && own->lanes == barrier.lanes &&
             own->members == barrier.members;
    };
    if (barrier.scope == Barrier::Scope::Block || is(guard_.block)) return Needed::Block;
    return !barrier.is_partial() || is(guard_.warp) ? Needed::Part : Needed::None;
  }

  // Only some threads may pass a guard; a barrier inside does not order accesses of the others.
  Way pass(const Statement& s, Guard& guard, int depth) {
    Way way = accesses_of(s);
    const auto [known, is_new] = own_.try_emplace(&s);
    if (is_new && within_) known->second = within_(s);
    const GuardBarriers own = known->second;
    if (!own.block && !own.warp) return way;
    const GuardBarriers around = std::exchange(guard_, own);
    const Way inside = place(guard.body, {}, depth);
    guard_ = around;
    if (!guard.otherwise.empty()) return way;
    const bool is_of_block = own.block && own.block->scope == Barrier::Scope::Block;
    if (is_of_block) {
      way.first.block = inside.first.block;
      way.last.block = inside.last.block;
    }
    if (is_of_block || (own.warp && !own.warp->is_partial())) {
      way.first.warp = inside.first.warp;
      way.last.warp = inside.last.warp;
    }
    return way;
  }

  Way pass(Loop& loop, int depth) {
    // A loop over a block or thread index does not iterate: its body belongs to the code around it.
    if (!iterates(loop)) return place(loop.body, {}, depth);
    // Place barriers for one iteration; then again with what the iteration before leaves open.
    Way own = place(loop.body, {}, depth + 1);
    if (has_leave(loop.body)) return pass_left(loop, own, depth);
    const Open left = from_iteration_before(own, depth);
    if (needed(left, own.first) != Needed::None) own = place(loop.body, left, depth + 1);
    return own;
  }

  // For a loop with a Leave in it, of this loop or of one inside or around it: after the Leave any
  // access of the body may be open, with no barrier since.
  Way pass_left(Loop& loop, const Way& once, int depth) {
    Way own;
    for (const Statement& s : loop.body) collect(s, own.last.block);
    own.last.warp = own.last.block;
    own.first = once.first;
    const Open left = from_iteration_before(own, depth);
    if (needed(left, own.first) != Needed::None)
      own.first = place(loop.body, left, depth + 1).first;
    return own;
  }
  static bool has_leave(const Body& body) {
    bool has = false;
    for_each_statement(
        body, [&](const Statement& s) { has = has || std::holds_alternative<Leave>(s.node); });
    return has;
  }

  // Where each iteration has a barrier, that barrier lies between iterations more than one apart;
  // then only the iteration directly before counts.
  static Open from_iteration_before(const Way& own, int depth) {
    Open open;
    for (const Earlier& e : own.last.block) open.block.insert({e.access, depth, own.has_block});
    for (const Earlier& e : own.last.warp) open.warp.insert({e.access, depth, own.has_any});
    return open;
  }

  void collect(const Statement& s, std::set<Earlier>& out) const {
    if (const auto it = of_.find(&s); it != of_.end()) {
      for (AccessId a : it->second) out.insert({.access = a});
    }
    for (const Body* body : bodies(s)) {
      for (const Statement& inner : *body) collect(inner, out);
    }
  }

  void put(Body& body) const {
    Body all;
    for (Statement& s : body) {
      const auto it = at_.find(&s);
      for (Body* inner : bodies(s)) put(*inner);
      if (it != at_.end()) all.push_back({it->second});
      all.push_back(std::move(s));
    }
    body = std::move(all);
  }

  const AccessMap& map_;
  Needs& needs_;
  const Within& within_;
  // The barriers of the innermost guard around that has any; outside all guards, the kernel's.
  GuardBarriers guard_{Barrier{}, part_barrier(map_.kernel().launch)};
  std::unordered_map<const Statement*, std::vector<AccessId>> of_;
  std::unordered_map<const Statement*, Barrier> at_;         // the barrier before a statement
  std::unordered_map<const Statement*, Way> passed_;         // loops
  std::unordered_map<const Statement*, GuardBarriers> own_;  // of guards
  std::unordered_map<const Statement*, const StatementPlace*> loops_;  // that iterate
};

// Whether threads may conflict in some memory: there is shared memory, or global memory is both
// written and read. Global memory that is only written is written once per element.
bool has_meeting_place(const Kernel& kernel) {
  const ValueGraph& values = kernel.values;
  std::set<BufferId> read;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ValueNode& node = values[ValueId(i)];
    if (node.kind == ValueNode::Kind::Read) read.insert(node.source);
  }
  for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
    const Buffer& buffer = kernel.buffers[b];
    if (buffer.memory == Memory::Shared) return true;
    if (buffer.memory == Memory::Global && buffer.is_written && read.contains(b)) return true;
    if (buffer.replaces && read.contains(*buffer.replaces)) return true;
  }
  return false;
}

}  // namespace

std::size_t barriers_in(const Body& body) {
  std::size_t n = 0;
  for_each_statement(body,
                     [&](const Statement& s) { n += std::holds_alternative<Barrier>(s.node); });
  return n;
}

void add_barriers(Kernel& kernel, const Orders& orders, const Within& within,
                  KnownMeetings* known) {
  if (!orders && !has_meeting_place(kernel)) return;
  const AccessMap map(kernel, AccessMap::Of::SeenByOthers);
  Needs needs(map, orders, known);
  if (!needs.empty()) Placer(map, needs, within).run(kernel.body);
}

}  // namespace selvage
