#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/legality/tma_map.h>
#include <selvage/legality/tma_roles.h>

#include <algorithm>
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
    const std::vector<Expr> strides = q_.strides();
    for (std::size_t k = 0; k < memory.size(); ++k) {
      Terms terms = at(memory[k]);
      Expr stride = strides[k];
      for (std::size_t m = terms.size(); m-- > 0;) {
        terms[m].stride = q_.simplify(stride);
        stride = stride * terms[m].size;
      }
      roles_.terms.insert(roles_.terms.end(), terms.begin(), terms.end());
    }
    return std::move(roles_);
  }

 private:
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
      at(d) = {{{d}, q_.index(d), q_.extent(d), part}};
    }
  }

  Terms& at(DomainId d) { return known_[d]; }

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
                          },
                          [&](const Skew& s) {
                            if (forward) {
                              skew(s, s.in, s.out);
                            } else {
                              skew(s, s.out, s.in);
                            }
                          }},
               g[step.transform]);
  }

  static bool is_coordinate(const Terms& terms) {
    return terms.size() == 1 && !terms[0].part.in_tile && !terms[0].half;
  }

  // Two neighbours in mixed radix as one, if that is possible.
  std::optional<TmaTerm> fuse(const TmaTerm& o, const TmaTerm& i, std::optional<Expr> size) {
    if (o.half || i.half) return std::nullopt;
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
    const Terms &o = at(od), &i = at(id);
    if (is_zero(od) || is_zero(id)) return rename(is_zero(od) ? i : o, x);
    const TmaTerm &last = o.back(), &first = i.front();
    const bool is_single = o.size() == 1 && i.size() == 1;
    const auto one = fuse(last, first, is_single ? std::optional(q_.extent(x)) : std::nullopt);
    const bool coordinates = is_coordinate(o) && is_coordinate(i);
    const bool partition = is_coordinate(o) && first.part.in_tile && !first.part.boxed;
    const bool tile =
        last.part.in_tile && !last.part.boxed && (is_coordinate(i) || first.part.whole);
    const bool is_exact = q_.proves(eq(q_.extent(od) * q_.extent(id), q_.extent(x)));
    const bool fits =
        one && one->part.box <= TmaLimits::kBox && one->part.step <= TmaLimits::kElementStride;
    Terms parts;
    if (one && (coordinates || partition || (tile && (fits || !is_exact)))) {
      parts = with(o, *one, i);
    } else if (is_exact) {
      parts = o;
      parts.insert(parts.end(), i.begin(), i.end());
    } else if (one) {
      parts = with(o, *one, i);
    } else if (o.size() == 1 && i.size() == 1 && (is_coordinate(o) || is_coordinate(i)) &&
               (is_coordinate(o) || can_scale(id, last.scale))) {
      // One half of a cut box, as a part of a larger number.
      parts = {is_coordinate(o) ? first : last};
      parts[0].shifted = true;
      if (is_coordinate(i)) parts[0].scale *= *q_.number(q_.extent(id));
    } else {
      if (!q_.require(eq(q_.extent(x) % q_.extent(id), 0))) refuse_cut(x, od, id);
      parts = o;
      parts.insert(parts.end(), i.begin(), i.end());
    }
    rename(std::move(parts), x);
  }

  // Whether an iterdomain has one item, and its index is always 0.
  bool is_zero(DomainId d) {
    const TmaTerm& t = at(d)[0];
    return q_.is_one(q_.extent(d)) && q_.proves(eq(q_.index(d), 0)) &&
           (!t.half || q_.is_one(t.radix));
  }

  void rename(Terms parts, DomainId x) {
    if (parts.size() == 1) {
      parts[0].domains = {x};
      parts[0].index = q_.index(x);
    }
    fit(parts, x);
    at(x) = std::move(parts);
  }

  // Makes one axis of all; false if that is not possible.
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

  bool can_scale(DomainId inner, std::int64_t scale) {
    const auto n = q_.number(q_.extent(inner));
    return n && checked_mul(*n, scale);
  }

  static Terms with(const Terms& o, const TmaTerm& one, const Terms& i) {
    Terms parts(o.begin(), o.end() - 1);
    parts.push_back(one);
    parts.insert(parts.end(), i.begin() + 1, i.end());
    return parts;
  }

  // Gives the outermost axis what the others leave of the extent, which must be whole rows.
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

  // Refuses E460: a copy would go on past the end of x, into what lies behind it.
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
    const Terms whole = at(x);
    const auto simple = [&](DomainId d) { return TmaTerm{{d}, q_.index(d), q_.extent(d), {}}; };
    if (is_coordinate(whole)) {
      at(od) = {simple(od)};
      at(id) = {simple(id)};
      return;
    }
    // An axis of one item is no cut.
    if (whole.size() > 1 && q_.is_one(q_.extent(id))) {
      at(od) = whole;
      at(id) = {{{id}, q_.c(0), q_.extent(id), {}}};
      return fit(at(od), od);
    }
    if (whole.size() > 1 && q_.is_one(q_.extent(od))) {
      at(od) = {{{od}, q_.c(0), q_.extent(od), {}}};
      at(id) = whole;
      return fit(at(id), id);
    }
    const bool is_as_cut = !whole[0].half || (!whole[0].shifted && whole[0].scale == 1 &&
                                              q_.proves(eq(whole[0].size, whole[0].radix)));
    if (roles_.cuts.size() == kMostCuts) {
      q_.refuse("E466", Unknown{},
                "the tile of " + q_.tensor().name + " goes through more than " +
                    std::to_string(kMostCuts) + " merges",
                {TmaMend::Inner});
    }
    if (whole.size() == 1 && is_as_cut) {
      roles_.cuts.push_back({whole[0], x, od, id});
      TmaTerm o = simple(od), i = simple(id);
      o.half = {roles_.cuts.size() - 1, true};
      i.half = {roles_.cuts.size() - 1, false};
      o.radix = o.size;
      i.radix = i.size;
      at(od) = {o};
      at(id) = {i};
      return;
    }
    // Several axes are cut between two of them, or not at all.
    Expr row = q_.c(1);
    for (std::size_t k = whole.size(); k-- > 1;) {
      row = row * whole[k].size;
      if (!q_.proves(eq(row, q_.extent(id)))) continue;
      at(od) = Terms(whole.begin(), whole.begin() + std::ptrdiff_t(k));
      at(id) = Terms(whole.begin() + std::ptrdiff_t(k), whole.end());
      at(od)[0].size = q_.simplify(q_.extent(od) / product(at(od)));
      return;
    }
    if (Terms one = whole; one.size() > 1 && fuse_all(one, x)) {
      one[0].size = q_.extent(x);
      at(x) = std::move(one);
      return cut(x, od, id);
    }
    // At a point where both parts move in one copy.
    q_.refuse("E460", q_.point(eq(q_.index(od), q_.at_first(q_.index(od)))),
              "the tile of " + q_.tensor().name + " is no box: " + shown(x) +
                  " is cut in two ways, and the merge of " + q_.name(od) + " and " + q_.name(id) +
                  " is none of them",
              {TmaMend::Factor, TmaMend::Inner});
  }
  Expr product(const Terms& terms) {
    Expr row = q_.c(1);
    for (std::size_t k = 1; k < terms.size(); ++k) row = row * terms[k].size;
    return row;
  }

  // Whether an iterdomain takes several values in the tile.
  bool moves(DomainId d) {
    return std::ranges::any_of(at(d), [](const TmaTerm& t) { return t.half || t.part.count > 1; });
  }

  // A tile of one row is shifted by what that row is; of others each would have its own.
  void skew(const Skew& s, DomainId from, DomainId to) {
    const bool is_shift = !moves(s.along);
    if (!is_shift && !q_.proves(eq(s.by % s.modulo, 0))) {
      q_.refuse("E460", q_.point(),
                "the tile of " + q_.tensor().name + " is no box: the skew of " + q_.name(s.in) +
                    " along " + q_.name(s.along) + ", of which the tile has several, moves each " +
                    "of them by an offset of its own",
                {});
    }
    shift(from, to, is_shift ? q_.simplify(s.by * q_.index(s.along) % s.modulo) : q_.c(0));
  }

  // out = in + left, the same for all of the tile.
  void shift(DomainId in, DomainId out, Expr left) {
    Terms parts = at(in);
    const bool is_moved = !q_.proves(eq(left, 0));
    if (parts.size() > 1 && !is_moved && q_.proves(q_.extent(in) <= q_.extent(out))) {
      at(out) = std::move(parts);  // of what lies there, the first rows
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
      t.shifted = t.shifted || is_moved;
      t.part.whole = t.part.whole && !is_moved;
      t.part.aligned =
          t.part.aligned && q_.proves(eq(left % q_.c(std::max<std::int64_t>(t.part.box, 1)), 0));
    }
    fit(parts, out);
    at(out) = std::move(parts);
  }

  void swizzle(const Swizzle& s, DomainId x, DomainId y, DomainId to_x, DomainId to_y,
               bool forward) {
    if (!moves(x) && !moves(y)) {
      at(to_x) = {{{to_x}, q_.index(to_x), q_.extent(to_x), {}}};
      at(to_y) = {{{to_y}, q_.index(to_y), q_.extent(to_y), {}}};
      return;
    }
    const bool keeps_rows = s.kind != SwizzleKind::Hilbert;
    if (keeps_rows && q_.proves(eq(q_.index(x), 0)) && q_.proves(ok(q_.index(y), q_.extent(y)))) {
      at(to_x) = at(x);  // the first row stays as it is
      at(to_y) = at(y);
      return;
    }
    if (s.kind == SwizzleKind::CyclicShift && q_.is_one(q_.extent(y))) {
      at(to_x) = at(x);  // a column of one item: nothing to shift
      at(to_y) = at(y);
      return;
    }
    const auto refuse = [&](const std::string& why, std::vector<TmaMend> tries) {
      q_.refuse("E463", q_.point(),
                "the swizzle of " + q_.name(x) + " and " + q_.name(y) + " in the tile of " +
                    q_.tensor().name + " is none that TMA does: " + why,
                std::move(tries));
    };
    if (s.kind != SwizzleKind::Xor) {
      const bool is_shift = s.kind == SwizzleKind::CyclicShift;
      refuse(is_shift ? "it is a cyclic shift" : "it is Hilbert's curve", {TmaMend::Swizzle});
    }
    const auto is_tile = [&](DomainId d) {
      return at(d).size() == 1 && at(d)[0].part.whole && !at(d)[0].half;
    };
    if (forward || !is_tile(x) || !is_tile(y)) {
      refuse(q_.name(is_tile(x) ? y : x) + " is no part of the tile alone",
             {TmaMend::Whole, TmaMend::Swizzle});
    }
    if (roles_.swizzle != TmaSwizzle::None) {
      refuse("the tile has another one", {TmaMend::Swizzle});
    }
    const TilePart row = at(x)[0].part, chunk = at(y)[0].part;
    const HardwareSwizzle found = hardware_swizzle(
        row, chunk, roles_.elements, size_of(q_.tensor().type), q_.name(x), q_.name(y));
    if (found.swizzle == TmaSwizzle::None) {
      refuse(found.why, {TmaMend::Factor, TmaMend::Swizzle});
    }
    roles_.swizzle = found.swizzle;
    at(to_x) = {{{to_x}, q_.index(to_x), q_.extent(to_x), row}};
    at(to_y) = {{{to_y}, q_.index(to_y), q_.extent(to_y), chunk}};
    // The place counts elements as they would lie without the swizzle.
    roles_.place = roles_.place + (q_.index(to_y) - q_.index(y)) * chunk.weight;
  }

  TmaQuestions& q_;
  TmaRoles roles_;
  std::map<DomainId, Terms> known_;
};

}  // namespace

TmaRoles roles_of(TmaQuestions& questions) { return Roles(questions).run(); }

}  // namespace selvage
