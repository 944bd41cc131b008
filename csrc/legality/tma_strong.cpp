#include <selvage/base/points.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/legality/decide.h>
#include <selvage/legality/tma_strong.h>
#include <selvage/simplifier/interval.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMostElements = 1 << 20;  // of all copies, looked at one by one

class Holes {
 public:
  Holes(TmaQuestions& q, TmaCopy& copy) : q_(q), copy_(copy) {
    for (const TmaDim& d : copy.dims) {
      const Expr inside = q.simplify(ok(d.index, d.size));
      if (!inside.is_true()) in_bounds_.push_back(inside);
    }
    Facts facts = q.facts();
    for (Expr e : in_bounds_) facts.assume(e);
    Simplifier loaded(facts);
    for (Expr check : q.checks()) {
      if (!loaded.proves(check)) open_.push_back(check);
    }
  }

  void judge() {
    if (open_.empty()) return by_hardware();
    if (count()) return;
    decide_all();
  }

 private:
  void by_hardware() {
    copy_.strong = TmaStrong::ByHardware;
    std::string names;
    for (const TmaDim& d : copy_.dims) {
      if (q_.proves(ok(d.index, d.size))) continue;
      names += (names.empty() ? "" : " or ") + name(d);
    }
    if (q_.checks().empty() || names.empty()) {
      copy_.strong_reason = "the tile has no holes";
      return;
    }
    copy_.strong_reason = "every hole is past the bounds of " + names +
                          ", which the hardware tests: 0 is what it brings";
  }

  std::string name(const TmaDim& d) const {
    std::string text;
    for (DomainId id : d.domains) text += (text.empty() ? "" : ", ") + q_.name(id);
    return text;
  }

  bool is_of_tile(Expr e) const {
    for (Expr s : symbols_of(e)) {
      for (std::size_t k = 0; k < q_.analysis().loops.size(); ++k) {
        if (q_.is_bulk(k) && same(q_.analysis().variables[k], s)) return true;
      }
    }
    return false;
  }

  void by_fallback() {
    copy_.strong = TmaStrong::ByFallback;
    std::string text;
    for (Expr check : open_) {
      if (is_of_tile(check)) {
        copy_.guard.clear();
        break;
      }
      copy_.guard.push_back(check);
    }
    for (Expr check : copy_.guard) text += (text.empty() ? "" : " && ") + to_string(check);
    copy_.strong_reason =
        "a copy brings items or holes, never both: " +
        (text.empty() ? std::string("one without an item") : "one without " + text) +
        " is issued past the end, and brings 0";
  }

  void impossible() {
    copy_.strong = TmaStrong::Impossible;
    for (const TmaDim& d : copy_.dims) {
      const std::int64_t e = d.element_stride, b = d.box;
      if (e >= b || b % e == 0 || !q_.proves(b < d.size)) continue;
      copy_.strong_reason =
          "boxes of " + std::to_string(b) + " items of " + name(d) + " with an element stride of " +
          std::to_string(e) + ", which does not divide it, go on into the next box (" +
          std::to_string(e) + " < " + std::to_string(b) + " < " + to_string(d.size) + ")";
      return;
    }
    copy_.strong_reason =
        "one copy brings items and, into a hole of the same tile, an item that is not wanted there";
  }

  // Looks at every element of every copy; false if not all is numbers or there are too many.
  bool count() {
    if (!q_.extents()) return false;
    const std::vector<std::int64_t>& all = *q_.extents();
    const std::vector<Expr>& variables = q_.analysis().variables;
    const auto points = count_points(all);
    if (!points || *points > kMostElements) return false;
    std::vector<Expr> roots = q_.checks();
    const std::size_t checks = roots.size();
    roots.insert(roots.end(), in_bounds_.begin(), in_bounds_.end());
    const std::size_t used = symbols_of(roots).size();
    std::vector<Expr> with_loops = roots;
    with_loops.insert(with_loops.end(), variables.begin(), variables.end());
    if (symbols_of(with_loops).size() != variables.size() && used > 0) return false;

    std::vector<std::size_t> outer, inner;
    std::vector<std::int64_t> copies, tile;
    for (std::size_t k = 0; k < all.size(); ++k) {
      (q_.is_bulk(k) ? inner : outer).push_back(k);
      (q_.is_bulk(k) ? tile : copies).push_back(all[k]);
    }
    Tape tape(roots, variables);
    std::vector<std::int64_t> q(copies.size(), 0), at(all.size());
    do {
      bool has_item = false;
      std::vector<std::int64_t> hole;  // that is loaded
      std::vector<std::int64_t> t(tile.size(), 0);
      do {
        for (std::size_t i = 0; i < outer.size(); ++i) at[outer[i]] = q[i];
        for (std::size_t i = 0; i < inner.size(); ++i) at[inner[i]] = t[i];
        if (!tape.evaluate(at)) return false;
        bool valid = true, loaded = true;
        for (std::size_t i = 0; i < roots.size(); ++i) {
          (i < checks ? valid : loaded) &= tape.root(i) != 0;
        }
        has_item = has_item || valid;
        if (!valid && loaded && hole.empty()) hole = at;
      } while (next_point(t, tile));
      if (hole.empty()) continue;
      if (copy_.hole.empty() || has_item) {
        copy_.hole = point_at(variables, hole);
      }
      if (has_item) {
        impossible();
        return true;
      }
    } while (next_point(q, copies));
    copy_.hole.empty() ? by_hardware() : by_fallback();
    return true;
  }

  void decide_all() {
    // A hole that is loaded.
    bool has_hole = false;
    Facts loaded = q_.facts();
    for (Expr e : in_bounds_) loaded.assume(e);
    std::vector<Expr> open;
    for (Expr check : open_) {
      const Verdict verdict = decide(loaded, check);
      if (is_proved(verdict)) continue;
      open.push_back(check);
      if (has_hole || !is_refuted(verdict)) continue;
      has_hole = true;
      copy_.hole = q_.point(q_.facts(), in_bounds_, check).value_or(Refuted{}).point;
    }
    open_ = std::move(open);
    if (open_.empty()) return by_hardware();

    // The tile's loops a second time, for another element of the same copy.
    Facts facts = q_.facts();
    Environment twin;
    for (std::size_t k = 0; k < q_.analysis().loops.size(); ++k) {
      if (!q_.is_bulk(k)) continue;
      const Expr variable = q_.analysis().variables[k];
      const Expr other = q_.fusion().pool().symbol(std::string(variable.name()) + "'");
      twin.emplace_back(variable, other);
      facts.loop(other, q_.extent(q_.analysis().loops[k]));
    }
    for (Expr check : q_.checks()) facts.assume(substitute(check, twin));  // an item
    for (Expr e : in_bounds_) facts.assume(e);                             // what is loaded
    bool all = true;
    for (Expr check : open_) {
      const Verdict verdict = decide(facts, check);
      if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
        take_hole(*refuted, twin);
        return impossible();
      }
      all = all && is_proved(verdict);
    }
    if (all) return by_fallback();
    copy_.strong_reason = "it is not decided whether a copy brings items into holes";
  }

  void take_hole(const Refuted& refuted, const Environment& twin) {
    Point hole = refuted.point;
    std::erase_if(hole, [&](const auto& entry) {
      return std::any_of(twin.begin(), twin.end(),
                         [&](const auto& t) { return same(t.second, entry.first); });
    });
    std::vector<Expr> holds = in_bounds_;
    for (const auto& [symbol, value] : hole) holds.push_back(eq(symbol, value));
    // The same point with a value for every loop, if it is found.
    const auto whole = q_.point(q_.facts(), holds, q_.pool().truth(false));
    copy_.hole = whole ? whole->point : hole;
  }

  TmaQuestions& q_;
  TmaCopy& copy_;
  std::vector<Expr> in_bounds_;  // in every dimension of the tensor map: the element is loaded
  std::vector<Expr> open_;       // checks that do not follow from that
};

}  // namespace

void judge_holes(TmaQuestions& questions, TmaCopy& copy) { Holes(questions, copy).judge(); }

}  // namespace selvage
