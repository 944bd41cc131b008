#include <selvage/ir/sizes.h>
#include <selvage/scheduler/size_classes.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// The sizes that are the extent of a folded iterdomain.
std::vector<Expr> folded_sizes(const Fusion& fusion) {
  std::vector<Expr> found;
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    const TensorInfo& tensor = fusion[TensorId(t)];
    if (!tensor.fold) continue;
    for (DomainId d : tensor.fold->domains) {
      const Expr extent = fusion.domains()[d].extent;
      const auto is_it = [&](Expr known) { return same(known, extent); };
      if (extent.is(Op::Symbol) && std::ranges::none_of(found, is_it)) found.push_back(extent);
    }
  }
  return found;
}

}  // namespace

std::vector<SizeClass> size_classes(const Fusion& fusion,
                                    const std::map<std::string, std::int64_t>& named,
                                    const Device& device) {
  std::vector<SizeClass> classes;
  if (const auto rows = classed_rows(fusion)) {
    for (const RowClass& own : row_classes(fusion, *rows, device)) {
      classes.push_back({own.condition, named, own.how});
    }
    return classes;
  }
  const std::vector<Expr> sizes = folded_sizes(fusion);
  std::vector<std::int64_t> lengths(std::begin(kRowLengths), std::end(kRowLengths));
  std::int64_t longest = 0;
  for (Expr size : sizes) {
    const auto value = named.find(std::string(size.name()));
    if (value != named.end()) longest = std::max(longest, value->second);
  }
  if (longest > lengths.back()) return {};
  if (longest > 0) lengths = {std::int64_t(std::bit_ceil(std::uint64_t(longest)))};
  for (std::int64_t length : lengths) {
    SizeClass made{.condition = {}, .typical = named};
    for (Expr size : sizes) {
      const Interval range = range_of(fusion, size);
      if (range.has_lo() && range.lo > length) return classes;
      if (range.has_hi() && range.hi <= length) continue;
      const Expr holds = size <= length;
      made.condition = made.condition.valid() ? made.condition && holds : holds;
      made.typical.try_emplace(std::string(size.name()), length);
    }
    if (!made.condition.valid()) return classes;  // facts say as much for all sizes
    classes.push_back(std::move(made));
  }
  return classes;
}

}  // namespace selvage
