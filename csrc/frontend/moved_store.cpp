#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/frontend/moved_store.h>
#include <selvage/ir/gather.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace selvage {

MovedAxis moved_axis(const std::string& name, Expr index, Expr subscript, Simplifier& simplifier) {
  const auto at = [&](std::int64_t i) {
    return substitute(subscript, {{index, simplifier.pool().constant(i)}});
  };
  const Expr offset = simplifier.simplify(at(0));
  const Expr factor = simplifier.simplify(at(1) - offset);
  const bool is_number = factor.is(Op::Const) && factor.value() != 0;
  if (!is_number || !simplifier.proves(eq(subscript, factor * index + offset))) {
    refuse<BadInput>("E316", "two items may come to one element, or it is not known which",
                     "store at a number times one index, plus integers and sizes: 2 * i + 1");
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

}  // namespace selvage
