#include <selvage/base/integer.h>
#include <selvage/kernel/warp_request.h>
#include <selvage/legality/bank_phase.h>

#include <algorithm>
#include <vector>

namespace selvage {

std::int64_t sectors_of(const WarpRequest& request) {
  std::vector<std::int64_t> sectors;
  for (int lane = 0; lane < 32; ++lane) {
    if (!request.has(lane)) continue;
    const std::int64_t at = request.address[std::size_t(lane)];
    const std::int64_t last = *euclid_div(at + request.bytes - 1, kSectorBytes);
    for (std::int64_t s = *euclid_div(at, kSectorBytes); s <= last; ++s) sectors.push_back(s);
  }
  std::ranges::sort(sectors);
  return std::ranges::unique(sectors).begin() - sectors.begin();
}

Wavefronts wavefronts_of(const WarpRequest& request) {
  Wavefronts found;
  const std::int64_t unit = unit_bytes(request.bytes), threads = phase_threads(request.bytes);
  std::vector<std::int64_t> units;
  for (int lane = 0; lane < 32; ++lane) {
    if (request.has(lane)) {
      units.push_back(*euclid_div(request.address[std::size_t(lane)], unit));
    }
    if ((lane + 1) % threads != 0 || units.empty()) continue;
    const std::int64_t degree = phase_degree(units, threads);
    found.all += degree;
    found.conflicts += degree - 1;
    units.clear();
  }
  return found;
}

}  // namespace selvage
