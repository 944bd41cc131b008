#include <selvage/base/integer.h>
#include <selvage/legality/bank_phase.h>

#include <algorithm>
#include <array>

namespace selvage {

std::int64_t phase_degree(std::vector<std::int64_t>& units, std::int64_t groups) {
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  std::array<std::int64_t, kBanks> met = {};
  std::int64_t most = 1;
  for (std::int64_t unit : units) {
    most = std::max(most, ++met[std::size_t(*euclid_mod(unit, groups))]);
  }
  return most;
}

}  // namespace selvage
