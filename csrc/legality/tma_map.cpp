#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/legality/substitute.h>
#include <selvage/legality/tma_map.h>

#include <algorithm>

namespace selvage {

namespace {

using Terms = std::vector<TmaTerm>;

class TensorMap {
 public:
  TensorMap(TmaQuestions& q, const TmaRoles& roles) : q_(q), roles_(roles), terms_(roles.terms) {}

  std::vector<TmaDim> run() {
    for (std::size_t k = 0; k < roles_.cuts.size(); ++k) {
      if (!roles_.cuts[k].whole.half) share(k);
    }
    collapse(Bounds::All);
    for (const Bounds seen : {Bounds::Tile, Bounds::Last}) {
      if (terms_.size() > TmaLimits::kRank) collapse(seen);
    }
    order();
    return dims();
  }

 private:
  // One after the other, the inner one without a gap.
  bool is_contiguous(const TmaTerm& o, const TmaTerm& i) {
    return is_one(o.size) || is_one(i.size) || q_.proves(eq(o.stride, i.size * i.stride));
  }
  bool is_one(Expr size) { return q_.number(size) == std::int64_t{1}; }
  // An axis of one item has no stride.
  Expr common_stride(const TmaTerm& o, const TmaTerm& i) {
    return is_one(i.size) ? o.stride : i.stride;
  }

  // The places in terms_ of what a cut has come to, outer to inner.
  bool leaves(std::size_t cut, std::vector<std::size_t>& out) const {
    for (const bool outer : {true, false}) {
      const TmaTerm::Half half{cut, outer};
      const auto at = std::find_if(terms_.begin(), terms_.end(),
                                   [&](const TmaTerm& t) { return t.half == half; });
      const auto again = std::find_if(roles_.cuts.begin(), roles_.cuts.end(),
                                      [&](const TmaCut& c) { return c.whole.half == half; });
      if (at != terms_.end()) {
        out.push_back(std::size_t(at - terms_.begin()));
      } else if (again == roles_.cuts.end() ||
                 !leaves(std::size_t(again - roles_.cuts.begin()), out)) {
        return false;
      }
    }
    return true;
  }

  // Axes that lie behind one another, in the radix and in memory.
  struct Run {
    std::vector<std::size_t> leaves;
    TmaTerm term;
  };

  bool is_as_cut(const TmaTerm& half) {
    return !half.shifted && q_.proves(eq(half.size, half.radix));
  }

  // A half that became the outer part of a number.
  void scale(TmaTerm& term) {
    if (term.scale == 1 || !term.part.in_tile) return;
    term.part.whole = term.part.aligned = false;
    const auto step = checked_mul(term.part.step, term.scale);
    const auto box = checked_mul(term.part.box, term.scale);
    term.part.step = step.value_or(INT64_MAX);  // far past any limit
    term.part.box = box.value_or(INT64_MAX);
  }

  // Where it stands among the axes of memory: one of one item stands nowhere.
  std::size_t place_of(const Run& run) {
    std::size_t place = run.leaves[0];
    for (std::size_t at : run.leaves) {
      if (!is_one(terms_[at].size)) place = at;
    }
    return place;
  }

  // The parts of the box of one cut.
  void share(std::size_t cut) {
    const TmaTerm& whole = roles_.cuts[cut].whole;
    std::vector<std::size_t> all;
    const bool found = leaves(cut, all);
    SELVAGE_CHECK(found);
    std::vector<Run> runs;
    for (std::size_t at : all) {
      const TmaTerm& leaf = terms_[at];
      const bool is_next = !runs.empty() && is_as_cut(leaf) && is_as_cut(runs.back().term) &&
                           is_contiguous(runs.back().term, leaf);
      if (is_next) {
        TmaTerm& term = runs.back().term;
        term.domains.insert(term.domains.end(), leaf.domains.begin(), leaf.domains.end());
        term.index = term.index * leaf.size + leaf.index;
        term.stride = common_stride(term, leaf);
        term.size = q_.simplify(term.size * leaf.size);
        term.radix = term.size;
        runs.back().leaves.push_back(at);
      } else {
        runs.push_back({{at}, leaf});
      }
    }
    if (runs.size() == 1) {  // of two leaves at least, so as they were cut
      TmaTerm& term = runs[0].term;
      term.domains = whole.domains;
      term.index = whole.index;
      term.size = whole.size;
      term.part = whole.part;
    } else {
      distribute(roles_.cuts[cut], runs);
    }
    Terms rest;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& r) {
        return std::find(r.leaves.begin(), r.leaves.end(), k) != r.leaves.end();
      });
      if (run == runs.end()) {
        rest.push_back(terms_[k]);
      } else if (place_of(*run) == k) {
        run->term.half.reset();
        scale(run->term);
        rest.push_back(run->term);
      }
    }
    terms_ = std::move(rest);
  }

  // Law F: from the inside, a run takes the rest of the box if the rest divides it; is taken as a
  // whole if it divides the rest; or else everything outside of it has extent 1.
  void distribute(const TmaCut& cut, std::vector<Run>& runs) {
    TilePart rest = cut.whole.part;
    bool done = false;
    Expr within = q_.c(1);  // items of the runs that are taken as a whole
    for (std::size_t k = runs.size(); k-- > 0;) {
      TmaTerm& term = runs[k].term;
      term.part = {};
      if (done) continue;
      const auto take = [&] {
        term.part = rest;
        term.part.whole = false;
        term.part.boxed = true;
        done = true;
      };
      const auto n = q_.number(term.radix);
      if (k > 0 && n && rest.step % *n == 0) {  // each step is to another row, at the same place
        rest.aligned = rest.aligned && rest.box % *n == 0;
        rest.step /= *n;
        rest.box = ceil_div(rest.box, *n);
        within = within * *n;
        continue;
      }
      if (!rest.aligned) refuse_break(cut, runs, k, rest.box, within);
      if (k == 0) {
        take();
        continue;
      }
      const bool is_row = n && *n <= rest.box && rest.box % *n == 0 && *n % rest.step == 0;
      if (is_row) {
        const std::int64_t count = *n / rest.step;
        term.part = {true, rest.step == 1, rest.step != 1, true, count, rest.weight, rest.step, *n};
        rest.box /= *n;
        rest.count /= count;
        rest.weight *= count;
        rest.step = 1;
        within = within * *n;
        if (rest.box == 1) done = true;
      } else if (q_.require(eq(term.radix % rest.box, 0))) {
        take();
      } else {
        refuse_break(cut, runs, k, rest.box, within);
      }
    }
  }

  [[noreturn]] void refuse_break(const TmaCut& cut, const std::vector<Run>& runs, std::size_t k,
                                 std::int64_t box, Expr within) {
    const TmaTerm& inner = runs[k].term;
    std::string row;
    for (DomainId d : inner.domains) row += (row.empty() ? "" : ", ") + q_.name(d);
    const std::string size = to_string(inner.radix);
    // Where the index along the row is not the one that it was at the beginning of the box, and as
    // much more as the place in the box says.
    const TilePart& part = cut.whole.part;
    const Expr moved = roles_.place / part.weight % part.count * part.step / within;
    const Refuted point = q_.point(eq(inner.index, at_first(inner.index) + moved));
    std::string help = "make " + row + " a multiple of " + std::to_string(box) + " items";
    if (const auto n = q_.number(inner.radix)) {
      std::int64_t divisor = std::min(*n, std::min(box, TmaLimits::kBox));
      while (*n % divisor != 0) --divisor;
      help += ", or take a box of " + std::to_string(divisor) + ", which divides " + size;
    }
    q_.refuse("E462", point,
              "the boxes of " + std::to_string(part.box) + " items of " + q_.name(cut.in) + " in " +
                  q_.tensor().name + " go across a break in memory: " + row + " has " + size +
                  " items, which " + std::to_string(box) +
                  (part.aligned ? " does not divide, and more than one row (law F)"
                                : " items from the box's beginning do not stay within (law F)"),
              help);
  }

  // At the first element of the tile.
  Expr at_first(Expr e) const {
    Substitution zero;
    for (std::size_t k = 0; k < q_.analysis().variables.size(); ++k) {
      if (q_.is_bulk(k)) zero.emplace(q_.analysis().variables[k].id(), q_.c(0));
    }
    return substitute(e, zero);
  }

  // Of one dimension for two the hardware tests the bounds of the outer index alone. That loses
  // nothing where the inner one never leaves its bounds; else it is done for the rank's sake only,
  // with indices that do not move in the tile first.
  enum class Bounds : std::uint8_t { All, Tile, Last };

  // Two neighbours as one dimension, if that is possible; `seen`: the bounds that must stay tested.
  std::optional<TmaTerm> collapsed(const TmaTerm& o, const TmaTerm& i, Bounds seen) {
    const bool careful = seen == Bounds::All;
    if (seen == Bounds::Tile && i.part.in_tile) return std::nullopt;
    const bool only_outer_moves = o.part.in_tile && !i.part.in_tile && !is_one(i.size);
    if (only_outer_moves || !is_contiguous(o, i)) return std::nullopt;
    const Expr size = q_.simplify(o.size * i.size);
    const bool is_trivial = is_one(o.size) || is_one(i.size);
    if (careful && !is_trivial) {
      const auto items = q_.number(size);
      if (items ? *items > INT32_MAX : !q_.proves(size <= INT32_MAX)) return std::nullopt;
    }
    const bool is_row = i.part.whole && q_.number(i.size) == i.part.count;
    if (careful && !is_row && !q_.proves(ok(i.index, i.size))) return std::nullopt;
    const auto part = fused(o.part, i.part, q_.number(i.size), q_.number(size), false);
    if (!part || part->box > TmaLimits::kBox) return std::nullopt;
    const bool is_inner = part->weight == 1 && part->count > 1;
    const std::int64_t limit = swizzle_bytes(roles_.swizzle);
    if (is_inner && limit > 0 && part->box * size_of(q_.tensor().type) > limit) return std::nullopt;
    TmaTerm term{o.domains, q_.simplify(o.index * i.size + i.index), size, *part};
    term.domains.insert(term.domains.end(), i.domains.begin(), i.domains.end());
    term.stride = common_stride(o, i);
    return term;
  }

  void collapse(Bounds seen) {
    for (std::size_t k = terms_.size(); k-- > 1;) {
      if (seen != Bounds::All && terms_.size() <= TmaLimits::kRank) return;
      auto one = collapsed(terms_[k - 1], terms_[k], seen);
      if (!one) continue;
      terms_[k - 1] = std::move(*one);
      terms_.erase(terms_.begin() + std::ptrdiff_t(k));
    }
  }

  // What moves in the tile stands in the order of the tile; the one that moves fastest last.
  void order() {
    std::vector<std::size_t> places;
    Terms moving;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      if (terms_[k].part.count == 1) continue;
      places.push_back(k);
      moving.push_back(terms_[k]);
    }
    std::stable_sort(moving.begin(), moving.end(), [](const TmaTerm& a, const TmaTerm& b) {
      return a.part.weight > b.part.weight;
    });
    std::int64_t weight = roles_.elements;
    for (std::size_t k = 0; k < moving.size(); ++k) {
      weight = weight / moving[k].part.count;
      if (moving[k].part.weight != weight) {
        q_.refuse("E460", q_.point(),
                  "the tile of " + q_.tensor().name +
                      " is no box: a loop that is bound to Bulk "
                      "does not move " +
                      q_.name(moving[k].domains[0]),
                  "bind loops that the tensor's iterdomains are cut into");
      }
      terms_[places[k]] = moving[k];
    }
    if (!places.empty()) {
      std::rotate(terms_.begin() + std::ptrdiff_t(places.back()),
                  terms_.begin() + std::ptrdiff_t(places.back()) + 1, terms_.end());
    }
  }

  std::vector<TmaDim> dims() {
    std::vector<TmaDim> list;
    const int size = size_of(q_.tensor().type);
    for (const TmaTerm& t : terms_) {
      TmaDim& d = list.emplace_back();
      d.domains = t.domains;
      d.size = q_.simplify(t.size);
      d.stride = q_.simplify(t.stride * size);
      // With one element of the tile along it, it does not matter how far the next would be.
      const bool is_single = t.part.count == 1;
      const bool fits = t.part.step <= TmaLimits::kElementStride && t.part.box <= TmaLimits::kBox;
      d.box = is_single && !fits ? 1 : t.part.box;
      d.element_stride = is_single && !fits ? 1 : t.part.step;
      d.count = t.part.count;
      const Expr place = q_.simplify(roles_.place / t.part.weight % t.part.count);
      d.coordinate = q_.simplify(at_first(t.index));
      d.index = q_.simplify(d.coordinate + place * t.part.step);
    }
    return list;
  }

  TmaQuestions& q_;
  const TmaRoles& roles_;
  Terms terms_;
};

}  // namespace

std::int64_t swizzle_bytes(TmaSwizzle swizzle) {
  switch (swizzle) {
    case TmaSwizzle::None: return 0;
    case TmaSwizzle::B32: return 32;
    case TmaSwizzle::B64: return 64;
    case TmaSwizzle::B128: return 128;
  }
  return 0;
}

std::vector<TmaDim> dims_of(TmaQuestions& questions, const TmaRoles& roles) {
  return TensorMap(questions, roles).run();
}

}  // namespace selvage
