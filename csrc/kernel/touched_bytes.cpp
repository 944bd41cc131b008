#include <selvage/kernel/touched_bytes.h>

#include <algorithm>
#include <bit>
#include <functional>

namespace selvage {

TouchedBytes::TouchedBytes(std::int64_t bytes)
    : all_((std::max<std::int64_t>(bytes, 0) + kHalfLineBytes - 1) / kHalfLineBytes),
      bits_(std::size_t(all_ + 63) / 64) {}

void TouchedBytes::add(const WarpRequest& request) {
  for (const ByteRun& run : byte_runs(request)) mark(run);
}

void TouchedBytes::add(const BoxedRequest& request) {
  if (touched_ == all_) return;
  std::vector<ByteRun> runs = byte_runs(request.request);
  // Parameters by the distance that they move the request, the shortest first: those that move a
  // single run by no more than its length make it longer.
  std::vector<std::pair<std::int64_t, std::int64_t>> moves;  // bytes, times
  for (std::size_t k = 0; k < request.box->ranges.size(); ++k) {
    const std::int64_t times = request.box->ranges[k].count, move = request.moves[k];
    if (times > 1 && move != 0) moves.emplace_back(move, times);
  }
  std::ranges::sort(moves, {}, [](const auto& m) { return std::abs(m.first); });
  std::erase_if(moves, [&](const auto& m) {
    if (runs.size() != 1 || std::abs(m.first) > runs[0].end - runs[0].begin) return false;
    const std::int64_t way = m.first * (m.second - 1);
    (way < 0 ? runs[0].begin : runs[0].end) += way;
    return true;
  });
  const std::function<void(std::size_t, std::int64_t)> go = [&](std::size_t k, std::int64_t by) {
    if (k == moves.size()) {
      for (const ByteRun& run : runs) mark({run.begin + by, run.end + by});
      return;
    }
    for (std::int64_t p = 0; p < moves[k].second; ++p) go(k + 1, by + p * moves[k].first);
  };
  go(0, 0);
}

void TouchedBytes::mark(ByteRun run) {
  const std::int64_t begin = std::max<std::int64_t>(run.begin / kHalfLineBytes, 0);
  const std::int64_t end = std::min((run.end + kHalfLineBytes - 1) / kHalfLineBytes, all_);
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t bit = at % 64, n = std::min<std::int64_t>(64 - bit, end - at);
    const std::uint64_t mask = (n == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << n) - 1) << bit;
    std::uint64_t& word = bits_[std::size_t(at / 64)];
    touched_ += std::popcount(mask & ~word);
    word |= mask;
    at += n;
  }
}

}  // namespace selvage
