#include <selvage/expr/symbols.h>
#include <selvage/report/made_up_sizes.h>
#include <selvage/report/point.h>

#include <algorithm>

namespace selvage {

namespace {

const std::vector<std::int64_t> kPreferred = {37, 29, 7, 5, 3};
constexpr std::int64_t kGap = 3;  // elements between two rows

std::vector<Expr> stride_symbols(const Fusion& fusion) {
  std::vector<Expr> strides;
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    for (Expr s : fusion[TensorId(i)].strides) {
      if (s.is(Op::Symbol)) strides.push_back(s);
    }
  }
  return strides;
}

// From the innermost axis on: past what lies inside of it.
void add_strides(const Fusion& fusion, Point& point) {
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    const TensorInfo& tensor = fusion[TensorId(i)];
    const auto& axes = allocation_of(fusion, TensorId(i));
    std::int64_t inside = 1;
    for (std::size_t k = tensor.strides.size(); k-- > 0;) {
      const Expr stride = tensor.strides[k];
      if (stride.is(Op::Symbol) && !value_of(stride, point)) {
        const auto found = completed(*fusion.facts(), point, {stride}, {}, {inside + kGap});
        if (!found) return;
        point = *found;
      }
      const auto step = value_at(stride, point);
      const auto extent = value_at(fusion.domains()[axes[k]].extent, point);
      if (!step || !extent) return;
      inside = std::max(inside, *step * *extent);
    }
  }
}

}  // namespace

std::map<std::string, std::int64_t> made_up_sizes(
    const Fusion& fusion, const Program& program,
    const std::map<std::string, std::int64_t>& given) {
  Point point;
  const std::vector<Expr> strides = stride_symbols(fusion);
  std::vector<Expr> missing;
  for (Expr n : fusion.sizes()) {
    const auto it = given.find(std::string(n.name()));
    if (it != given.end()) {
      point.emplace_back(n, it->second);
    } else if (!contains(strides, n)) {
      missing.push_back(n);
    }
  }
  std::vector<Expr> conditions = relations(*fusion.facts());
  for (const LaunchCheck& check : program.checks) conditions.push_back(check.condition);
  // What speaks of a stride is left to the run itself.
  std::erase_if(conditions, [&](Expr condition) {
    const std::vector<Expr> used = symbols_of(std::span(&condition, 1));
    return std::any_of(used.begin(), used.end(),
                       [&](Expr s) { return !value_of(s, point) && !contains(missing, s); });
  });
  std::map<std::string, std::int64_t> sizes = given;
  const auto found = completed(*fusion.facts(), point, missing, conditions, kPreferred);
  if (!found) return sizes;
  point = *found;
  add_strides(fusion, point);
  for (const auto& [symbol, value] : point) sizes[std::string(symbol.name())] = value;
  return sizes;
}

std::map<std::string, std::int64_t> made_up_sizes(const Facts& facts,
                                                  std::span<const Expr> symbols) {
  std::vector<std::int64_t> preferred;
  for (Expr symbol : symbols) {
    const Facts::Symbol* known = facts.find(symbol);
    const Interval range = known == nullptr ? Interval{} : known->range;
    std::int64_t value = kPreferred[std::min(preferred.size(), kPreferred.size() - 1)];
    if (range.has_lo()) value = saturating_add(range.lo, value);
    if (range.has_lo() && range.has_hi() && value >= range.hi) {
      value = range.lo + (range.hi - range.lo) / 2;
    }
    preferred.push_back(value);
  }
  const auto found =
      completed(facts, {}, {symbols.begin(), symbols.end()}, relations(facts), preferred);
  std::map<std::string, std::int64_t> sizes;
  if (!found) return sizes;
  for (const auto& [symbol, value] : *found) sizes[std::string(symbol.name())] = value;
  return sizes;
}

}  // namespace selvage
