#include <selvage/base/integer.h>
#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/region_counts.h>

#include <algorithm>

namespace selvage {

namespace {

// Serial loops around a region, and its condition in all their iterations.
struct Iterations {
  std::vector<MaskIndex> loops;
  Expr condition;
};

// An extent that depends on indices is taken as large as it gets, and the iterations that are none
// are masked. Nothing where one has no bound that is known.
std::optional<Iterations> iterations_of(const ThreadRegion& region, Facts& known) {
  Iterations out{{}, region.condition};
  for (const LoopAround& loop : region.loops) {
    const Interval extent = Simplifier(known).interval(loop.extent);
    if (extent.hi == INT64_MAX) return std::nullopt;
    if (extent.lo != extent.hi) out.condition = both(out.condition, loop.index < loop.extent);
    out.loops.push_back({loop.index, std::max<std::int64_t>(extent.hi, 0)});
    known.loop(loop.index, loop.extent);
  }
  return out;
}

// Returns why they are not known; empty: they are.
std::string count(const ThreadRegion& region, Facts known, std::vector<std::int64_t>& times) {
  for (const MaskLevel& level : region.levels) {
    for (const MaskIndex& i : level.indices) {
      known.loop(i.symbol, known.pool().constant(i.extent));
    }
  }
  const auto all = iterations_of(region, known);
  if (!all) return "a loop around has no bound that is known";
  // `alike`: iterations of loops that the condition does not depend on.
  std::int64_t alike = 1, differing = 1;
  std::vector<MaskIndex> apart;
  const std::vector<Expr> symbols = symbols_of(std::span(&all->condition, 1));
  for (const MaskIndex& loop : all->loops) {
    const bool is_apart = contains(symbols, loop.symbol) && loop.extent > 0;
    std::int64_t& n = is_apart ? differing : alike;
    n = checked_mul(n, loop.extent).value_or(INT64_MAX);
    if (is_apart) apart.push_back(loop);
  }
  const std::int64_t most = alike == 0 ? 0 : kMostIterations;
  if (alike != 0 && differing > most) return "there are more iterations than are told apart";
  // Iterations one behind the other, and how many.
  std::vector<std::pair<ThreadMask, std::int64_t>> masks;
  for (auto& mask : masks_by_iteration(all->condition, region.levels, apart, known, most)) {
    if (!mask) return "it depends on values that are known only while it runs";
    if (masks.empty() || !(masks.back().first == *mask)) masks.emplace_back(std::move(*mask), 0);
    ++masks.back().second;
  }
  const std::int64_t threads = ThreadMask::none(region.levels).size();
  if (std::int64_t(masks.size()) > std::max<std::int64_t>(kMostLooked / threads, 1)) {
    return "there are more threads in all iterations than are looked at";
  }
  if (checked_mul(differing, alike).value_or(INT64_MAX) > INT32_MAX) {
    return "there may be more runs of it than are counted";
  }
  times.assign(std::size_t(threads), 0);
  for (const auto& [mask, n] : masks) {
    for (std::size_t t = 0; t < times.size(); ++t) {
      if (mask.contains(std::int64_t(t))) times[t] += n * alike;
    }
  }
  return "";
}

}  // namespace

RegionCounts region_counts(const ThreadRegion& region, const Facts& known) {
  RegionCounts out{.times = {}, .is_most = region.may_be_left};
  try {
    out.unknown = count(region, known, out.times);
  } catch (const BadInput& refusal) {  // of a mask, at these values
    out.unknown = refusal.diagnostic().message;
  }
  return out;
}

std::string difference(const ThreadRegion& region, const RegionCounts& counts,
                       std::span<const std::int64_t> executed) {
  for (std::size_t t = 0; t < counts.times.size(); ++t) {
    const std::int64_t n = executed[t], expected = counts.times[t];
    if (n == expected || (counts.is_most && n < expected)) continue;
    return "thread " + std::to_string(t) + " ran the region " + region.when + " " +
           counted(n, "time") + ", and its mask says " + (counts.is_most ? "at most " : "") +
           std::to_string(expected);
  }
  return "";
}

}  // namespace selvage
