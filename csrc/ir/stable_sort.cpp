#include <selvage/base/refuse.h>
#include <selvage/ir/bisection.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/stable_sort.h>

namespace selvage {

namespace {

// Merges the runs of `width` items of what is sorted in them, two and two.
//
// Theorem. Let A and B be sorted, and let A's come first of equal items. Of the first d items of
// their merge as many are from A as there are numbers a < min(|A|, d) for which A[a] <= B[d - 1 -
// a] or d - 1 - a >= |B|; and where that fails for one number, it does for all behind it. Proof.
// A[a] is among the first d items if fewer than d stand in front of it, which are a of A and those
// of B that are less than it: if B[d - 1 - a], where there is such an item, is not less. With a
// rising, A[a] does not fall, d - 1 - a falls, and so B[d - 1 - a] does not rise. []
Sorted merged(const Sorted& runs, std::int64_t width) {
  Fusion& f = runs.items.fusion();
  const Expr extent = runs.items.shape()[0], p = f.fresh_index("p");
  const Expr both = f.constant(2 * width), place = p % both, begin = p - place;
  const auto number = [&](Expr e) { return Element(f, f.values().index(e)); };
  const Element first = number(min(extent - begin, f.constant(width))),
                second = number(max(min(extent - begin - width, f.constant(width)), f.constant(0)));
  const Element none = cast(Element(f, f.values().whole(0)), runs.items.type());
  const auto item = [&](const Element& at) {
    return gather_or(runs.items, {Subscript(number(begin) + at)}, none);
  };
  // Whether the item `a` of the first run is not above the item of the second one which, of
  // `in_front` items that come in front of a place, would be the last.
  const auto precedes = [&](const Element& a, const Element& in_front) {
    const Element b = in_front - a;
    return a < first && (second <= b || item(a) <= item(b + width));
  };
  const Element taken = read(
      count_by_bisection(
          f, {p}, {extent}, width,
          [&](const Element& a) { return a < number(place) && precedes(a, number(place - 1)); }),
      {p});
  const Element from =
      number(begin) + select(precedes(taken, number(place)), taken, number(place + width) - taken);
  const Tensor source = f.compute("", {p}, {extent}, from);
  const auto moved = [&](Tensor t) {
    return f.compute("", {p}, {extent}, gather(t, {clamped(read(source, {p}))}));
  };
  return {moved(runs.items), moved(runs.order)};
}

}  // namespace

Sorted stable_sort(Tensor x) {
  if (shape_of(x).size() != 1 || !is_integer(x.type())) {
    refuse<BadInput>("E511",
                     "stable_sort: " + to_text(x) + " of type " + std::string(to_string(x.type())) +
                         " is no list of integers",
                     "give a tensor of integers with one axis");
  }
  Fusion& f = x.fusion();
  const Expr k = f.fresh_index("k");
  Sorted runs{x, f.compute("", {k}, {shape_of(x)[0]}, Element(k))};
  const std::int64_t most = most_items(f, shape_of(x)[0]);
  for (std::int64_t width = 1; width < most; width *= 2) runs = merged(runs, width);
  return runs;
}

}  // namespace selvage
