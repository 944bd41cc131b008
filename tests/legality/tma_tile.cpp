#include "tests/legality/tma_tile.h"
#include <selvage/base/points.h>
#include <selvage/expr/tape.h>
#include <selvage/legality/tma_questions.h>

#include <unordered_map>

namespace selvage {

namespace {

constexpr std::int64_t kMost = 1 << 20;

using Numbers = std::vector<std::int64_t>;

bool is_small(const Numbers& extents) {
  const auto points = count_points(extents);
  return points && *points <= kMost;
}

// The number of each item, by its address in elements.
using Items = std::unordered_map<std::int64_t, std::int64_t>;
std::optional<Items> items_by_address(const Fusion& fusion, TensorId t) {
  const auto extents = known_extents(fusion.domains(), fusion[t].logical);
  if (!extents || !is_small(*extents)) return std::nullopt;
  std::vector<Expr> indices;
  for (std::size_t i = 0; i < extents->size(); ++i) {
    indices.push_back(fusion.pool().symbol("item" + std::to_string(i)));
  }
  const Expr address = address_of(fusion, fusion.domains(), t, indices);
  Tape tape(std::span(&address, 1), indices);
  Items items;
  std::int64_t number = 0;
  const bool is_done = for_each_point(*extents, [&](const auto& at) {
    if (!tape.evaluate(at)) return false;
    items.emplace(tape.root(0), number++);
    return true;
  });
  return is_done ? std::optional(std::move(items)) : std::nullopt;
}

// The element of shared memory into which the hardware writes element n of the box: of the address
// in bytes, the bits of the 16-byte chunk are xor'ed with those of the row of 128 bytes.
std::int64_t swizzled(std::int64_t n, TmaSwizzle swizzle, std::int64_t size) {
  const std::int64_t rows = tile_alignment(swizzle) / 128;
  if (swizzle == TmaSwizzle::None) return n;
  const std::int64_t address = n * size;
  return (address ^ ((address / 128 % rows) * 16)) / size;
}

class Model {
 public:
  Model(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
        const TmaCopy& copy)
      : q_(fusion, schedule, analysis),
        copy_(copy),
        items_(items_by_address(fusion, analysis.tensor)) {
    for (std::size_t k = 0; k < analysis.loops.size(); ++k) {
      (q_.is_bulk(k) ? inner_ : outer_).push_back(k);
    }
    for (const TmaDim& d : copy.dims) coordinates_.push_back(d.coordinate);
    wanted_ = q_.checks();
    for (DomainId d : q_.tensor().logical) wanted_.push_back(q_.index(d));
  }

  std::optional<std::vector<TmaElement>> run(bool with_fallback) {
    if (!copy_.weak || !items_ || !q_.extents() || !is_small(*q_.extents())) return std::nullopt;
    std::vector<Expr> roots = coordinates_;
    roots.insert(roots.end(), wanted_.begin(), wanted_.end());
    roots.insert(roots.end(), q_.analysis().variables.begin(), q_.analysis().variables.end());
    if (symbols_of(roots).size() != q_.analysis().variables.size()) return std::nullopt;
    for (const TmaDim& d : copy_.dims) {
      if (!d.size.is(Op::Const) || !d.stride.is(Op::Const)) return std::nullopt;
    }
    Tape coordinates(coordinates_, q_.analysis().variables);
    Tape wanted(wanted_, q_.analysis().variables);
    const Numbers copies = extents_of(outer_), tile = extents_of(inner_);
    std::vector<TmaElement> result;
    Numbers c(copies.size(), 0), at(q_.extents()->size(), 0);
    do {
      for (std::size_t i = 0; i < outer_.size(); ++i) at[outer_[i]] = c[i];
      for (std::size_t k : inner_) at[k] = 0;
      if (!coordinates.evaluate(at)) return std::nullopt;
      std::vector<TmaElement> elements = brought(coordinates);
      Numbers t(tile.size(), 0);
      bool has_item = false;
      std::size_t n = 0;
      do {
        for (std::size_t i = 0; i < inner_.size(); ++i) at[inner_[i]] = t[i];
        if (!wanted.evaluate(at)) return std::nullopt;
        elements[n].wants = item(wanted);
        has_item = has_item || elements[n].wants;
        ++n;
      } while (next_point(t, tile));
      for (TmaElement& e : elements) {
        if (with_fallback && !has_item) e.holds = TmaElement::kZero;
        result.push_back(e);
      }
    } while (next_point(c, copies));
    return result;
  }

 private:
  Numbers extents_of(const std::vector<std::size_t>& loops) const {
    Numbers extents;
    for (std::size_t k : loops) extents.push_back((*q_.extents())[k]);
    return extents;
  }

  // One copy, as the hardware does it.
  std::vector<TmaElement> brought(const Tape& coordinates) const {
    Numbers counts;
    std::int64_t elements = 1;
    for (const TmaDim& d : copy_.dims) {
      counts.push_back(d.count);
      elements *= d.count;
    }
    std::vector<TmaElement> result(static_cast<std::size_t>(elements));
    Numbers at(counts.size(), 0);
    const std::int64_t size = size_of(q_.tensor().type);
    std::int64_t n = 0;
    do {
      bool is_inside = true;
      std::int64_t address = 0;
      for (std::size_t k = 0; k < counts.size() && is_inside; ++k) {
        const TmaDim& d = copy_.dims[k];
        const std::int64_t index = coordinates.root(k) + at[k] * d.element_stride;
        is_inside = 0 <= index && index < d.size.value();
        if (is_inside) address += index * (d.stride.value() / size);
      }
      TmaElement& e = result[std::size_t(swizzled(n++, copy_.swizzle, size))];
      if (!is_inside) continue;
      const auto found = items_->find(address);
      e.holds = found == items_->end() ? TmaElement::kNoItem : found->second;
    } while (next_point(at, counts));
    return result;
  }

  // The item of a loop point, if it is valid.
  std::optional<std::int64_t> item(const Tape& wanted) const {
    const std::size_t checks = q_.checks().size();
    for (std::size_t k = 0; k < checks; ++k) {
      if (wanted.root(k) == 0) return std::nullopt;
    }
    std::int64_t number = 0;
    for (std::size_t k = checks; k < wanted_.size(); ++k) {
      number = number * q_.extent(q_.tensor().logical[k - checks]).value() + wanted.root(k);
    }
    return number;
  }

  const TmaQuestions q_;
  const TmaCopy& copy_;
  std::optional<Items> items_;
  std::vector<std::size_t> outer_, inner_;  // loops
  std::vector<Expr> coordinates_, wanted_;
};

}  // namespace

std::optional<std::vector<TmaElement>> modelled_tile(const Fusion& fusion, const Schedule& schedule,
                                                     const TensorAnalysis& analysis,
                                                     const TmaCopy& copy, bool with_fallback) {
  return Model(fusion, schedule, analysis, copy).run(with_fallback);
}

}  // namespace selvage
