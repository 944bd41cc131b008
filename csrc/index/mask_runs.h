#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace selvage {

// The values of points 0, 1, 2, ... as runs of equal ones; neighbouring runs differ.
struct MaskRun {
  std::int64_t begin, end;
  std::uint32_t value;

  std::int64_t points() const { return end - begin; }
  friend auto operator<=>(const MaskRun&, const MaskRun&) = default;
};
using MaskRuns = std::vector<MaskRun>;

inline bool is_zero(const MaskRuns& runs) { return runs.size() == 1 && runs[0].value == 0; }
void append(MaskRuns& runs, std::int64_t points, std::uint32_t value);
std::uint32_t value_at(const MaskRuns& runs, std::int64_t point);
MaskRuns slice(const MaskRuns& runs, std::int64_t begin, std::int64_t points);

// Cuts a row into pieces of `points` points. Calls `visit(n, piece)` for n equal pieces side by
// side; n is 1 unless one run fills several pieces.
template <class Visit>
void for_each_piece(const MaskRuns& runs, std::int64_t points, Visit visit) {
  MaskRuns piece;
  for (const MaskRun& run : runs) {
    std::int64_t left = run.points();
    const auto take = [&](std::int64_t n) {
      append(piece, n, run.value);
      left -= n;
    };
    if (!piece.empty()) take(std::min(left, points - piece.back().end));
    if (!piece.empty() && piece.back().end == points) visit(1, std::exchange(piece, {}));
    if (left >= points) visit(left / points, MaskRuns{{0, points, run.value}});
    left %= points;
    if (left > 0) take(left);
  }
}

// Cuts a row into pieces of `points` points and repeats each of them `times` times.
MaskRuns repeated(const MaskRuns& runs, std::int64_t points, std::int64_t times);

// Calls `visit(points, value in a, value in b)` along two rows of one length.
template <class Visit>
void for_each_pair(const MaskRuns& a, const MaskRuns& b, Visit visit) {
  for (std::size_t i = 0, k = 0; i < a.size();) {
    const std::int64_t end = std::min(a[i].end, b[k].end);
    visit(end - std::max(a[i].begin, b[k].begin), a[i].value, b[k].value);
    if (a[i].end == end) ++i;
    if (b[k].end == end) ++k;
  }
}

// A set of threads of many blocks, which come in few kinds.
struct BlockSets {
  static constexpr std::size_t kMostRuns = std::size_t{1} << 22;

  MaskRuns blocks;              // by block: its index in `kinds`
  std::vector<MaskRuns> kinds;  // different ones in the order of their first blocks; 1: active
};

// Puts blocks together one after the other.
class BlockSetsBuilder {
 public:
  // The number of the kind of blocks with these threads; the next add() must take it.
  std::uint32_t kind(const MaskRuns& threads);
  void add(std::int64_t blocks, std::uint32_t kind) { append(blocks_, blocks, kind); }
  // Whether there are more runs than kMostRuns.
  bool is_full() const { return std::max(runs_, blocks_.size()) > BlockSets::kMostRuns; }
  BlockSets take();

 private:
  MaskRuns blocks_;
  std::map<MaskRuns, std::uint32_t> numbers_;
  std::size_t runs_ = 0;  // of all kinds
};

}  // namespace selvage
