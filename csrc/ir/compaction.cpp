#include <selvage/base/refuse.h>
#include <selvage/ir/compaction.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/simplifier/simplifier.h>

#include <bit>

namespace selvage {

namespace {

// The greatest number of items, up to which the launch checks if there is no bound.
std::int64_t most_items(Fusion& f, Expr extent) {
  const Interval range = Simplifier(*f.facts()).interval(extent);
  if (range.has_hi()) return range.hi;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  f.check_at_launch(extent <= kMost, "a search goes through this many items at most");
  return kMost;
}

std::string part_of(const std::string& name, const char* part) {
  return name.empty() ? "" : name + "_" + part;
}

// Items below `wanted`, a value over `indices`: of each binary digit of their number, from the
// greatest on, it is found out whether it is 1. Each digit is a tensor, as what is read at depends
// on those before.
Tensor search(Tensor sorted, const std::vector<Expr>& indices, const std::vector<Expr>& shape,
              const Element& wanted, bool right, const std::string& name) {
  Fusion& f = sorted.fusion();
  const Expr n = sorted.shape()[0];
  std::optional<Tensor> below;
  const auto digits = std::bit_width(std::uint64_t(std::max<std::int64_t>(most_items(f, n), 1)));
  for (int digit = digits - 1; digit >= 0; --digit) {
    const std::int64_t step = std::int64_t{1} << digit;
    const Element before =
        below ? read(*below, indices) : cast({f, f.values().whole(0)}, DataType::Int64);
    const Element item = gather(sorted, {clamped(before + (step - 1))});
    const Element is_below = right ? item <= wanted : item < wanted;
    below = f.compute(digit == 0 ? name : "", indices, shape,
                      before + select(before + step <= Element(n) && is_below, step, 0));
  }
  return *below;
}

}  // namespace

Tensor searchsorted(Tensor sorted, Tensor values, bool right) {
  check_one_fusion("searchsorted", sorted, values);
  if (shape_of(sorted).size() != 1) {
    refuse<BadInput>("E511", "searchsorted: " + to_text(sorted) + " has another rank than 1",
                     "give a tensor of one axis");
  }
  const std::vector<Expr> indices = fresh_indices(values.fusion(), shape_of(values).size());
  return search(sorted, indices, shape_of(values), read(values, indices), right, "");
}

Compacted compact(Tensor x, Tensor keep, std::optional<Expr> length, const std::string& name) {
  check_one_fusion("compact", x, keep);
  const std::vector<Expr> shape = shape_of(x), other = shape_of(keep);
  Fusion& f = x.fusion();
  bool is_alike = shape.size() == other.size();
  for (std::size_t k = 0; is_alike && k < shape.size(); ++k) {
    is_alike = find_out(f, eq(shape[k], other[k])) != Holds::Never;
  }
  if (!is_alike) {
    refuse<BadInput>("E511",
                     "compact: " + to_text(x) + " and " + to_text(keep) + " differ in shape",
                     "give a condition for each item");
  }
  for (std::size_t k = 0; k < shape.size(); ++k) {
    require(f, eq(shape[k], other[k]), "compact: a condition stands for each item");
  }
  const Tensor items = shape.size() == 1 ? x : flatten(x);
  const Tensor kept = cumsum(cast(shape.size() == 1 ? keep : flatten(keep), DataType::Bool), 0);
  if (!name.empty()) named(kept, part_of(name, "kept"));
  const Expr n = items.shape()[0], k = f.fresh_index("k");
  const Tensor count = f.compute(part_of(name, "count"), {}, {}, read_or(kept, {n - 1}, 0));
  const std::vector<Expr> places = {length.value_or(n)};
  const Tensor place = search(kept, {k}, places, Element(k), true, part_of(name, "place"));
  const Element item = gather(items, {clamped(read(place, {k}))});
  const Element none = cast({f, f.values().whole(0)}, f[items.id()].type);
  return {f.compute(name, {k}, places, select(Element(k) < read(count, {}), item, none)), count};
}

}  // namespace selvage
