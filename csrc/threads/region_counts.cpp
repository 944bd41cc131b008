#include <selvage/base/integer.h>
#include <selvage/base/words.h>
#include <selvage/expr/symbols.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/region_counts.h>

#include <algorithm>

namespace selvage {

namespace {

class RegionCounter {
 public:
  RegionCounter(const ThreadRegion& region, const Facts& known)
      : region_(region), known_(known), condition_(region.condition) {
    for (const MaskLevel& level : region.levels) {
      for (const MaskIndex& i : level.indices) {
        known_.loop(i.symbol, known_.pool().constant(i.extent));
      }
    }
  }

  RegionCounts count() {
    out_.is_most = region_.may_be_left;
    try {
      take_loops();
      if (out_.is_known()) tell_apart();
      if (out_.is_known()) add_up();
    } catch (const BadInput& refusal) {  // of a mask, at these values
      out_.unknown = refusal.diagnostic().message;
    }
    return std::move(out_);
  }

 private:
  // An extent that hangs on indices is taken as large as it gets, and the iterations that are none
  // are masked.
  void take_loops() {
    for (const LoopAround& loop : region_.loops) {
      const Interval extent = Simplifier(known_).interval(loop.extent);
      if (extent.hi == INT64_MAX) {
        out_.unknown = "a loop around has no bound that is known";
        return;
      }
      if (extent.lo != extent.hi) condition_ = both(condition_, loop.index < loop.extent);
      loops_.push_back({loop.index, std::max<std::int64_t>(extent.hi, 0)});
      known_.loop(loop.index, loop.extent);
    }
  }

  void tell_apart() {
    const std::vector<Expr> symbols = symbols_of(std::span(&condition_, 1));
    std::int64_t iterations = 1;
    std::vector<MaskIndex> apart;
    for (const MaskIndex& loop : loops_) {
      const bool is_apart = contains(symbols, loop.symbol) && loop.extent > 0;
      std::int64_t& n = is_apart ? iterations : alike_;
      n = checked_mul(n, loop.extent).value_or(INT64_MAX);
      if (is_apart) apart.push_back(loop);
    }
    if (alike_ == 0) return;
    if (iterations > kMostIterations) {
      out_.unknown = "there are more iterations than are told apart";
      return;
    }
    if (apart.empty()) return add(ThreadMask::of(condition_, region_.levels, known_));
    for (const auto& mask :
         masks_by_iteration(condition_, region_.levels, apart, known_, kMostIterations)) {
      add(mask);
    }
  }
  void add(const std::optional<ThreadMask>& mask) {
    if (!mask) {
      out_.unknown = "it hangs on values that are known only while it runs";
    } else if (!masks_.empty() && masks_.back().mask == *mask) {
      ++masks_.back().iterations;
    } else {
      masks_.push_back({*mask, 1});
    }
  }

  void add_up() {
    const std::int64_t threads = ThreadMask::none(region_.levels).size();
    if (std::int64_t(masks_.size()) > std::max<std::int64_t>(kMostLooked / threads, 1)) {
      out_.unknown = "there are more threads in all iterations than are looked at";
      return;
    }
    out_.times.assign(std::size_t(threads), 0);
    std::int64_t most = 0;
    for (const Alike& alike : masks_) most += alike.iterations;
    if (checked_mul(most, alike_).value_or(INT64_MAX) > INT32_MAX) {
      out_.unknown = "there may be more runs of it than are counted";
      return;
    }
    for (std::size_t t = 0; t < out_.times.size(); ++t) {
      for (const Alike& alike : masks_) {
        if (alike.mask.contains(std::int64_t(t))) out_.times[t] += alike.iterations * alike_;
      }
    }
  }

  // Iterations one behind the other.
  struct Alike {
    ThreadMask mask;
    std::int64_t iterations;
  };
  const ThreadRegion& region_;
  Facts known_;
  Expr condition_;
  std::vector<MaskIndex> loops_;
  std::int64_t alike_ = 1;  // iterations of loops that the condition does not hang on
  std::vector<Alike> masks_;
  RegionCounts out_;
};

}  // namespace

RegionCounts region_counts(const ThreadRegion& region, const Facts& known) {
  return RegionCounter(region, known).count();
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
