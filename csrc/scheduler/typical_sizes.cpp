#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/scheduler/typical_sizes.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kLikely = 4096, kLeastLikely = 64;
constexpr std::int64_t kLikelyRow = 64;  // items of a row, where rows differ
constexpr double kMostItems = 1 << 26;   // of a tensor, if smaller sizes may be taken instead

// The largest number up to `likely` that the facts allow; else the smallest above it.
std::int64_t likely_value(const Facts& facts, Expr size, std::int64_t likely) {
  const Facts::Symbol* known = facts.find(size);
  if (known == nullptr) return likely;
  const Interval range = known->range;
  if (range.has_lo() && range.lo >= likely) return range.lo;
  const std::int64_t wanted = range.has_hi() ? std::min(range.hi, likely) : likely;
  const std::int64_t step = std::max<std::int64_t>(known->congruence.modulus, 1);
  const std::int64_t value = wanted - (wanted - known->congruence.residue % step + step) % step;
  return std::max<std::int64_t>(value, range.has_lo() ? range.lo : 1);
}

}  // namespace

TypicalSizes::TypicalSizes(const Fusion& fusion, const std::map<std::string, std::int64_t>& named) {
  SizeValues given;
  for (const auto& [name, value] : named) given.add(size_called(fusion, name), value);
  for (std::int64_t likely = kLikely; likely >= kLeastLikely; likely /= 2) {
    all_ = given;
    for (Expr size : fusion.sizes()) {
      if (contains(given.symbols, size)) continue;
      all_.add(size, likely_value(*fusion.facts(), size, likely_number(fusion, size, likely)));
    }
    if (all_.symbols.size() == given.symbols.size() || most_items(fusion) <= kMostItems) break;
  }
  add_rows(fusion);
}

// Of all items of rows: so many for each of them.
std::int64_t TypicalSizes::likely_number(const Fusion& fusion, Expr size,
                                         std::int64_t likely) const {
  for (std::size_t k = 0; k < fusion.domains().rows(); ++k) {
    const RaggedRows& rows = fusion.domains()[RowsId(k)];
    if (!same(rows.items, size)) continue;
    const auto count = all_(rows.count);
    return count ? checked_mul(*count, kLikelyRow).value_or(likely) : likely * kLikelyRow;
  }
  return likely;
}

double TypicalSizes::most_items(const Fusion& fusion) const {
  double most = 0;
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    double items = 1;
    for (DomainId d : fusion[TensorId(t)].logical) {
      items *= double((*this)(fusion.domains()[d].extent));
    }
    most = std::max(most, items);
  }
  return most;
}

// Items of a row: as many as there are on average.
void TypicalSizes::add_rows(const Fusion& fusion) {
  for (std::size_t k = 0; k < fusion.domains().rows(); ++k) {
    const RaggedRows& rows = fusion.domains()[RowsId(k)];
    const auto items = all_(rows.items), count = all_(rows.count);
    all_.add(rows.row, 0);
    all_.add(rows.begin, 0);
    all_.add(rows.end, items && count && *count > 0
                           ? std::max<std::int64_t>((*items + *count - 1) / *count, 1)
                           : kLikelyRow);
  }
}

std::int64_t TypicalSizes::operator()(Expr extent) const {
  return std::max<std::int64_t>(all_(extent).value_or(kLikely), 1);
}

}  // namespace selvage
