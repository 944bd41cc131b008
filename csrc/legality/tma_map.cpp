#include <selvage/legality/tma_cuts.h>
#include <selvage/legality/tma_map.h>

#include <algorithm>

namespace selvage {

namespace {

using Terms = std::vector<TmaTerm>;

class TensorMap {
 public:
  TensorMap(TmaQuestions& q, const TmaRoles& roles)
      : q_(q), roles_(roles), terms_(share_cuts(q, roles)) {}

  std::vector<TmaDim> run() {
    collapse(Bounds::All);
    for (const Bounds seen : {Bounds::Tile, Bounds::Last}) {
      if (terms_.size() > TmaLimits::kRank) collapse(seen);
    }
    order();
    return dims();
  }

 private:
  // Which bounds must stay tested when two axes become one dimension, of which the hardware tests
  // the outer index alone. All: the inner index must never leave its bounds, so that no test is
  // lost. Otherwise axes are joined only to lower the rank: first where the inner axis does not
  // move in the tile (Tile), then any (Last).
  enum class Bounds : std::uint8_t { All, Tile, Last };

  // Two neighbours as one dimension, if that is possible; `seen`: the bounds that must stay tested.
  std::optional<TmaTerm> collapsed(const TmaTerm& o, const TmaTerm& i, Bounds seen) {
    const bool careful = seen == Bounds::All;
    if (seen == Bounds::Tile && i.part.in_tile) return std::nullopt;
    const bool only_outer_moves = o.part.in_tile && !i.part.in_tile && !q_.is_one(i.size);
    if (only_outer_moves || !is_contiguous(q_, o, i)) return std::nullopt;
    const Expr size = q_.simplify(o.size * i.size);
    const bool is_trivial = q_.is_one(o.size) || q_.is_one(i.size);
    if (careful && !is_trivial) {
      const auto items = q_.number(size);
      if (items ? *items > INT32_MAX : !q_.proves(size <= INT32_MAX)) return std::nullopt;
    }
    const bool is_row = i.part.whole && q_.number(i.size) == i.part.count;
    if (careful && !is_row && !q_.proves(ok(i.index, i.size))) return std::nullopt;
    const auto part = fused(o.part, i.part, q_.number(i.size), q_.number(size), false);
    if (!part || part->box > TmaLimits::kBox) return std::nullopt;
    if (part->count > 1 && part->step > TmaLimits::kElementStride) return std::nullopt;
    const bool is_inner = part->weight == 1 && part->count > 1;
    const std::int64_t limit = swizzle_bytes(roles_.swizzle);
    if (is_inner && limit > 0 && part->box * size_of(q_.tensor().type) > limit) return std::nullopt;
    TmaTerm term{o.domains, q_.simplify(o.index * i.size + i.index), size, *part};
    term.domains.insert(term.domains.end(), i.domains.begin(), i.domains.end());
    term.stride = common_stride(q_, o, i);
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

  // Sorts the axes that move in the tile into the order of the tile; the fastest becomes the last.
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
                      " is no box: one of its loops moves no item of " + q_.tensor().name,
                  {});
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
      // With one element of the tile along an axis, box and stride there do not matter.
      const bool is_single = t.part.count == 1;
      const bool fits = t.part.step <= TmaLimits::kElementStride && t.part.box <= TmaLimits::kBox;
      d.box = is_single && !fits ? 1 : t.part.box;
      d.element_stride = is_single && !fits ? 1 : t.part.step;
      d.count = t.part.count;
      const Expr place = q_.simplify(roles_.place / t.part.weight % t.part.count);
      d.coordinate = q_.simplify(q_.at_first(t.index));
      d.index = q_.simplify(d.coordinate + place * t.part.step);
    }
    return list;
  }

  TmaQuestions& q_;
  const TmaRoles& roles_;
  Terms terms_;
};

}  // namespace

std::vector<TmaDim> dims_of(TmaQuestions& questions, const TmaRoles& roles) {
  return TensorMap(questions, roles).run();
}

}  // namespace selvage
