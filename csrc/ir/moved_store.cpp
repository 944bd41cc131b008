#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/ir/gather.h>
#include <selvage/ir/moved_store.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace selvage {

namespace {

[[noreturn]] void refuse_meeting() {
  refuse<BadInput>("E316", "two items may come to one element, or it is not known which",
                   "store at a number times one index, plus integers and sizes: 2 * i + 1");
}

}  // namespace

MovedAxis moved_axis(const std::string& name, Expr index, Expr subscript, Simplifier& simplifier) {
  const auto at = [&](std::int64_t i) {
    return substitute(subscript, {{index, simplifier.pool().constant(i)}});
  };
  const Expr offset = simplifier.simplify(at(0));
  const Expr factor = simplifier.simplify(at(1) - offset);
  const bool is_number = factor.is(Op::Const) && factor.value() != 0;
  if (!is_number || !simplifier.proves(eq(subscript, factor * index + offset))) {
    refuse_meeting();
  }
  return {name, factor.value(), offset};
}

void refuse_mode(const MovedAxis& axis, std::size_t number, AccessMode mode, Expr items,
                 Expr elements, Simplifier& simplifier) {
  const std::string word(to_string(mode)), help = "write safe, which drops what is outside";
  constexpr std::int64_t kMostLooked = 1'000;
  const bool is_known = items.is(Op::Const) && elements.is(Op::Const);
  std::map<std::int64_t, std::int64_t> first;  // by element
  for (std::int64_t i = 0; is_known && i < std::min(items.value(), kMostLooked); ++i) {
    const Expr at = simplifier.pool().constant(axis.factor) * i + axis.offset;
    const Expr to = simplifier.simplify(remapped(simplifier, mode, at, elements));
    if (!to.is(Op::Const)) break;
    const auto [other, is_new] = first.emplace(to.value(), i);
    if (is_new) continue;
    refuse<BadInput>("E314",
                     fmt::format("{} brings two items to one element: on axis {}, {} = {} and {} = "
                                 "{} meet at {}",
                                 word, number, axis.name, other->second, axis.name, i, to.value()),
                     help);
  }
  refuse<BadInput>("E314", word + " around a store would bring two items to one element", help);
}

ComesInside comes_inside(const MovedAxis& axis, const std::string& name, Expr items, Expr elements,
                         Simplifier& simplifier) {
  const Expr first = axis.offset;
  const Expr last = simplifier.simplify(axis.factor * (items - 1) + axis.offset);
  const bool rises = axis.factor > 0;
  return {(rises ? 0 <= first && last < elements : 0 <= last && first < elements),
          fmt::format(
              "{} stores its items along {} at {} to {}, and is checked to have all of them", name,
              axis.name, to_string(rises ? first : last), to_string(rises ? last : first))};
}

std::vector<Expr> shape_of_moved(const std::string& name, std::size_t rank,
                                 const std::optional<std::vector<Expr>>& asked,
                                 std::optional<Tensor> old) {
  if (!asked && !old) {
    refuse<BadInput>("E317", "the shape of " + name + ", whose items are moved, is not known",
                     "give " + name + " a shape under outputs or shapes");
  }
  const std::vector<Expr> shape = asked ? *asked : old->shape();
  if (shape.size() == rank) return shape;
  refuse<BadInput>(
      "E503",
      fmt::format("{} has rank {} and is stored at {} subscripts", name, shape.size(), rank),
      "give one subscript for each axis");
}

// Where items are more than one element apart, the one that is asked for is brought inside, and the
// condition asked beside: of a quotient with conditions around it, it is seldom proved where it is.
Tensor move_store(Tensor item, const std::vector<MovedAxis>& axes, const std::vector<Expr>& shape,
                  std::optional<Tensor> old, const std::string& name) {
  Fusion& f = item.fusion();
  const std::vector<Expr> extents = item.shape();
  std::vector<Expr> elements;
  std::vector<Subscript> items;
  std::optional<Element> comes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const MovedAxis& axis = axes[k];
    const Expr element = f.fresh_index(axis.name);
    const Expr distance = axis.factor > 0 ? element - axis.offset : axis.offset - element;
    const std::int64_t step = std::abs(axis.factor);
    elements.push_back(element);
    if (step == 1) {
      items.emplace_back(distance);
      continue;
    }
    const Expr own = distance / step;
    items.push_back(clamped(own));
    const Expr is_one = eq(distance % step, 0) && 0 <= own && own < extents[k];
    const Element here(f, f.values().index(is_one));
    comes = comes ? *comes && here : here;
  }
  const ValueId zero = f.values().constant(f[item.id()].type, std::int64_t{0}, false);
  const Element none = old ? read(*old, elements) : Element(f, zero);
  const Element moved = gather_or(item, items, none);
  return f.compute(name, elements, shape, comes ? select(*comes, moved, none) : moved);
}

namespace {

Tensor stored(Tensor item, const std::vector<Expr>& indices, const std::vector<Expr>& subscripts,
              const std::vector<Expr>& shape, std::optional<Tensor> old) {
  Fusion& f = item.fusion();
  if (indices.size() != item.rank() || subscripts.size() != item.rank() ||
      shape.size() != item.rank()) {
    refuse<BadInput>(
        "E503",
        fmt::format("{} has rank {}, and there are {} indices, {} subscripts and {} "
                    "extents",
                    item.name(), item.rank(), indices.size(), subscripts.size(), shape.size()),
        "give one of each for each axis");
  }
  Facts facts = *f.facts();
  for (std::size_t k = 0; k < indices.size(); ++k) facts.loop(indices[k], item.shape()[k]);
  Simplifier simplifier(std::move(facts));
  std::vector<MovedAxis> axes;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    axes.push_back(
        moved_axis(std::string(indices[k].name()), indices[k], subscripts[k], simplifier));
  }
  for (const MovedAxis& axis : axes) {
    const std::vector<Expr> used = symbols_of(std::span(&axis.offset, 1));
    if (std::ranges::any_of(used, [&](Expr s) { return contains(indices, s); })) refuse_meeting();
  }
  return move_store(item, axes, shape, old, "");
}

}  // namespace

Tensor store_at(Tensor item, const std::vector<Expr>& indices, const std::vector<Expr>& subscripts,
                std::vector<Expr> shape) {
  return stored(item, indices, subscripts, shape, std::nullopt);
}

Tensor store_into(Tensor old, Tensor item, const std::vector<Expr>& indices,
                  const std::vector<Expr>& subscripts) {
  return stored(item, indices, subscripts, old.shape(), old);
}

}  // namespace selvage
