#include <selvage/index/mask_runs.h>

#include <utility>

namespace selvage {

namespace {

MaskRuns::const_iterator run_at(const MaskRuns& runs, std::int64_t point) {
  return std::ranges::upper_bound(runs, point, {}, &MaskRun::end);
}

}  // namespace

void append(MaskRuns& runs, std::int64_t points, std::uint32_t value) {
  const std::int64_t begin = runs.empty() ? 0 : runs.back().end;
  if (!runs.empty() && runs.back().value == value) {
    runs.back().end += points;
  } else {
    runs.push_back({begin, begin + points, value});
  }
}

std::uint32_t value_at(const MaskRuns& runs, std::int64_t point) {
  return run_at(runs, point)->value;
}

MaskRuns slice(const MaskRuns& runs, std::int64_t begin, std::int64_t points) {
  MaskRuns out;
  for (auto it = run_at(runs, begin); it != runs.end() && it->begin < begin + points; ++it) {
    append(out, std::min(it->end, begin + points) - std::max(it->begin, begin), it->value);
  }
  return out;
}

MaskRuns repeated(const MaskRuns& runs, std::int64_t points, std::int64_t times) {
  MaskRuns out;
  for_each_piece(runs, points, [&](std::int64_t n, const MaskRuns& piece) {
    if (piece.size() == 1) return append(out, n * points * times, piece[0].value);
    for (std::int64_t t = 0; t < times; ++t) {
      for (const MaskRun& run : piece) append(out, run.points(), run.value);
    }
  });
  return out;
}

std::uint32_t BlockSetsBuilder::kind(const MaskRuns& threads) {
  const auto [it, is_new] = numbers_.try_emplace(threads, numbers_.size());
  if (is_new) runs_ += threads.size();
  return it->second;
}

BlockSets BlockSetsBuilder::take() {
  BlockSets out{std::move(blocks_), std::vector<MaskRuns>(numbers_.size())};
  for (const auto& [threads, number] : numbers_) out.kinds[number] = threads;
  return out;
}

}  // namespace selvage
