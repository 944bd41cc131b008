#include <selvage/base/integer.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/warp_request.h>
#include <selvage/legality/bank_phase.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace selvage {

std::vector<ByteRun> byte_runs(const WarpRequest& request) {
  std::vector<ByteRun> runs;
  for (int lane = 0; lane < kWarp; ++lane) {
    if (!request.has(lane)) continue;
    const std::int64_t at = request.address[std::size_t(lane)];
    runs.push_back({at, at + request.bytes});
  }
  std::ranges::sort(runs, {}, &ByteRun::begin);
  std::size_t last = 0;
  for (const ByteRun& run : runs) {
    if (run.begin > runs[last].end) runs[++last] = run;
    runs[last].end = std::max(runs[last].end, run.end);
  }
  runs.resize(std::min(runs.size(), last + 1));
  return runs;
}

std::int64_t sectors_of(const std::vector<ByteRun>& runs) {
  std::int64_t sectors = 0, next = INT64_MIN;  // the first sector that is not counted yet
  for (const ByteRun& run : runs) {
    const std::int64_t begin = std::max(next, *euclid_div(run.begin, kSectorBytes));
    next = *euclid_div(run.end - 1, kSectorBytes) + 1;
    sectors += std::max<std::int64_t>(next - begin, 0);
  }
  return sectors;
}

Wavefronts wavefronts_of(const WarpRequest& request) {
  Wavefronts found;
  if (request.bytes > kWidestAccess) {
    found.all = std::popcount(request.active) * ceil_div(request.bytes, kWavefrontBytes);
    return found;
  }
  const std::int64_t unit = unit_bytes(request.bytes), threads = phase_threads(request.bytes);
  std::vector<std::int64_t> units;
  for (int lane = 0; lane < kWarp; ++lane) {
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
