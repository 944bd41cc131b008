// Reads of memory that a kernel replaces: no element is read behind its store.
//
// Two accesses of one element by different threads have a barrier between (Race), so they come in
// the order of the text, as two accesses of one thread do: unless they are in different iterations
// of a loop around both. So a read of an element comes before its store if
//   1. the read stands before the store in the text, or is part of the store itself;
//   2. equal elements imply equal iterations of all loops around both.
// Branches of one guard exclude one another in each iteration for each thread: there
//   1'. equal elements imply equal threads
// takes the place of 1.
#include <selvage/expr/substitute.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/verify_agreement.h>
#include <selvage/kernel/verify_order.h>
#include <selvage/kernel/verify_parts.h>

#include <algorithm>

namespace selvage {

namespace {

class Replacements {
 public:
  Replacements(const AccessMap& map, ItemProofs& items) : map_(map), items_(items) {}

  HazardFindings list() {
    const auto& all = map_.accesses();
    for (std::size_t r = 0; r < all.size(); ++r) {
      const std::optional<BufferId> other = map_.replacement(all[r].buffer);
      if (!other) continue;
      for (std::size_t w = 0; w < all.size(); ++w) {
        if (all[w].buffer != *other || all[w].kind == AccessKind::Read) continue;
        if (is_read_first(r, w)) {
          add_rule("read before it is replaced", out_.proved);
        } else {
          note(r, w);
        }
      }
    }
    return std::move(out_);
  }

 private:
  void note(std::size_t r, std::size_t w) {
    const KernelAccess &read = map_.accesses()[r], &write = map_.accesses()[w];
    const auto element = [&](std::size_t access) {
      const KernelAccess& a = map_.accesses()[access];
      return map_.kernel().buffers[a.buffer].name + "[" + to_string(map_.address(access)) + "]";
    };
    out_.open.push_back({.hazard = Hazard::Lifetime,
                         .verdict = Unknown{read.address},
                         .statement = map_.places()[read.place].statement,
                         .buffer = read.buffer,
                         .sizes = {},
                         .first = {},
                         .second = {},
                         .text = "it is not proved that " + element(r) + " is read before " +
                                 element(w) + " is stored there" +
                                 (write.width > 1 ? " as part of a vector" : "")});
  }

  bool is_read_first(std::size_t r, std::size_t w) {
    const KernelAccess &read = map_.accesses()[r], &write = map_.accesses()[w];
    if (read.is_async || write.is_async || map_.has_own_pace()) return false;
    const std::vector<PlaceId> loops = common_loops(map_, r, w);
    const bool excludes = are_branches(map_, read.place, write.place);
    if (!excludes && read.place > write.place) return false;
    if (!excludes && loops.empty()) return true;
    for (const Form& form : kForms) {
      if (imply_one_iteration(r, w, loops, excludes, form)) return true;
    }
    return false;
  }

  // How elements are compared: by their items, if these are known, or by their addresses. The facts
  // at an access may settle an index, which its normal form then lacks, and the other's does not.
  struct Form {
    bool by_items, is_normal;
  };
  static constexpr Form kForms[] = {{true, true}, {true, false}, {false, true}, {false, false}};

  // Whether accesses of one element are in one iteration of `loops` and, if asked, by one thread.
  bool imply_one_iteration(std::size_t r, std::size_t w, const std::vector<PlaceId>& loops,
                           bool by_one_thread, const Form& form) {
    const KernelAccess &read = map_.accesses()[r], &write = map_.accesses()[w];
    ExprPool& pool = map_.pool();
    Environment second;
    std::unordered_map<std::uint32_t, Expr> original;
    const auto prime = [&](Expr symbol) {
      if (!symbol.valid() || !symbol.is(Op::Symbol)) return;
      const Expr other = pool.symbol(std::string(symbol.name()) + "'");
      second.emplace_back(symbol, other);
      original[other.id()] = symbol;
    };
    for (const auto& axes : {map_.threads(), map_.blocks()}) {
      for (Expr e : axes) prime(e);
    }
    for (PlaceId loop : map_.scope(write.scope).loops) prime(map_.places()[loop].variable);
    for (std::size_t n : map_.scope(write.scope).numbers) prime(map_.numbers()[n].symbol);
    const Expr lane = pool.symbol("lane of the read"),
               other_lane = pool.symbol("lane of the store");
    const auto range = [&](Expr symbol) -> Interval {
      if (same(symbol, lane)) return {0, read.width - 1};
      if (same(symbol, other_lane)) return {0, write.width - 1};
      const auto at = original.find(symbol.id());
      if (at != original.end()) return map_.at(write.scope).interval(at->second);
      return map_.at(read.scope).interval(symbol);
    };
    const bool have_items = form.by_items && items_.are_items_apart(r, w);
    const auto place_of = [&](const KernelAccess& a, std::size_t access, Expr own_lane) {
      std::vector<Expr> place;
      if (!have_items) {
        const Expr address = form.is_normal ? map_.address(access) : a.address;
        place.push_back(a.width > 1 ? address + own_lane : address);
        return place;
      }
      for (Expr index : a.indices) {
        if (a.lane.valid()) index = substitute(index, Environment{{a.lane, own_lane}});
        place.push_back(form.is_normal ? map_.at(a.scope).normal_form(index) : index);
      }
      return place;
    };
    const std::vector<Expr> from = place_of(read, r, lane), to = place_of(write, w, other_lane);
    Agreement agreement(pool, second, range);
    // Where there are no races no two blocks access one element.
    const auto learn = [&](const std::array<Expr, 3>& axes) {
      for (Expr e : axes) {
        if (e.is(Op::Symbol)) agreement.learn(e);
      }
    };
    learn(map_.blocks());
    if (items_.are_of_one_thread(r, w)) learn(map_.threads());
    // An index may have one value where both stand, and then not occur in the elements.
    for (PlaceId loop : loops) {
      const Expr v = map_.places()[loop].variable;
      const Interval a = map_.at(read.scope).interval(v), b = map_.at(write.scope).interval(v);
      if (a.is_point() && a == b) agreement.learn(v);
    }
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (!agreement.equate(from[k], substitute(to[k], second))) return true;  // never one element
    }
    const auto agrees = [&](Expr e) { return !e.is(Op::Symbol) || agreement.agrees(e); };
    if (by_one_thread && !(std::ranges::all_of(map_.threads(), agrees) &&
                           std::ranges::all_of(map_.blocks(), agrees))) {
      return false;
    }
    return std::ranges::all_of(loops, [&](PlaceId p) { return agrees(map_.places()[p].variable); });
  }

  const AccessMap& map_;
  ItemProofs& items_;
  HazardFindings out_;
};

}  // namespace

HazardFindings replacement_findings(const AccessMap& map, ItemProofs& items) {
  return Replacements(map, items).list();
}

}  // namespace selvage
