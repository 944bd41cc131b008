#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/verify_copies.h>
#include <selvage/kernel/verify_coverage.h>
#include <selvage/kernel/verify_parts.h>
#include <selvage/kernel/verify_writers.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

constexpr std::int64_t kMostLead = 16;  // iterations that a ring may hold beyond those under way

// Every element that is read must be one that some write has stored before in the same iteration of
// the loops around both, or in none of them: a write that is run whenever the read is.
class Lifetimes {
 public:
  explicit Lifetimes(const AccessMap& map)
      : map_(map),
        order_(map),
        copies_(map, order_),
        coverage_(map),
        of_rank_(map, map.kernel().launch.is_cluster ? map.threads()[2] : Expr()),
        has_events_(std::ranges::any_of(own_pace(map.kernel()), [](const Statement* s) {
          return !std::holds_alternative<Define>(s->node);
        })) {}

  HazardFindings list() {
    const auto& all = map_.accesses();
    for (std::size_t r = 0; r < all.size(); ++r) {
      const bool reads = all[r].kind == Kind::Read || all[r].kind == Kind::Atomic;
      if (!reads || memory(r) == Memory::Global) continue;
      if (const auto rule = covering_rule(r)) {
        add_rule(*rule, out_.proved);
        continue;
      }
      out_.open.push_back({.hazard = Hazard::Lifetime,
                           .verdict = Unknown{all[r].address},
                           .statement = map_.places()[all[r].place].statement,
                           .buffer = all[r].buffer,
                           .sizes = {},
                           .first = {},
                           .second = {},
                           .text = "it is not proved that what is read of " +
                                   map_.kernel().buffers[all[r].buffer].name +
                                   " was written before"});
    }
    return std::move(out_);
  }

 private:
  using Kind = KernelAccess::Kind;
  static bool is_stored(const KernelAccess& a) {
    return (a.kind == Kind::Write || a.kind == Kind::Atomic) && !a.depends_on_data;
  }
  // Whether write w is made, completely, whenever its first `common` loops are at an iteration.
  bool is_done(std::size_t w, std::size_t common) const {
    const auto& loops = map_.scope(map_.accesses()[w].scope).loops;
    return map_.accesses()[w].is_made() &&
           std::none_of(loops.begin() + std::ptrdiff_t(common), loops.end(),
                        [&](PlaceId loop) { return map_.places()[loop].may_run_less; });
  }
  Memory memory(std::size_t access) const {
    return map_.kernel().buffers[map_.accesses()[access].buffer].memory;
  }

  std::optional<std::string> covering_rule(std::size_t r) const {
    std::map<std::size_t, std::vector<std::size_t>> groups;  // by loops around both
    for (std::size_t w : writes_before(r)) {
      // A thread that reaches the read has made this write, whatever loops it has left.
      if (is_same_element(w, r)) return "written before";
      const std::size_t common = common_loops(map_, w, r).size();
      const bool is_anytime = has_events_ && map_.accesses()[r].mentions_memory;
      if (!is_done(w, common) || is_anytime) continue;
      groups[common].push_back(w);
    }
    for (const auto& [loops, writes] : groups) {
      if (is_stored_before(map_, writes, r, loops)) return "written before";
    }
    for (const auto& [loops, writes] : groups) {
      if (coverage_.cover(writes, r, loops, {})) return "exact enumeration";
    }
    // By the writes of threads that have an index in common with the reader: a condition on that
    // index, whatever sizes stand in it, holds for them, too.
    for (Expr index : map_.threads()) {
      if (memory(r) != Memory::Shared || !index.is(Op::Symbol)) continue;
      const ReadCoverage among(map_, index);
      for (const auto& [loops, writes] : groups) {
        if (among.cover(writes, r, loops, {})) return "exact enumeration";
      }
    }
    for (std::size_t k = map_.scope(map_.accesses()[r].scope).loops.size(); k-- > 0;) {
      if (is_covered_by_turns(r, k)) return "iteration before";
      if (is_covered_by_copies(r, k)) return "copied iterations before";
    }
    return std::nullopt;
  }

  // By copies that the loop, a ring, has begun in an earlier iteration, and by what else it has
  // stored there: in one whose copies have ended.
  bool is_covered_by_copies(std::size_t r, std::size_t k) const {
    const PlaceId ring = map_.scope(map_.accesses()[r].scope).loops[k];
    const StatementPlace& loop = map_.places()[ring];
    if (map_.accesses()[r].mentions_memory) return false;
    std::vector<std::size_t> writes;
    std::int64_t turns = 0;  // after which all of them have ended
    bool has_copies = false;
    for (std::size_t w = 0; w < map_.accesses().size(); ++w) {
      const KernelAccess& a = map_.accesses()[w];
      if (!is_stored(a)) continue;
      if (a.buffer != map_.accesses()[r].buffer) {
        if (map_.overlap(a.buffer, map_.accesses()[r].buffer)) return false;
        continue;
      }
      if (!map_.tree().is_inside(a.place, ring) || !is_done(w, k + 1)) continue;
      const auto end = copies_.end_of(w);
      if (!end || (end->turns > 0 && end->loop != ring)) continue;
      writes.push_back(w);
      if (!a.is_async) continue;
      has_copies = true;
      turns = std::max(turns, end->turns + (end->at < map_.accesses()[r].place ? 0 : 1));
    }
    if (writes.empty() || !has_copies) return false;
    const Expr v = loop.variable;
    const ReadCoverage& coverage =
        has_own_pieces(map_, map_.accesses()[r].buffer) ? of_rank_ : coverage_;
    Simplifier& at_read = map_.at(map_.accesses()[r].scope);
    for (std::int64_t lead = std::max<std::int64_t>(turns, 1); lead <= turns + kMostLead; ++lead) {
      const Expr then = v - lead;
      if (!at_read.proves(loop.begin <= then)) return false;
      if (is_stored_before(map_, writes, r, k + 1, {{v, then}})) return true;
      // What holds at the read, whichever thread reads, says that these were begun.
      const std::vector<Expr> shared = coverage_.shared_symbols(r, k + 1);
      std::vector<Expr> known;
      for (std::size_t w : writes) {
        for (Expr c : coverage_.parts_of(map_.scope(map_.accesses()[w].scope).conditions)) {
          if (uses_only(c, shared) && at_read.proves(substitute(c, {{v, then}})))
            known.push_back(c);
        }
      }
      if (coverage.cover(writes, r, k + 1, {{v, v + lead}}, known)) return true;
    }
    return false;
  }

  // In the first iteration of a loop by what was written before it, in every other by the one
  // before.
  bool is_covered_by_turns(std::size_t r, std::size_t k) const {
    const StatementPlace& loop = map_.places()[map_.scope(map_.accesses()[r].scope).loops[k]];
    if (map_.mentions_thread(loop.begin) || map_.mentions_thread(loop.extent)) return false;
    if (map_.accesses()[r].mentions_memory || loop.may_run_less) return false;
    const auto& all = map_.accesses();
    std::vector<std::size_t> before, inside;
    for (std::size_t w = 0; w < all.size(); ++w) {
      if (!is_stored(all[w])) continue;
      if (all[w].buffer != all[r].buffer) {
        if (map_.overlap(all[w].buffer, all[r].buffer)) return false;
        continue;
      }
      const std::size_t common = common_loops(map_, w, r).size();
      if (!is_done(w, common) || all[w].is_async) continue;
      if (common > k) {
        inside.push_back(w);
      } else if (comes_before(w, r)) {
        before.push_back(w);
      }
    }
    const Expr v = loop.variable;
    return !before.empty() && !inside.empty() && coverage_.cover(inside, r, k + 1, {{v, v + 1}}) &&
           coverage_.cover(before, r, k, {{v, loop.begin}});
  }

  // Whether a runs before b in the same iteration of the loops around both. False if they stand in
  // different branches of a guard.
  bool comes_before(std::size_t a, std::size_t b) const {
    const PlaceId x = map_.accesses()[a].place, y = map_.accesses()[b].place;
    return x < y && !are_branches(map_, x, y);
  }

  // Whether a write made before a read in the same iterations has ended there.
  bool has_ended(std::size_t w, std::size_t r) const {
    if (!map_.accesses()[w].is_async) return true;
    const auto end = copies_.end_of(w);
    return end && end->turns == 0 && end->at < map_.accesses()[r].place;
  }

  // Writes of the same buffer after which nothing overwrites it through another one before the
  // read.
  std::vector<std::size_t> writes_before(std::size_t r) const {
    const auto& all = map_.accesses();
    std::vector<std::size_t> writes, others;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_stored(all[i])) continue;
      if (all[i].buffer == all[r].buffer) {
        if (comes_before(i, r) && has_ended(i, r)) writes.push_back(i);
      } else if (map_.overlap(all[i].buffer, all[r].buffer)) {
        others.push_back(i);
      }
    }
    std::erase_if(writes, [&](std::size_t w) {
      return std::any_of(others.begin(), others.end(),
                         [&](std::size_t k) { return may_come_between(w, k, r); });
    });
    return writes;
  }
  bool may_come_between(std::size_t w, std::size_t k, std::size_t r) const {
    const std::size_t around = common_loops(map_, k, r).size();
    // In another iteration of a loop around k and r: the write must be made again in each.
    if (common_loops(map_, w, r).size() < around) return true;
    const PlaceId x = map_.accesses()[w].place, y = map_.accesses()[k].place,
                  z = map_.accesses()[r].place;
    if (y > z) return false;
    // A loop around w and k alone takes turns.
    return y >= x || common_loops(map_, w, k).size() > around;
  }

  bool is_same_element(std::size_t w, std::size_t r) const {
    const std::size_t loops = common_loops(map_, w, r).size();
    if (map_.scope(map_.accesses()[w].scope).loops.size() != loops) return false;
    if (map_.accesses()[w].width < map_.accesses()[r].width) return false;
    std::vector<Expr> shared = coverage_.shared_symbols(r, loops);
    // By the reading thread itself, that is.
    shared.insert(shared.end(), map_.threads().begin(), map_.threads().end());
    const Expr a = map_.address(w), b = map_.address(r);
    return same(a, b) && uses_only(a, shared) &&
           coverage_
               .own_conditions(
                   w, coverage_.parts_of(map_.scope(map_.accesses()[r].scope).conditions), shared)
               .empty();
  }

  const AccessMap& map_;
  BarrierOrder order_;
  CopyOrder copies_;
  ReadCoverage coverage_;
  ReadCoverage of_rank_;  // by the writes of the reader's rank
  // Whether threads part or wait by more than numbers from memory, and barriers of the block.
  bool has_events_;
  HazardFindings out_;
};

}  // namespace

HazardFindings lifetime_findings(const AccessMap& map) { return Lifetimes(map).list(); }

}  // namespace selvage
