#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/legality/tma_map.h>
#include <selvage/legality/tma_roles.h>

#include <algorithm>
#include <bit>
#include <map>

namespace selvage {

namespace {

using Terms = std::vector<TmaTerm>;

constexpr std::size_t kMostCuts = 1'000;

class Roles {
 public:
  explicit Roles(TmaQuestions& q) : q_(q) {}

  TmaRoles run() {
    read_loops();
    const TensorAnalysis& a = q_.analysis();
    const std::vector<DomainId>& memory = allocation_of(q_.fusion(), q_.global());
    const Path path = needed_for(q_.graph(), a.path, a.loops, memory);
    for (const Step& step : path.steps) take(step);
    std::vector<Axis> axes;
    const std::vector<Expr> strides = q_.strides();
    for (std::size_t k = 0; k < memory.size(); ++k) {
      axes.push_back({memory[k], q_.extent(memory[k]), strides[k]});
    }
    for (std::size_t k = cuts_.size(); k-- > 0;) rejoin(cuts_[k], axes);
    for (const Axis& axis : axes) {
      Terms terms = at(axis.domain);
      if (terms.size() == 1) terms[0].size = axis.size;
      Expr stride = axis.stride;
      for (std::size_t m = terms.size(); m-- > 0;) {
        terms[m].stride = q_.simplify(stride);
        stride = stride * terms[m].size;
      }
      roles_.terms.insert(roles_.terms.end(), terms.begin(), terms.end());
    }
    return std::move(roles_);
  }

 private:
  // A box that a merge cut: x = outer*|inner| + inner, computed from x. What its halves are shows
  // when they are used; of a cut half, `root` is what was cut first.
  struct Cut {
    DomainId in, outer, inner, root;
    Expr within;  // items of the halves inside of it, for a half of another cut
  };
  struct Half {
    std::size_t cut;
    bool is_outer;
  };
  // An iterdomain that lies in memory.
  struct Axis {
    DomainId domain;
    Expr size, stride;
  };

  std::string shown(DomainId d) const { return q_.name(d) + " (" + to_string(q_.extent(d)) + ")"; }

  // Bulk loops are the digits of the place in the tile, the last one the lowest.
  void read_loops() {
    const std::vector<DomainId>& loops = q_.analysis().loops;
    roles_.place = q_.c(0);
    for (std::size_t k = loops.size(); k-- > 0;) {
      const DomainId d = loops[k];
      TilePart part;
      if (q_.is_bulk(k)) {
        const auto extent = q_.number(q_.extent(d));
        if (!extent) {
          q_.refuse("E466", Unknown{q_.extent(d)},
                    "the tile of " + q_.tensor().name + " has no known size: its loop " + shown(d) +
                        " is bound to Bulk",
                    {TmaMend::Sizes});
        }
        part = {true, true, false, true, *extent, roles_.elements, 1, *extent};
        const auto elements = checked_mul(roles_.elements, *extent);
        const auto bytes = elements ? checked_mul(*elements, size_of(q_.tensor().type)) : elements;
        if (!bytes) {
          q_.refuse("E461", q_.point(),
                    "the tile of " + q_.tensor().name +
                        " does not fit into shared memory: it has more than 2^63 bytes",
                    {TmaMend::Inner, TmaMend::Factor});
        }
        roles_.elements = *elements;
        roles_.place = roles_.place + q_.index(d) * part.weight;
      }
      known_[d] = {{{d}, q_.index(d), q_.extent(d), part}};
    }
  }

  Terms& at(DomainId d) {
    Terms& terms = known_[d];
    if (terms.empty()) {
      terms = {simple(d)};
      terms[0].part = *share_of(halves_.at(d), true);
    }
    return terms;
  }
  TmaTerm simple(DomainId d) const { return {{d}, q_.index(d), q_.extent(d), {}}; }
  bool is_half(DomainId d) const { return halves_.contains(d); }
  // The outer and the inner one of one box?
  bool are_halves(DomainId o, DomainId i) const {
    if (!is_half(o) || !is_half(i)) return false;
    const Half a = halves_.at(o), b = halves_.at(i);
    return a.cut == b.cut && a.is_outer && !b.is_outer;
  }
  // What is said of one iterdomain is true of another one.
  void pass_on(DomainId from, DomainId to) {
    if (is_half(from)) {
      halves_[to] = halves_.at(from);
    } else {
      known_[to] = Terms(at(from));
    }
  }

  // What a half has of its box. `at_launch`: what sizes decide may be asked for there, and a box
  // that goes across is refused; else it is nothing.
  std::optional<TilePart> share_of(const Half& half, bool at_launch) {
    const Cut& cut = cuts_[half.cut];
    const auto whole = is_half(cut.in) ? share_of(halves_.at(cut.in), at_launch)
                                       : std::optional(at(cut.in)[0].part);
    if (!whole) return std::nullopt;
    if (!whole->in_tile) return TilePart{};
    const Expr n = q_.extent(cut.inner);
    if (q_.is_one(q_.extent(cut.outer)) && !q_.is_one(n) &&
        q_.proves(eq(q_.index(cut.inner), q_.index(cut.in)))) {
      return half.is_outer ? TilePart{} : *whole;
    }
    const auto shares = shared(*whole, q_.number(n), [&] {
      const Expr fits = eq(n % whole->box, 0);
      return at_launch ? q_.require(fits) : q_.proves(fits);
    });
    if (!shares && at_launch) refuse_break(cut, *whole);
    if (!shares) return std::nullopt;
    return half.is_outer ? shares->outer : shares->inner;
  }

  static bool fits(const TilePart& part) {
    return part.box <= TmaLimits::kBox && part.step <= TmaLimits::kElementStride;
  }

  // Halves that lie behind one another as they were cut are the box again, unless it is too large
  // for one dimension and they have shares of it.
  void rejoin(const Cut& cut, std::vector<Axis>& axes) {
    const auto find = [&](bool is_outer) {
      return std::find_if(axes.begin(), axes.end(), [&](const Axis& a) {
        const auto half = halves_.find(a.domain);
        return half != halves_.end() && !known_.contains(a.domain) &&
               &cuts_[half->second.cut] == &cut && half->second.is_outer == is_outer;
      });
    };
    const auto o = find(true), i = find(false);
    if (o == axes.end() || i == axes.end()) return;
    const TmaTerm outer{{}, {}, o->size, {}, o->stride}, inner{{}, {}, i->size, {}, i->stride};
    const bool is_row = q_.proves(eq(i->size, q_.extent(cut.inner)));
    if (!is_row || !is_contiguous(q_, outer, inner)) return;
    if (!fits(at(cut.root)[0].part) && share_of({std::size_t(&cut - cuts_.data()), true}, false)) {
      return;
    }
    const bool is_as_cut = q_.proves(eq(o->size, q_.extent(cut.outer)));
    const Axis whole{cut.in, is_as_cut ? q_.extent(cut.in) : q_.simplify(o->size * i->size),
                     common_stride(q_, outer, inner)};
    const bool is_single = q_.is_one(i->size);
    (is_single ? *o : *i) = whole;
    axes.erase(is_single ? i : o);
  }

  [[noreturn]] void refuse_break(const Cut& cut, const TilePart& rest) {
    const TilePart& part = at(cut.root)[0].part;
    // Where the index along the row is not the one that it was at the beginning of the box, and as
    // much more as the place in the box says.
    const Expr index = q_.index(cut.inner);
    const Expr moved = roles_.place / part.weight % part.count * part.step / cut.within;
    q_.refuse("E462", q_.point(eq(index, q_.at_first(index) + moved)),
              "the boxes of " + std::to_string(part.box) + " items of " + q_.name(cut.root) +
                  " in " + q_.tensor().name +
                  " go across a break in memory: " + q_.name(cut.inner) + " has " +
                  to_string(q_.extent(cut.inner)) + " items, which " + std::to_string(rest.box) +
                  (part.aligned ? " does not divide, and more than one row (law F)"
                                : " items from the box's beginning do not stay within (law F)"),
              {TmaMend::Factor, TmaMend::Inner, TmaMend::Strides});
  }

  // Does it stand for nothing but coordinates of the box?
  bool is_coordinate(DomainId d) {
    return !is_half(d) && at(d).size() == 1 && !at(d)[0].part.in_tile;
  }

  void take(const Step& step) {
    const DomainGraph& g = q_.graph();
    const bool forward = step.direction == Direction::Forward;
    std::visit(overloaded{[&](const Split& s) {
                            forward ? cut(s.in, s.outer, s.inner) : join(s.in, s.outer, s.inner);
                          },
                          [&](const Merge& m) {
                            forward ? join(m.out, m.outer, m.inner) : cut(m.out, m.outer, m.inner);
                          },
                          [&](const Resize& r) {
                            forward ? shift(r.in, r.out, r.left) : shift(r.out, r.in, r.left);
                          },
                          [&](const Swizzle& s) {
                            if (forward) {
                              swizzle(s, s.in_x, s.in_y, s.out_x, s.out_y, forward);
                            } else {
                              swizzle(s, s.out_x, s.out_y, s.in_x, s.in_y, forward);
                            }
                          }},
               g[step.transform]);
  }

  // Two neighbours in mixed radix as one, if that is possible.
  std::optional<TmaTerm> fuse(const TmaTerm& o, const TmaTerm& i, std::optional<Expr> size) {
    const bool is_multiple =
        i.part.in_tile && q_.proves(eq(i.size % q_.c(std::max<std::int64_t>(i.part.box, 1)), 0));
    const auto part = fused(o.part, i.part, q_.number(i.size),
                            size ? q_.number(*size) : std::nullopt, is_multiple);
    if (!part) return std::nullopt;
    TmaTerm term{o.domains, q_.simplify(o.index * i.size + i.index),
                 size ? *size : q_.simplify(o.size * i.size), *part};
    term.domains.insert(term.domains.end(), i.domains.begin(), i.domains.end());
    return term;
  }

  // x = o*|i| + i, computed from o and i.
  void join(DomainId x, DomainId od, DomainId id) {
    if (are_halves(od, id)) {
      const Cut& cut = cuts_[halves_.at(od).cut];
      if (q_.proves(eq(q_.extent(id), q_.extent(cut.inner)))) return pass_on(cut.in, x);
    }
    if (is_zero(od) || is_zero(id)) {
      const DomainId other = is_zero(od) ? id : od;
      return is_half(other) ? pass_on(other, x) : rename(at(other), x);
    }
    const Terms &o = at(od), &i = at(id);
    const TmaTerm &last = o.back(), &first = i.front();
    const bool is_single = o.size() == 1 && i.size() == 1;
    const auto one = fuse(last, first, is_single ? std::optional(q_.extent(x)) : std::nullopt);
    const bool coordinates = is_coordinate(od) && is_coordinate(id);
    const bool partition = is_coordinate(od) && first.part.in_tile && !first.part.boxed;
    const bool tile =
        last.part.in_tile && !last.part.boxed && (is_coordinate(id) || first.part.whole);
    const bool is_exact = q_.proves(eq(q_.extent(od) * q_.extent(id), q_.extent(x)));
    const bool is_cut = is_half(od) || is_half(id);
    const bool is_one =
        coordinates || partition || (tile && (!is_exact || (one && fits(one->part))));
    Terms parts = o;
    if (one && (!is_exact || (is_one && !is_cut))) {
      parts = with(o, *one, i);
    } else {
      if (!is_exact && !q_.require(eq(q_.extent(x) % q_.extent(id), 0))) refuse_cut(x, od, id);
      parts.insert(parts.end(), i.begin(), i.end());
    }
    rename(std::move(parts), x);
  }

  // An iterdomain of one item whose index never leaves it.
  bool is_zero(DomainId d) { return q_.is_one(q_.extent(d)) && q_.proves(eq(q_.index(d), 0)); }

  void rename(Terms parts, DomainId x) {
    if (parts.size() == 1) {
      parts[0].domains = {x};
      parts[0].index = q_.index(x);
    }
    fit(parts, x);
    known_[x] = std::move(parts);
  }

  // All axes as one, where that is possible.
  bool fuse_all(Terms& parts, DomainId x) {
    Terms left = parts;
    while (left.size() > 1) {
      const auto one = fuse(left[left.size() - 2], left.back(), {});
      if (!one) return false;
      left.pop_back();
      left.back() = *one;
    }
    left[0].domains = {x};
    left[0].index = q_.index(x);
    parts = std::move(left);
    return true;
  }

  static Terms with(const Terms& o, const TmaTerm& one, const Terms& i) {
    Terms parts(o.begin(), o.end() - 1);
    parts.push_back(one);
    parts.insert(parts.end(), i.begin() + 1, i.end());
    return parts;
  }

  // The outermost axis has what the others leave of the extent, which must be whole rows.
  void fit(Terms& parts, DomainId x) {
    Expr rows = q_.extent(x);
    if (parts.size() > 1) {
      Expr row = q_.c(1);
      for (std::size_t k = 1; k < parts.size(); ++k) row = row * parts[k].size;
      row = q_.simplify(row);
      const bool is_whole = q_.proves(eq(q_.extent(x) % row, 0));
      if (!is_whole && fuse_all(parts, x)) return fit(parts, x);
      if (!is_whole && !q_.require(eq(q_.extent(x) % row, 0))) {
        q_.refuse("E460", q_.point(),
                  "the tile of " + q_.tensor().name + " is no box: its rows of " + to_string(row) +
                      " items do not fill " + shown(x),
                  {TmaMend::Factor, TmaMend::Inner});
      }
      rows = q_.simplify(q_.extent(x) / row);
    }
    parts[0].size = rows;
  }

  // A copy would go on past the end of x, into what lies behind it.
  [[noreturn]] void refuse_cut(DomainId x, DomainId o, DomainId i) {
    const Expr inside = q_.index(x) < q_.extent(x);
    const std::vector<Expr> both = {ok(q_.index(o), q_.extent(o)), ok(q_.index(i), q_.extent(i))};
    const auto past = q_.point(q_.analysis().ranges->facts(), both, inside);
    q_.refuse("E460", past ? Verdict(*past) : Verdict(Unknown{inside}),
              "the tile of " + q_.tensor().name + " is no box: " + shown(x) + " is cut by " +
                  to_string(q_.extent(i)) + ", which does not divide it, and parts of " +
                  q_.name(o) + " and of " + q_.name(i) + " lie in the tile",
              {TmaMend::Factor, TmaMend::Inner});
  }

  // o = x / |i|, i = x % |i|, computed from x.
  void cut(DomainId x, DomainId od, DomainId id) {
    if (is_coordinate(x)) {
      known_[od] = {simple(od)};
      known_[id] = {simple(id)};
      return;
    }
    if (cuts_.size() == kMostCuts) {
      q_.refuse("E466", Unknown{},
                "the tile of " + q_.tensor().name + " goes through more than " +
                    std::to_string(kMostCuts) + " merges",
                {TmaMend::Inner});
    }
    if (is_half(x) || at(x).size() == 1) return cut_box(x, od, id);
    const Terms whole = at(x);
    // An axis of one item is no cut.
    if (q_.is_one(q_.extent(id))) {
      known_[od] = whole;
      known_[id] = {{{id}, q_.c(0), q_.extent(id), {}}};
      return fit(at(od), od);
    }
    if (q_.is_one(q_.extent(od))) {
      known_[od] = {{{od}, q_.c(0), q_.extent(od), {}}};
      known_[id] = whole;
      return fit(at(id), id);
    }
    // Between two axes, or nowhere.
    Expr row = q_.c(1);
    for (std::size_t k = whole.size(); k-- > 1;) {
      row = row * whole[k].size;
      if (!q_.proves(eq(row, q_.extent(id)))) continue;
      known_[od] = Terms(whole.begin(), whole.begin() + std::ptrdiff_t(k));
      known_[id] = Terms(whole.begin() + std::ptrdiff_t(k), whole.end());
      at(od)[0].size = q_.simplify(q_.extent(od) / product(at(od)));
      return;
    }
    if (Terms one = whole; fuse_all(one, x)) {
      one[0].size = q_.extent(x);
      known_[x] = std::move(one);
      return cut_box(x, od, id);
    }
    // Where both parts move in one copy.
    q_.refuse("E460", q_.point(eq(q_.index(od), q_.at_first(q_.index(od)))),
              "the tile of " + q_.tensor().name + " is no box: " + shown(x) +
                  " is cut in two ways, and the merge of " + q_.name(od) + " and " + q_.name(id) +
                  " is none of them",
              {TmaMend::Factor, TmaMend::Inner});
  }
  void cut_box(DomainId x, DomainId od, DomainId id) {
    Cut made{x, od, id, x, q_.c(1)};
    if (is_half(x)) {
      const Half half = halves_.at(x);
      const Cut& of = cuts_[half.cut];
      made.root = of.root;
      made.within = half.is_outer ? of.within * q_.extent(of.inner) : of.within;
    }
    cuts_.push_back(made);
    halves_[od] = {cuts_.size() - 1, true};
    halves_[id] = {cuts_.size() - 1, false};
  }
  Expr product(const Terms& terms) {
    Expr row = q_.c(1);
    for (std::size_t k = 1; k < terms.size(); ++k) row = row * terms[k].size;
    return row;
  }

  // out = in + a constant.
  void shift(DomainId in, DomainId out, Expr left) {
    const bool is_moved = !q_.proves(eq(left, 0));
    if (is_half(in) && !is_moved) return pass_on(in, out);
    Terms parts = at(in);
    if (parts.size() > 1 && !is_moved && q_.proves(q_.extent(in) <= q_.extent(out))) {
      known_[out] = std::move(parts);  // of what lies there, the first rows
      return;
    }
    if (parts.size() > 1 && is_moved && !fuse_all(parts, in)) {
      q_.refuse("E460", q_.point(),
                "the tile of " + q_.tensor().name + " is no box: " + shown(in) +
                    ", of which several parts lie in the tile, is resized on its left",
                {TmaMend::Left, TmaMend::Factor});
    }
    if (parts.size() == 1) {
      TmaTerm& t = parts[0];
      t.domains = {out};
      t.index = q_.index(out);
      t.part.whole = t.part.whole && !is_moved;
      t.part.aligned =
          t.part.aligned && q_.proves(eq(left % q_.c(std::max<std::int64_t>(t.part.box, 1)), 0));
    }
    fit(parts, out);
    known_[out] = std::move(parts);
  }

  void swizzle(const Swizzle& s, DomainId x, DomainId y, DomainId to_x, DomainId to_y,
               bool forward) {
    const auto moves = [&](DomainId d) {
      return is_half(d) || std::any_of(at(d).begin(), at(d).end(),
                                       [](const TmaTerm& t) { return t.part.count > 1; });
    };
    if (!moves(x) && !moves(y)) {
      known_[to_x] = {simple(to_x)};
      known_[to_y] = {simple(to_y)};
      return;
    }
    if (q_.proves(eq(q_.index(x), 0)) && q_.proves(ok(q_.index(y), q_.extent(y)))) {
      pass_on(x, to_x);  // the first row stays as it is
      pass_on(y, to_y);
      return;
    }
    if (s.kind == SwizzleKind::CyclicShift && q_.is_one(q_.extent(y))) {
      pass_on(x, to_x);  // a column of one item: nothing to shift
      pass_on(y, to_y);
      return;
    }
    const auto refuse = [&](const std::string& why, std::vector<TmaMend> tries) {
      q_.refuse("E463", q_.point(),
                "the swizzle of " + q_.name(x) + " and " + q_.name(y) + " in the tile of " +
                    q_.tensor().name + " is none that TMA does: " + why,
                std::move(tries));
    };
    if (s.kind != SwizzleKind::Xor) refuse("it is a cyclic shift", {TmaMend::Swizzle});
    const auto is_tile = [&](DomainId d) {
      return !is_half(d) && at(d).size() == 1 && at(d)[0].part.whole;
    };
    if (forward || !is_tile(x) || !is_tile(y)) {
      refuse(q_.name(is_tile(x) ? y : x) + " is no part of the tile alone",
             {TmaMend::Whole, TmaMend::Swizzle});
    }
    if (roles_.swizzle != TmaSwizzle::None) {
      refuse("the tile has another one", {TmaMend::Swizzle});
    }
    const TilePart row = at(x)[0].part, chunk = at(y)[0].part;
    const std::int64_t size = size_of(q_.tensor().type);
    const auto misfit = [&](const std::string& why) {
      refuse(why, {TmaMend::Factor, TmaMend::Swizzle});
    };
    const auto check_step = [&](DomainId d, const TilePart& part, std::int64_t bytes) {
      if (part.weight * size == bytes) return;
      misfit(q_.name(d) + " moves " + std::to_string(part.weight * size) +
             " bytes at a step, not " + std::to_string(bytes));
    };
    check_step(y, chunk, 16);
    if (chunk.count != 2 && chunk.count != 4 && chunk.count != 8) {
      misfit(q_.name(y) + " has " + std::to_string(chunk.count) + " chunks, not 2, 4 or 8");
    }
    check_step(x, row, 128);
    // Fewer rows are enough where the tile has no more.
    const bool is_top = row.weight * row.count == roles_.elements;
    if (row.count != chunk.count && !(is_top && row.count < chunk.count)) {
      misfit(q_.name(x) + " has " + std::to_string(row.count) + " rows to " +
             std::to_string(chunk.count) + " chunks");
    }
    roles_.swizzle = TmaSwizzle(std::countr_zero(std::uint64_t(chunk.count)));
    known_[to_x] = {{{to_x}, q_.index(to_x), q_.extent(to_x), row}};
    known_[to_y] = {{{to_y}, q_.index(to_y), q_.extent(to_y), chunk}};
    // Elements are counted as they would lie without it.
    roles_.place = roles_.place + (q_.index(to_y) - q_.index(y)) * chunk.weight;
  }

  TmaQuestions& q_;
  TmaRoles roles_;
  std::map<DomainId, Terms> known_;
  std::vector<Cut> cuts_;
  std::map<DomainId, Half> halves_;
};

}  // namespace

TmaRoles roles_of(TmaQuestions& questions) { return Roles(questions).run(); }

}  // namespace selvage
