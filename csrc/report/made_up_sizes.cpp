#include <selvage/base/refuse.h>
#include <selvage/base/words.h>
#include <selvage/driver/work.h>
#include <selvage/expr/symbols.h>
#include <selvage/report/made_up_sizes.h>
#include <selvage/report/point.h>

#include <algorithm>
#include <cstdio>

namespace selvage {

namespace {

// From the most telling ones to the least work.
const std::vector<std::vector<std::int64_t>> kPreferences = {{37, 29, 7, 5, 3}, {5, 3, 2}, {1}};
constexpr std::int64_t kGap = 3;       // elements between two rows
constexpr std::int64_t kLarge = 1000;  // a size that a long run may come from

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

// Whether a size counts items of rows whose offsets the fusion computes, of other inputs than have
// that size: then these tell it.
bool is_told(const Fusion& fusion, Expr size) {
  const DomainGraph& graph = fusion.domains();
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    const TensorInfo& tensor = fusion[TensorId(t)];
    if (!tensor.is_input || tensor.items_of) continue;
    for (Expr extent : fusion.shape(TensorId(t))) {
      if (contains(symbols_of(extent), size)) return false;
    }
  }
  for (std::size_t k = 0; k < graph.rows(); ++k) {
    const RaggedRows& rows = graph[RowsId(std::uint32_t(k))];
    if (same(rows.items, size) && !fusion[TensorId(rows.offsets)].is_input) return true;
  }
  return false;
}

std::map<std::string, std::int64_t> made_up(const Fusion& fusion, const Program& program,
                                            const std::map<std::string, std::int64_t>& given,
                                            const std::vector<std::int64_t>& preferred) {
  Point point;
  const std::vector<Expr> strides = stride_symbols(fusion);
  std::vector<Expr> missing;
  for (Expr n : fusion.sizes()) {
    const auto it = given.find(std::string(n.name()));
    if (it != given.end()) {
      point.emplace_back(n, it->second);
    } else if (!contains(strides, n) && !is_told(fusion, n)) {
      missing.push_back(n);
    }
  }
  std::vector<Expr> conditions = relations(*fusion.facts());
  for (const LaunchCheck& check : program.checks) conditions.push_back(check.condition);
  // Conditions on strides are left to the run itself.
  std::erase_if(conditions, [&](Expr condition) {
    const std::vector<Expr> used = symbols_of(condition);
    return std::any_of(used.begin(), used.end(),
                       [&](Expr s) { return !value_of(s, point) && !contains(missing, s); });
  });
  std::map<std::string, std::int64_t> sizes = given;
  const auto found = completed(*fusion.facts(), point, missing, conditions, preferred);
  if (!found) return sizes;
  point = *found;
  add_strides(fusion, point);
  for (const auto& [symbol, value] : point) sizes[std::string(symbol.name())] = value;
  return sizes;
}

SizeValues values_of(std::span<const Expr> symbols,
                     const std::map<std::string, std::int64_t>& sizes) {
  SizeValues values;
  for (Expr s : symbols) {
    const auto it = sizes.find(std::string(s.name()));
    if (it != sizes.end()) values.add(s, it->second);
  }
  return values;
}

// The work of a run: of the kernels, and of making up and comparing the items of arrays.
double work_of(const Fusion& fusion, const Program& program,
               const std::map<std::string, std::int64_t>& sizes) {
  const SizeValues values = values_of(fusion.sizes(), sizes);
  double work = 0;
  for (const ProgramStep& step : program.steps) {
    work += statements_of_launch(step.variants.front(), values);
  }
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    double items = 1;
    for (Expr n : fusion.shape(TensorId(t))) items *= double(values(n).value_or(1));
    work += items;
  }
  return work;
}

[[noreturn]] void refuse_work(double work, const std::map<std::string, std::int64_t>& sizes,
                              const std::map<std::string, std::int64_t>& given) {
  std::vector<std::string> words, large;
  for (const auto& [name, value] : sizes) {
    if (given.contains(name)) continue;
    if (value > kLarge) large.push_back(name);
    words.push_back(name + " = " + std::to_string(value));
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", work);
  refuse<BadInput>("E617",
                   "--check makes up " + listed(words) + ", and a run of that comes to " + text +
                       " statements and items",
                   // What is made up is as small as the facts let it be.
                   large.empty()
                       ? "make the extents of the file, or the sizes that are given, smaller"
                       : "let the facts allow smaller values of " + listed(large));
}

}  // namespace

std::map<std::string, std::int64_t> made_up_sizes(
    const Fusion& fusion, const Program& program,
    const std::map<std::string, std::int64_t>& given) {
  double work = 0;
  std::map<std::string, std::int64_t> sizes;
  for (const std::vector<std::int64_t>& preferred : kPreferences) {
    sizes = made_up(fusion, program, given, preferred);
    if (sizes.size() == given.size()) return sizes;
    work = work_of(fusion, program, sizes);
    if (work <= kMostMadeUpStatements) return sizes;
  }
  refuse_work(work, sizes, given);
}

void check_made_up_work(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                        const std::map<std::string, std::int64_t>& given) {
  const double work = statements_of_launch(kernel, values_of(kernel.sizes, sizes));
  if (work > kMostMadeUpStatements) refuse_work(work, sizes, given);
}

std::map<std::string, std::int64_t> made_up_sizes(const Facts& facts,
                                                  std::span<const Expr> symbols) {
  std::vector<std::int64_t> preferred;
  for (Expr symbol : symbols) {
    const Facts::Symbol* known = facts.find(symbol);
    const Interval range = known == nullptr ? Interval{} : known->range;
    const std::vector<std::int64_t>& telling = kPreferences.front();
    std::int64_t value = telling[std::min(preferred.size(), telling.size() - 1)];
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
