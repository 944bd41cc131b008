// Views: the definition reads at indices of the root, and transforms lead from the root to the
// logical domain. Reshapes are merges and splits, slices and pads are resizes.
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/reshape.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

Expr simplified(const Fusion& f, Expr e) { return Simplifier(*f.facts()).simplify(e); }

std::vector<std::size_t> all_but(std::size_t rank, std::size_t axis) {
  std::vector<std::size_t> axes;
  for (std::size_t k = 0; k < rank; ++k) {
    if (k != axis) axes.push_back(k);
  }
  return axes;
}

[[noreturn]] void refuse_reshape(const std::string& what, const std::string& why) {
  refuse<BadInput>("E511", what + ": " + why, "give a shape that holds as many items");
}

// The extent that -1 stands for: the number of items of x divided by the product of the other
// extents. If the division is not proved to be exact, that is checked at launch.
Expr left_over(Fusion& f, const std::string& what, const std::vector<Expr>& from,
               const std::vector<Expr>& to, std::size_t axis) {
  std::vector<Expr> items = from, others;
  for (std::size_t k : all_but(to.size(), axis)) {
    const auto own =
        std::find_if(items.begin(), items.end(), [&](Expr n) { return same(n, to[k]); });
    if (own != items.end()) {
      items.erase(own);
    } else {
      others.push_back(to[k]);
    }
  }
  const auto all = product_of(f, items, all_but(items.size(), items.size()));
  const auto rest = product_of(f, others, all_but(others.size(), others.size()));
  if (!all || !rest) refuse_reshape(what, "there are more than 2^62 items");
  if (rest->is_const(1)) return *all;
  if (require(f, eq(*all % *rest, f.constant(0)), what + " must give whole extents") ==
      Holds::Never) {
    refuse_reshape(what, to_string(*all) + " items are no multiple of " + to_string(*rest));
  }
  return simplified(f, *all / *rest);
}

// A place on an axis of n items; below 0 it counts from the end.
Expr place_on_axis(const Fusion& f, const Extent& place, Expr n) {
  const auto number = place.number();
  if (number == kEnd) return n;
  if (number && *number < 0) return simplified(f, n + f.pool().constant(*number));
  return place.in(f);
}

// x with each axis resized: the definition, over indices of the root, is `value`.
Tensor resized(Tensor x, const std::vector<std::pair<Expr, Expr>>& sides,
               const std::vector<Expr>& indices, ValueId value) {
  const auto view = [&](DomainGraph& graph, const std::vector<DomainId>& root) {
    std::vector<DomainId> logical;
    for (std::size_t k = 0; k < root.size(); ++k) {
      const auto& [left, right] = sides[k];
      const bool is_same = left.is_const(0) && right.is_const(0);
      logical.push_back(is_same ? root[k] : graph.resize(root[k], left, right));
    }
    return logical;
  };
  return x.fusion().compute_view("", indices, shape_of(x), view, value);
}

}  // namespace

Tensor reshape(Tensor x, std::vector<Extent> asked) {
  Fusion& f = x.fusion();
  const std::vector<Expr> from = shape_of(x);
  std::vector<Expr> to;
  for (const Extent& e : asked) to.push_back(e.in(f));
  const std::string what = "reshape of " + to_text(x) + " to " + to_text(to);
  std::optional<std::size_t> open;
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (to[k].is_const(-1) && open) refuse_reshape(what, "-1 stands there twice");
    if (to[k].is_const(-1)) open = k;
    if (to[k].is(Op::Const) && to[k].value() < 1 && !to[k].is_const(-1)) {
      refuse_reshape(what, "an extent is " + to_string(to[k]));
    }
  }
  if (open) to[*open] = left_over(f, what, from, to, *open);
  const auto plan = plan_reshape(f, from, to);
  if (!plan) refuse_reshape(what, "the numbers of items differ");
  for (const ReshapeGroup& group : plan->groups) {
    if (!product_of(f, from, group.from)) refuse_reshape(what, "there are more than 2^62 items");
  }
  if (plan->check) require(f, *plan->check, what + " must keep the number of items");

  // The root, in the order that the result needs: the axes that each group merges, and new axes of
  // extent 1. Axes in no group are read at 0: their extent is 1 or is checked to be.
  std::vector<const ReshapeGroup*> group_of(to.size(), nullptr);
  for (const ReshapeGroup& group : plan->groups) {
    for (std::size_t k : group.to) group_of[k] = group.from.empty() ? nullptr : &group;
  }
  std::vector<Expr> indices, extents, subscripts(from.size(), f.constant(0));
  std::vector<std::size_t> place(from.size()), ones(to.size());  // positions in the root
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (group_of[k] == nullptr) {
      ones[k] = indices.size();
      indices.push_back(f.fresh_index("one" + std::to_string(k)));
      extents.push_back(f.constant(1));
    } else if (k == group_of[k]->to[0]) {
      for (std::size_t axis : group_of[k]->from) {
        place[axis] = indices.size();
        subscripts[axis] = f.fresh_index("i" + std::to_string(axis));
        indices.push_back(subscripts[axis]);
        extents.push_back(from[axis]);
      }
    }
  }
  const auto view = [&](DomainGraph& graph, const std::vector<DomainId>& root) {
    std::vector<DomainId> logical(to.size());
    for (std::size_t k = 0; k < to.size(); ++k) {
      if (group_of[k] == nullptr) logical[k] = root[ones[k]];
    }
    for (const ReshapeGroup& group : plan->groups) {
      if (group.from.empty() || group.to.empty()) continue;
      DomainId d = root[place[group.from[0]]];
      for (std::size_t k = 1; k < group.from.size(); ++k) {
        d = graph.merge(d, root[place[group.from[k]]]);
      }
      for (std::size_t k = 0; k + 1 < group.to.size(); ++k) {
        const std::vector<std::size_t> inner(group.to.begin() + std::ptrdiff_t(k) + 1,
                                             group.to.end());
        const auto [outer, rest] =
            graph.split_evenly(d, to[group.to[k]], *product_of(f, to, inner));
        logical[group.to[k]] = outer;
        d = rest;
      }
      logical[group.to.back()] = d;
    }
    return logical;
  };
  return f.compute_view("", indices, extents, view, element_of(x, std::move(subscripts)));
}

Tensor flatten(Tensor x) { return reshape(x, {-1}); }

Tensor slice(Tensor x, int axis, Extent begin, Extent end, std::int64_t step) {
  Fusion& f = x.fusion();
  const std::size_t k = axes_of("slice", x, {axis}).front();
  const std::vector<Expr> shape = shape_of(x);
  const Expr n = shape[k], first = place_on_axis(f, begin, n), last = place_on_axis(f, end, n);
  const std::string what = "slice of axis " + std::to_string(k) + " of " + to_text(x) + " from " +
                           to_string(first) + " to " + to_string(last);
  const std::string help = "keep 0 <= begin < end <= " + to_string(n);
  if (step < 1) {
    refuse<BadInput>("E512", what + " by steps of " + std::to_string(step),
                     "take steps of at least 1");
  }
  std::vector<Expr> checks;
  for (Expr condition : {0 <= first, first < last, last <= n}) {
    const Holds holds = find_out(f, condition);
    if (holds == Holds::Never) refuse<BadInput>("E512", what + " is empty or leaves it", help);
    if (holds == Holds::Checked) checks.push_back(condition);
  }
  for (Expr condition : checks) require(f, condition, what + " must lie within it, not empty");

  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  if (step == 1) {
    std::vector<std::pair<Expr, Expr>> sides(shape.size(), {f.constant(0), f.constant(0)});
    sides[k] = {simplified(f, 0 - first), simplified(f, last - n)};
    return resized(x, sides, indices, element_of(x, indices));
  }
  std::vector<Expr> extents = shape, subscripts = indices;
  extents[k] = simplified(f, ceil_div(last - first, f.constant(step)));
  subscripts[k] = simplified(f, first + indices[k] * step);
  return f.compute("", indices, extents, element_of(x, std::move(subscripts)));
}

Tensor pad(Tensor x, std::vector<std::pair<Extent, Extent>> asked, Operand value) {
  Fusion& f = x.fusion();
  const std::vector<Expr> shape = shape_of(x);
  if (asked.size() != shape.size()) {
    refuse<BadInput>("E511",
                     "pad: " + std::to_string(asked.size()) + " pairs of sides for " + to_text(x),
                     "give one pair for each axis");
  }
  std::vector<std::pair<Expr, Expr>> sides;
  std::vector<Expr> checks;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    sides.emplace_back(asked[k].first.in(f), asked[k].second.in(f));
    const auto& [left, right] = sides.back();
    const Expr positive = 1 <= simplified(f, shape[k] + left + right);
    const Holds holds = find_out(f, positive);
    if (holds == Holds::Never) {
      refuse<BadInput>("E512",
                       "pad: nothing is left of axis " + std::to_string(k) + " of " + to_text(x) +
                           " with the sides " + to_string(left) + " and " + to_string(right),
                       "leave at least one item");
    }
    if (holds == Holds::Checked) checks.push_back(positive);
  }
  const DataType type = f[x.id()].type;
  const ValueId filling = filling_of("pad", x, value);
  for (Expr condition : checks) {
    require(f, condition, "pad of " + to_text(x) + " must leave something of each axis");
  }
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  return resized(x, sides, indices,
                 f.values().read_or(type, std::uint32_t(x.id()), indices, filling));
}

Tensor concatenate(std::vector<Tensor> tensors, int axis) {
  if (tensors.empty()) {
    refuse<BadInput>("E511", "concatenate: there is no tensor", "give at least one");
  }
  Fusion& f = tensors[0].fusion();
  const std::size_t k = axes_of("concatenate", tensors[0], {axis}).front();
  std::vector<Expr> shape = shape_of(tensors[0]), checks;
  DataType type = f[tensors[0].id()].type;
  Expr total = shape[k];
  std::vector<Expr> begins = {f.constant(0)};  // where each tensor begins on the axis
  for (std::size_t t = 1; t < tensors.size(); ++t) {
    check_one_fusion("concatenate", tensors[0], tensors[t]);
    const std::vector<Expr> other = shape_of(tensors[t]);
    const std::string what = "concatenate: " + to_text(tensors[0]) + " and " + to_text(tensors[t]);
    if (other.size() != shape.size()) {
      refuse<BadInput>("E511", what + " differ in rank", "give both as many axes");
    }
    for (std::size_t a : all_but(shape.size(), k)) {
      if (same(shape[a], other[a])) continue;
      const Expr equal = eq(shape[a], other[a]);
      const Holds holds = find_out(f, equal);
      if (holds == Holds::Never) {
        refuse<BadInput>("E501",
                         what + " differ along axis " + std::to_string(a) + ", by which they are " +
                             "not concatenated",
                         "make all extents but those of axis " + std::to_string(k) + " equal");
      }
      if (holds == Holds::Checked) checks.push_back(equal);
    }
    const DataType own = f[tensors[t].id()].type;
    const auto common = promote(type, false, own, false);
    if (!common) {
      refuse<BadInput>("E506",
                       what + ": no integer type holds both " + std::string(to_string(type)) +
                           " and " + std::string(to_string(own)),
                       "cast one of them");
    }
    type = *common;
    begins.push_back(total);
    total = simplified(f, total + other[k]);
  }
  for (Expr condition : checks) {
    require(f, condition, "what is concatenated must agree along all other axes");
  }
  for (Tensor& t : tensors) {
    if (compute_type(f[t.id()].type) != compute_type(type)) t = cast(t, type);
  }

  shape[k] = total;
  const std::vector<Expr> indices = fresh_indices(f, shape.size());
  // From the last tensor to the first: what is out of the bounds of one is read from those after
  // it.
  ValueGraph& values = f.values();
  ValueId value = values.constant(type, std::int64_t{0}, false);
  for (std::size_t t = tensors.size(); t-- > 0;) {
    std::vector<Expr> subscripts = indices;
    if (t > 0) subscripts[k] = indices[k] - begins[t];
    value = values.read_or(f[tensors[t].id()].type, std::uint32_t(tensors[t].id()),
                           std::move(subscripts), value);
  }
  return f.compute("", indices, shape, value, type);
}

}  // namespace selvage
