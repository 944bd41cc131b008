#include <selvage/expr/symbols.h>
#include <selvage/scheduler/typical_sizes.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::int64_t kLikely = 4096;

// The largest number up to kLikely that the facts allow; else the smallest above it.
std::int64_t likely_value(const Facts& facts, Expr size) {
  const Facts::Symbol* known = facts.find(size);
  if (known == nullptr) return kLikely;
  const Interval range = known->range;
  if (range.has_lo() && range.lo >= kLikely) return range.lo;
  const std::int64_t wanted = range.has_hi() ? std::min(range.hi, kLikely) : kLikely;
  const std::int64_t step = std::max<std::int64_t>(known->congruence.modulus, 1);
  const std::int64_t value = wanted - (wanted - known->congruence.residue % step + step) % step;
  return std::max<std::int64_t>(value, range.has_lo() ? range.lo : 1);
}

}  // namespace

TypicalSizes::TypicalSizes(const Fusion& fusion, const std::map<std::string, std::int64_t>& named) {
  for (const auto& [name, value] : named) all_.add(size_called(fusion, name), value);
  const std::vector<Expr> given = all_.symbols;
  for (Expr size : fusion.sizes()) {
    if (!contains(given, size)) all_.add(size, likely_value(*fusion.facts(), size));
  }
}

std::int64_t TypicalSizes::operator()(Expr extent) const {
  return std::max<std::int64_t>(all_(extent).value_or(kLikely), 1);
}

}  // namespace selvage
