#include <selvage/kernel/touched_bytes.h>

#include <algorithm>
#include <bit>

namespace selvage {

TouchedBytes::TouchedBytes(std::int64_t bytes)
    : all_((std::max<std::int64_t>(bytes, 0) + kHalfLineBytes - 1) / kHalfLineBytes),
      bits_(std::size_t(all_ + 63) / 64) {}

void TouchedBytes::add(const std::vector<ByteRun>& runs) {
  for (const ByteRun& run : runs) mark(run);
}

void TouchedBytes::add(const std::vector<ByteRun>& runs, const BoxedRequest& request) {
  Moves moves;
  for (std::size_t k = 0; k < request.box->ranges.size(); ++k) {
    const std::int64_t times = request.box->ranges[k].count, move = request.moves[k];
    if (times > 1 && move != 0) moves.emplace_back(move, times);
  }
  std::ranges::sort(moves, {}, [](const auto& m) { return std::abs(m.first); });
  for (ByteRun run : runs) {
    // Moves of no more than its length make a run longer, the shortest first.
    Moves left = moves;
    std::erase_if(left, [&](const auto& m) {
      if (std::abs(m.first) > run.end - run.begin) return false;
      const std::int64_t way = m.first * (m.second - 1);
      (way < 0 ? run.begin : run.end) += way;
      return true;
    });
    mark(run, left, 0);
  }
}

void TouchedBytes::mark(ByteRun run, const Moves& moves, std::size_t k) {
  if (touched_ == all_) return;
  if (k == moves.size()) return mark(run);
  for (std::int64_t p = 0; p < moves[k].second; ++p) {
    const std::int64_t by = p * moves[k].first;
    mark({run.begin + by, run.end + by}, moves, k + 1);
  }
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
