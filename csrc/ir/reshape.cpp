#include <selvage/base/integer.h>
#include <selvage/ir/reshape.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

class ReshapePlanner {
 public:
  ReshapePlanner(const Fusion& f, const std::vector<Expr>& from, const std::vector<Expr>& to)
      : fusion_(f), from_(from), to_(to), simplifier_(*f.facts()) {}

  std::optional<ReshapePlan> plan() {
    std::vector<std::size_t> before = axes_of(from_), after = axes_of(to_);
    // The finest groups from the front, then from the back; what is left is one group.
    ReshapePlan plan;
    while (auto group = first_group(before, after)) {
      before.erase(before.begin(), before.begin() + std::ptrdiff_t(group->from.size()));
      after.erase(after.begin(), after.begin() + std::ptrdiff_t(group->to.size()));
      plan.groups.push_back(std::move(*group));
    }
    std::reverse(before.begin(), before.end());
    std::reverse(after.begin(), after.end());
    std::vector<ReshapeGroup> behind;
    while (auto group = first_group(before, after)) {
      before.erase(before.begin(), before.begin() + std::ptrdiff_t(group->from.size()));
      after.erase(after.begin(), after.begin() + std::ptrdiff_t(group->to.size()));
      std::reverse(group->from.begin(), group->from.end());
      std::reverse(group->to.begin(), group->to.end());
      behind.push_back(std::move(*group));
    }
    if (!before.empty() || !after.empty()) {
      std::reverse(before.begin(), before.end());
      std::reverse(after.begin(), after.end());
      const auto items = product_of(fusion_, from_, before);
      const auto others = product_of(fusion_, to_, after);
      if (!items || !others || are_equal(*items, *others) == false) return std::nullopt;
      plan.check = eq(*items, *others);
      plan.groups.push_back({before, after});
    }
    plan.groups.insert(plan.groups.end(), behind.rbegin(), behind.rend());
    return plan;
  }

 private:
  static std::vector<std::size_t> axes_of(const std::vector<Expr>& extents) {
    std::vector<std::size_t> axes;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      if (!extents[k].is_const(1)) axes.push_back(k);
    }
    return axes;
  }

  // Nothing if neither is proved.
  std::optional<bool> are_equal(Expr a, Expr b) {
    if (same(a, b)) return true;
    if (a.is(Op::Const) && b.is(Op::Const)) return false;
    if (simplifier_.proves(eq(a, b))) return true;
    if (simplifier_.proves(!eq(a, b))) return false;
    return std::nullopt;
  }

  // The fewest axes at the front that hold as many items before as after.
  std::optional<ReshapeGroup> first_group(const std::vector<std::size_t>& before,
                                          const std::vector<std::size_t>& after) {
    for (std::size_t n = 2; n <= before.size() + after.size(); ++n) {
      for (std::size_t k = 1; k < n; ++k) {
        const std::size_t l = n - k;
        if (k > before.size() || l > after.size()) continue;
        ReshapeGroup group{{before.begin(), before.begin() + std::ptrdiff_t(k)},
                           {after.begin(), after.begin() + std::ptrdiff_t(l)}};
        const auto items = product_of(fusion_, from_, group.from);
        const auto others = product_of(fusion_, to_, group.to);
        if (items && others && are_equal(*items, *others) == true) return group;
      }
    }
    return std::nullopt;
  }

  const Fusion& fusion_;
  const std::vector<Expr>&from_, &to_;
  Simplifier simplifier_;
};

}  // namespace

std::optional<Expr> product_of(const Fusion& f, const std::vector<Expr>& extents,
                               const std::vector<std::size_t>& axes) {
  std::int64_t number = 1;
  Expr product;
  for (std::size_t k : axes) {
    const Expr n = extents[k];
    if (!n.is(Op::Const)) {
      product = product.valid() ? product * n : n;
      continue;
    }
    const auto both = checked_mul(number, n.value());
    if (!both || *both > kMost) return std::nullopt;
    number = *both;
  }
  if (!product.valid()) return f.pool().constant(number);
  return number == 1 ? product : product * number;
}

std::optional<ReshapePlan> plan_reshape(const Fusion& f, const std::vector<Expr>& from,
                                        const std::vector<Expr>& to) {
  return ReshapePlanner(f, from, to).plan();
}

}  // namespace selvage
