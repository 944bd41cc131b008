#include <selvage/kernel/effect.h>
#include <selvage/kernel/verify_copies.h>
#include <selvage/kernel/verify_parts.h>

#include <fmt/format.h>

namespace selvage {

namespace {

class Races {
 public:
  Races(const AccessMap& map, ItemProofs& items)
      : map_(map), items_(items), order_(map), copies_(map, order_), judge_(map) {}

  HazardFindings list(const std::function<bool(BufferId)>& of) {
    std::vector<std::size_t> shared, global;
    const auto& all = map_.accesses();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Memory memory = map_.kernel().buffers[all[i].buffer].memory;
      if (!map_.is_written(all[i].buffer) && memory == Memory::Global) continue;
      if (of && !of(all[i].buffer)) continue;
      if (memory == Memory::Shared) shared.push_back(i);
      if (memory == Memory::Global) global.push_back(i);
    }
    for_pairs(shared, [&](std::size_t a, std::size_t b) { in_block(a, b); });
    for_pairs(global, [&](std::size_t a, std::size_t b) {
      in_block(a, b);
      const bool is_one_block = map_.blocks()[0].is(Op::Const) && map_.blocks()[1].is(Op::Const) &&
                                map_.blocks()[2].is(Op::Const);
      if (is_one_block || is_of_last_block(a, b)) return;
      Meeting m{.first = a, .second = b};
      m.where = Meeting::Where::Grid;
      const Ordering o = ask(m);
      settle(m, o.across, o.across_at);
    });
    return std::move(out_);
  }

 private:
  // Whether memory says where one of two accesses is made: then each may be any other's.
  bool is_anywhere(std::size_t a, std::size_t b) const {
    return map_.accesses()[a].mentions_memory || map_.accesses()[b].mentions_memory;
  }
  // Whether one of two accesses is made by the last block alone. All blocks have made the other one
  // before, or it is of that block as well.
  bool is_of_last_block(std::size_t a, std::size_t b) {
    if (!map_.last_block(a) && !map_.last_block(b)) return false;
    add_rule("the last block", out_.proved);
    return true;
  }
  std::int64_t part() const { return map_.kernel().launch.part_threads(); }
  // Whether a block has at most so many threads.
  bool is_block_within(std::int64_t threads) const {
    const auto block = map_.block_extents();
    return block && (*block)[0] * (*block)[1] * (*block)[2] <= threads;
  }
  // Whether two accesses to the memory of a block are never made with no barrier between, whoever
  // makes them.
  bool is_ordered_by_barriers(std::size_t a, std::size_t b) {
    const KernelAccess &x = map_.accesses()[a], &y = map_.accesses()[b];
    using Among = BarrierOrder::Among;
    if (x.is_async || y.is_async || map_.kernel().buffers[x.buffer].memory != Memory::Shared)
      return false;
    return order_.are_kept_apart(x.place, y.place, Among::Block) ||
           (is_block_within(part()) && order_.are_kept_apart(x.place, y.place, Among::Part)) ||
           is_block_within(1);
  }
  // Whether no item of global memory that a copy stores, at one or both of the accesses, is stored
  // at the other, or again, before the copy has ended.
  bool is_stored_once(std::size_t a, std::size_t b) {
    const BufferId of_a = map_.accesses()[a].buffer, of_b = map_.accesses()[b].buffer;
    if (of_a != of_b || map_.kernel().buffers[of_a].memory != Memory::Global) return false;
    if (!items_.are_of_one_thread(a, b) || !items_.are_items_apart(a, b)) return false;
    return a == b ? copies_.stores_each_once(a) : copies_.store_items_apart(a, b);
  }
  Ordering ask(const Meeting& m) {
    if (!is_anywhere(m.first, m.second)) return judge_.ask(m);
    const Verdict unknown = Unknown{map_.pool().truth(false)};
    const bool is_one_part = m.where == Meeting::Where::Block && is_block_within(part());
    return {.across = is_one_part ? Verdict(Proved{{"a block of one warp"}}) : unknown,
            .across_at = {},
            .within = unknown,
            .within_at = {}};
  }

  template <class F>
  void for_pairs(const std::vector<std::size_t>& list, F f) {
    const auto& all = map_.accesses();
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = i; j < list.size(); ++j) {
        const KernelAccess &x = all[list[i]], &y = all[list[j]];
        if (!map_.overlap(x.buffer, y.buffer)) continue;
        if (!conflict(effect_of(map_, x), effect_of(map_, y))) continue;
        // Whatever memory says: an item tells the thread that accesses it.
        if (map_.kernel().buffers[x.buffer].memory == Memory::Global && !x.is_async &&
            !y.is_async && items_.are_of_one_thread(list[i], list[j])) {
          const bool by_contract = x.of_row || y.of_row;
          add_rule(by_contract ? "one item of a row, one thread, as offsets rise"
                               : "one item, one thread",
                   out_.proved);
          continue;
        }
        if ((x.is_async || y.is_async) && is_stored_once(list[i], list[j])) {
          add_rule("one item, one thread, one store", out_.proved);
          continue;
        }
        // Only a run finds out which threads get to a place that memory decides. An address that
        // memory says is where the text stands.
        const bool is_anytime = map_.has_own_pace() && is_anywhere(list[i], list[j]);
        if (is_anytime && is_ordered_by_barriers(list[i], list[j])) continue;
        if ((x.is_async || y.is_async) && !is_anytime && of_copies(list[i], list[j])) continue;
        if (x.is_async || y.is_async || is_anytime) {
          const Meeting any{.first = list[i], .second = list[j], .is_exact = false};
          settle(any, Unknown{map_.pool().truth(false)}, {});
          continue;
        }
        f(list[i], list[j]);
      }
    }
  }

  // Threads of two parts are kept apart by the block's barriers alone, those of one by both. Those
  // of two ranks, each in its own piece, do not meet.
  void in_block(std::size_t a, std::size_t b) {
    using Among = BarrierOrder::Among;
    if (copies_.are_of_one_rank(a, b)) {
      for (const Meeting& m : order_.meetings(a, b, Among::Part)) {
        const Ordering o = ask(m);
        settle(m, o.within, o.within_at);
      }
      return;
    }
    for (const Meeting& m : order_.meetings(a, b, Among::Block)) {
      const Ordering o = ask(m);
      settle(m, o.across, o.across_at);
      if (!order_.has_part_barrier()) settle(m, o.within, o.within_at);
    }
    if (!order_.has_part_barrier()) return;
    for (const Meeting& m : order_.meetings(a, b, Among::Part)) {
      const Ordering o = ask(m);
      settle(m, o.within, o.within_at);
    }
  }

  // False: it is not known when a copy ends.
  bool of_copies(std::size_t a, std::size_t b) {
    if (map_.kernel().buffers[map_.accesses()[a].buffer].memory != Memory::Shared) return false;
    using Among = BarrierOrder::Among;
    const bool is_of_rank = copies_.are_of_one_rank(a, b);
    const auto any = copies_.meetings(a, b, is_of_rank ? Among::Part : Among::Block);
    const auto of_part = order_.has_part_barrier() ? copies_.meetings(a, b, Among::Part) : any;
    if (!any || !of_part) return false;
    add_rule("copies end at the wait for them", out_.proved);
    for (const Meeting& m : *any) {
      const Ordering o = ask(m);
      settle(m, o.across, o.across_at);
    }
    for (const Meeting& m : *of_part) {
      const Ordering o = ask(m);
      settle(m, o.within, o.within_at);
    }
    return true;
  }

  void settle(const Meeting& m, const Verdict& verdict, const std::optional<Encounter>& at) {
    if (is_proved(verdict)) return add_rules(verdict, out_.proved);
    const KernelAccess &x = map_.accesses()[m.first], &y = map_.accesses()[m.second];
    KernelFinding f{.hazard = Hazard::Race,
                    .verdict = verdict,
                    .statement = map_.places()[y.place].statement,
                    .buffer = y.buffer,
                    .sizes = {},
                    .first = {},
                    .second = {},
                    .text = {}};
    const std::string& name = map_.kernel().buffers[y.buffer].name;
    // The order that barrier objects make is not known here, so nothing is refuted.
    if (at && m.is_exact && !map_.has_barrier_objects()) {
      f.address = at->address;
      f.sizes = at->sizes;
      f.first = at->first;
      f.second = at->second;
      f.text = fmt::format(
          "{}[{}] {} by one thread and {} by another{}: {}; and {}", name, at->address, done(x),
          done(y),
          m.where == Meeting::Where::Grid ? " of another block" : " with no barrier between",
          to_text(at->first), to_text(at->second));
      if (!at->sizes.empty()) f.text += "; " + to_text(at->sizes);
    } else {
      if (is_refuted(verdict)) f.verdict = Unknown{map_.pool().truth(false)};
      f.text = open_text(m);
    }
    out_.open.push_back(std::move(f));
  }
  std::string open_text(const Meeting& m) const {
    const KernelAccess &x = map_.accesses()[m.first], &y = map_.accesses()[m.second];
    const auto name = [&](const KernelAccess& a) { return map_.kernel().buffers[a.buffer].name; };
    if (x.is_async || y.is_async) {
      const KernelAccess &copy = x.is_async ? x : y, &other = x.is_async ? y : x;
      return fmt::format("it is not proved that a copy {} {} has ended where {} {}", doing(copy),
                         name(copy), name(other), done(other));
    }
    return fmt::format(
        "it is not proved that no two threads {}, one {} {}, the other {} {}",
        m.where == Meeting::Where::Grid ? "of two blocks meet" : "meet with no barrier between",
        doing(x), name(x), doing(y), name(y));
  }
  static const char* done(const KernelAccess& a) {
    return a.kind == KernelAccess::Kind::Read ? "is read" : "is written";
  }
  static const char* doing(const KernelAccess& a) {
    return a.kind == KernelAccess::Kind::Read ? "reading" : "writing";
  }

  const AccessMap& map_;
  ItemProofs& items_;
  BarrierOrder order_;
  CopyOrder copies_;
  MeetingJudge judge_;
  HazardFindings out_;
};

}  // namespace

HazardFindings race_findings(const AccessMap& map, ItemProofs& items,
                             const std::function<bool(BufferId)>& of) {
  return Races(map, items).list(of);
}

}  // namespace selvage
