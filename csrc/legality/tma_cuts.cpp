#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/legality/tma_cuts.h>
#include <selvage/legality/tma_map.h>

#include <algorithm>

namespace selvage {

bool is_contiguous(TmaQuestions& q, const TmaTerm& o, const TmaTerm& i) {
  return q.is_one(o.size) || q.is_one(i.size) || q.proves(eq(o.stride, i.size * i.stride));
}

Expr common_stride(TmaQuestions& q, const TmaTerm& o, const TmaTerm& i) {
  return q.is_one(i.size) ? o.stride : i.stride;
}

namespace {

class Cuts {
 public:
  Cuts(TmaQuestions& q, const TmaRoles& roles) : q_(q), roles_(roles), terms_(roles.terms) {}

  std::vector<TmaTerm> run() {
    for (std::size_t k = 0; k < roles_.cuts.size(); ++k) {
      if (!roles_.cuts[k].whole.half) share(k);
    }
    return std::move(terms_);
  }

 private:
  // The positions in terms_ of the halves of a cut, or of the halves of these, outer to inner. A
  // half of one item, always 0, has no position.
  void leaves(std::size_t cut, std::vector<std::size_t>& out) const {
    for (const bool outer : {true, false}) {
      const TmaTerm::Half half{cut, outer};
      const auto at = std::find_if(terms_.begin(), terms_.end(),
                                   [&](const TmaTerm& t) { return t.half == half; });
      const auto again = std::find_if(roles_.cuts.begin(), roles_.cuts.end(),
                                      [&](const TmaCut& c) { return c.whole.half == half; });
      if (at != terms_.end()) {
        out.push_back(std::size_t(at - terms_.begin()));
      } else if (again != roles_.cuts.end()) {
        leaves(std::size_t(again - roles_.cuts.begin()), out);
      }
    }
  }

  // Axes that are contiguous, in the radix and in memory, as one term.
  struct Run {
    std::vector<std::size_t> leaves;
    TmaTerm term;
  };

  bool is_as_cut(const TmaTerm& half) {
    return !half.shifted && q_.proves(eq(half.size, half.radix));
  }

  // Scales step and box of a half that became the outer part of a number.
  void scale(TmaTerm& term) {
    if (term.scale == 1 || !term.part.in_tile) return;
    term.part.whole = term.part.aligned = false;
    const auto step = checked_mul(term.part.step, term.scale);
    const auto box = checked_mul(term.part.box, term.scale);
    term.part.step = step.value_or(INT64_MAX);  // far past any limit
    term.part.box = box.value_or(INT64_MAX);
  }

  // The position of a run among the axes of memory: axes of one item have none.
  std::size_t place_of(const Run& run) {
    std::size_t place = run.leaves[0];
    for (std::size_t at : run.leaves) {
      if (!q_.is_one(terms_[at].size)) place = at;
    }
    return place;
  }

  std::vector<Run> runs_of(const std::vector<std::size_t>& all, bool together) {
    std::vector<Run> runs;
    for (std::size_t at : all) {
      const TmaTerm& leaf = terms_[at];
      const bool is_next = together && !runs.empty() && is_as_cut(leaf) &&
                           !runs.back().term.shifted &&
                           (runs.size() == 1 || is_as_cut(runs.back().term)) &&
                           is_contiguous(q_, runs.back().term, leaf);
      if (is_next) {
        TmaTerm& term = runs.back().term;
        term.domains.insert(term.domains.end(), leaf.domains.begin(), leaf.domains.end());
        term.index = term.index * leaf.size + leaf.index;
        term.stride = common_stride(q_, term, leaf);
        term.size = q_.simplify(term.size * leaf.size);
        term.radix = q_.simplify(term.radix * leaf.radix);
        runs.back().leaves.push_back(at);
      } else {
        runs.push_back({{at}, leaf});
      }
    }
    return runs;
  }

  // Gives the parts of one cut their shares of its box.
  void share(std::size_t cut) {
    const TmaTerm& whole = roles_.cuts[cut].whole;
    std::vector<std::size_t> all;
    leaves(cut, all);
    if (all.empty()) return;
    std::vector<Run> runs = runs_of(all, true);
    if (runs.size() == 1 && (all.size() > 1 || is_as_cut(terms_[all[0]]))) {
      // The parts lie as they were cut, except that the outermost leaf may have another extent.
      TmaTerm& term = runs[0].term;
      if (is_as_cut(terms_[all[0]])) term.size = whole.size;
      term.domains = whole.domains;
      term.index = whole.index;
      term.part = whole.part;
      const bool fits =
          whole.part.box <= TmaLimits::kBox && whole.part.step <= TmaLimits::kElementStride;
      std::vector<Run> apart = runs_of(all, false);
      if (!fits && !distribute(whole.part, apart, false)) runs = std::move(apart);
    } else if (const auto broken = distribute(whole.part, runs, true)) {
      refuse_break(roles_.cuts[cut], runs[broken->run].term, broken->box, broken->within);
    }
    std::vector<TmaTerm> rest;
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

  // A run that neither divides what is left of the box nor is divided by it.
  struct Break {
    std::size_t run;
    std::int64_t box;
    Expr within;  // items of the runs inside of it
  };

  // Law F, from the innermost run on: a run takes the rest of the box if the rest divides it, is
  // taken as a whole if it divides the rest, and otherwise has to be the outermost one.
  // `at_launch`: what sizes decide may become a condition at launch.
  std::optional<Break> distribute(TilePart rest, std::vector<Run>& runs, bool at_launch) {
    bool done = false;
    Expr within = q_.c(1);
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
      if (k == 0) {  // the outermost run: the box may begin anywhere
        take();
        continue;
      }
      if (!rest.aligned) return Break{k, rest.box, within};
      const bool is_row = n && *n <= rest.box && rest.box % *n == 0 && *n % rest.step == 0;
      const Expr fits = eq(term.radix % rest.box, 0);
      if (is_row) {
        const std::int64_t count = *n / rest.step;
        const bool is_dense = rest.step == 1;
        term.part = {true, is_dense, !is_dense, true, count, rest.weight, rest.step, *n};
        rest.box /= *n;
        rest.count /= count;
        rest.weight *= count;
        rest.step = 1;
        within = within * *n;
        done = rest.box == 1;
      } else if (at_launch ? q_.require(fits) : q_.proves(fits)) {
        take();
      } else {
        return Break{k, rest.box, within};
      }
    }
    return std::nullopt;
  }

  [[noreturn]] void refuse_break(const TmaCut& cut, const TmaTerm& inner, std::int64_t box,
                                 Expr within) {
    std::string row;
    for (DomainId d : inner.domains) row += (row.empty() ? "" : ", ") + q_.name(d);
    const std::string size = to_string(inner.radix);
    // A point at which the index along the row is not its value at the beginning of the box plus
    // the place in the box.
    const TilePart& part = cut.whole.part;
    const Expr moved = roles_.place / part.weight % part.count * part.step / within;
    const Refuted point = q_.point(eq(inner.index, q_.at_first(inner.index) + moved));
    q_.refuse("E462", point,
              "the boxes of " + std::to_string(part.box) + " items of " + q_.name(cut.in) + " in " +
                  q_.tensor().name + " go across a break in memory: " + row + " has " + size +
                  " items, which " + std::to_string(box) +
                  (part.aligned ? " does not divide, and more than one row (law F)"
                                : " items from the box's beginning do not stay within (law F)"),
              {TmaMend::Factor, TmaMend::Inner, TmaMend::Strides});
  }

  TmaQuestions& q_;
  const TmaRoles& roles_;
  std::vector<TmaTerm> terms_;
};

}  // namespace

std::vector<TmaTerm> share_cuts(TmaQuestions& questions, const TmaRoles& roles) {
  return Cuts(questions, roles).run();
}

}  // namespace selvage
