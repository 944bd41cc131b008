#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/frontend/moved_store.h>
#include <selvage/ir/gather.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace selvage {

namespace {

// a and b of a subscript a*i + b; nothing if it is no such sum, or a is 0.
struct Affine {
  std::int64_t factor = 0;
  Expr offset;
};
std::optional<Affine> affine(Expr subscript, Expr index, Simplifier& simplifier) {
  const auto at = [&](std::int64_t i) {
    return substitute(subscript, {{index, simplifier.pool().constant(i)}});
  };
  const Expr offset = simplifier.simplify(at(0));
  const Expr factor = simplifier.simplify(at(1) - offset);
  if (!factor.is(Op::Const) || factor.value() == 0) return std::nullopt;
  if (!simplifier.proves(eq(subscript, factor * index + offset))) return std::nullopt;
  return Affine{factor.value(), offset};
}

}  // namespace

void check_axis(const MovedStore& store, std::size_t axis, std::optional<AccessMode> mode,
                Simplifier& simplifier) {
  const Expr index = store.indices[axis], of = store.subscripts[axis];
  if (!affine(of, index, simplifier)) {
    refuse<BadInput>("E316", "two items may come to one element, or it is not known which",
                     "store at a number times one index, plus integers and sizes: 2 * i + 1");
  }
  if (!mode) return;
  const std::string word(to_string(*mode)), help = "write safe, which drops what is outside";
  constexpr std::int64_t kMostLooked = 1'000;
  const Expr items = store.item.shape()[axis];
  const bool is_known = items.is(Op::Const) && store.shape[axis].is(Op::Const);
  std::map<std::int64_t, std::int64_t> first;  // by element
  for (std::int64_t i = 0; is_known && i < std::min(items.value(), kMostLooked); ++i) {
    const Expr at = substitute(of, {{index, simplifier.pool().constant(i)}});
    const Expr to = simplifier.simplify(remapped(simplifier, *mode, at, store.shape[axis]));
    if (!to.is(Op::Const)) break;
    const auto [other, is_new] = first.emplace(to.value(), i);
    if (is_new) continue;
    refuse<BadInput>(
        "E314",
        fmt::format("{} brings two items to one element: on axis {}, {} = {} and {} = "
                    "{} meet at {}",
                    word, axis, store.axes[axis], other->second, store.axes[axis], i, to.value()),
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
Tensor move_store(const MovedStore& store, const std::string& name, Simplifier& simplifier) {
  Fusion& f = store.item.fusion();
  const std::vector<Expr> extents = store.item.shape();
  std::vector<Expr> elements;
  std::vector<Subscript> items;
  std::optional<Element> comes;
  for (std::size_t k = 0; k < store.subscripts.size(); ++k) {
    const Affine a = *affine(store.subscripts[k], store.indices[k], simplifier);
    const Expr element = f.fresh_index(store.axes[k]);
    const Expr distance = a.factor > 0 ? element - a.offset : a.offset - element;
    const std::int64_t step = std::abs(a.factor);
    elements.push_back(element);
    if (step == 1) {
      items.emplace_back(distance);
      continue;
    }
    const Expr item = distance / step;
    items.push_back(clamped(item));
    const Expr is_one = eq(distance % step, 0) && 0 <= item && item < extents[k];
    const Element here(f, f.values().index(is_one));
    comes = comes ? *comes && here : here;
  }
  const Element none = store.old ? read(*store.old, elements)
                                 : cast({f, f.values().whole(0)}, f[store.item.id()].type);
  const Element moved = gather_or(store.item, items, none);
  return f.compute(name, elements, store.shape, comes ? select(*comes, moved, none) : moved);
}

}  // namespace selvage
