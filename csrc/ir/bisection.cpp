#include <selvage/ir/bisection.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/ops.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace selvage {

std::int64_t most_items(Fusion& f, Expr extent) {
  const Interval range = Simplifier(*f.facts()).interval(extent);
  if (range.has_hi()) return range.hi;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  f.check_at_launch(extent <= kMost, "a search goes through this many items at most");
  return kMost;
}

Tensor count_by_bisection(Fusion& f, const std::vector<Expr>& indices,
                          const std::vector<Expr>& shape, std::int64_t most,
                          const std::function<Element(const Element& number)>& holds) {
  // With steps that are powers of two, the number is at least probe + 1 - step and less than
  // probe + 1 + step.
  auto step = std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(most, 1))));
  Element probe(f, f.values().whole(step - 1));
  for (;; step /= 2) {
    const std::int64_t up = std::max<std::int64_t>(step / 2, 1), down = step / 2;
    const Element next = probe + select(holds(probe), up, -down);
    const Tensor made = f.compute("", indices, shape, cast(next, DataType::Int64));
    if (step == 1) return made;
    probe = read(made, indices);
  }
}

}  // namespace selvage
