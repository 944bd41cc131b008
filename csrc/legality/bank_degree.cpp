#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/legality/bank_core.h>
#include <selvage/legality/bank_degree.h>
#include <selvage/legality/gf2_index.h>

#include <algorithm>
#include <bit>
#include <tuple>

namespace selvage {

namespace {

constexpr std::int64_t kMostThreadsTried = 1 << 20;  // threads times values of other loops
constexpr std::int64_t kMostOperations = 1 << 24;    // of their addresses and guards

constexpr const char* kByRank = "rank over GF(2)";
constexpr const char* kByPoints = "exact enumeration";

std::int64_t floor_log2(std::int64_t n) { return std::bit_width(std::uint64_t(n)) - 1; }

class DegreeSearch {
 public:
  DegreeSearch(const WarpAccess& access, const Facts& ranges)
      : access_(access),
        ranges_(ranges),
        unit_(unit_bytes(access.bytes)),
        groups_(phase_threads(access.bytes)),
        unit_elements_(unit_ / access.element_bytes) {}

  BankAccess run() {
    if (is_uniform(access_, access_.address))
      return {.degree = 1, .by = "one address for all threads"};
    core_ = bank_core(access_, ranges_, unit_elements_);
    if (!core_.why_unknown.empty()) return unknown(core_.why_unknown);
    // The degree without guards, an upper bound.
    std::optional<std::int64_t> most = by_rank();
    std::string by = kByRank;
    std::optional<BankAccess> counted;
    if (!most) {
      counted = count(core_.ranges, false, groups_);
      by = kByPoints;
      if (counted) most = counted->degree;
    }
    if (most == 1) return {.degree = 1, .by = by};
    if (access_.guards.empty()) {
      if (counted) return *counted;
      if (!most) return unknown(why_);
      return with_witness_of_rank(*most);
    }
    return under_guards(most, by);
  }

 private:
  static BankAccess unknown(std::string why) {
    return {.degree = {}, .why_unknown = std::move(why)};
  }

  // The bits of the thread's number, x lowest. Nothing if the access does not use the whole of each
  // axis, if an axis below another one is no power of two, or if the threads are fewer than a phase
  // has and no power of two.
  std::optional<std::vector<BitVariable>> thread_bits() const {
    std::vector<BitVariable> bits;
    std::int64_t below = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t n = access_.block[std::size_t(axis)];
      if (n == 1) continue;
      if (!std::has_single_bit(std::uint64_t(below))) return std::nullopt;
      below *= n;
      const auto t = std::find_if(access_.threads.begin(), access_.threads.end(),
                                  [&](const auto& loop) { return loop.axis == axis; });
      if (t == access_.threads.end() || t->extent != n) return std::nullopt;
      bits.push_back({t->variable, int(std::bit_width(std::uint64_t(n - 1)))});
    }
    // In a block of less than one phase the only phase is partial.
    const std::int64_t threads = access_.block_threads();
    if (threads < groups_ && !std::has_single_bit(std::uint64_t(threads))) return std::nullopt;
    return bits;
  }

  // A phase has 2^(rank of unit bits) distinct units. Each bank that is met has an equal share of
  // them, because the units of one bank are a coset of the kernel of the bank bits.
  std::optional<std::int64_t> by_rank() const {
    std::optional<std::vector<BitVariable>> bits = thread_bits();
    if (!bits) return std::nullopt;
    for (const WarpAccess::ThreadLoop& t : access_.threads) {
      if (t.extent == 1) bits->push_back({t.variable, 0});
    }
    for (const BlockWalk::Range& r : core_.ranges) {
      bits->push_back({r.variable, int(std::bit_width(std::uint64_t(r.extent - 1)))});
    }
    const auto index = index_map(core_.address, *bits);
    if (!index) return std::nullopt;
    const int own = int(floor_log2(std::min(groups_, access_.block_threads())));
    const auto phase = std::span(index->map.linear.images).first(std::size_t(own));
    // Elements per unit and units in all banks are powers of two.
    const std::uint64_t unit = std::uint64_t(unit_elements_), all = unit * std::uint64_t(groups_);
    const int units = rank(phase, ~(unit - 1)), banks = rank(phase, (all - 1) & ~(unit - 1));
    return std::int64_t{1} << (units - banks);
  }

  // The degree is the same everywhere, so any phase shows it.
  BankAccess with_witness_of_rank(std::int64_t degree) const {
    const auto first = count({}, false, degree);
    if (!first || first->degree != degree) return unknown("an address is past 64 bits");
    BankAccess access = *first;
    access.by = kByRank;
    return access;
  }

  BankAccess under_guards(std::optional<std::int64_t> most, const std::string& by) {
    const std::string bound = most ? "; it is at most " + std::to_string(*most) : std::string();
    const std::vector<Expr> tested = symbols_of(access_.guards);
    for (Expr s : tested) {
      if (!contains(access_.loops, s)) {
        return unknown("the guard depends on the size " + std::string(s.name()) + bound);
      }
    }
    std::vector<BlockWalk::Range> ranges;
    for (const WarpAccess::Loop& loop : access_.others) {
      if (contains(tested, loop.variable)) {
        if (!loop.known) {
          return unknown("the extent of " + std::string(loop.variable.name()) + " is not known" +
                         bound);
        }
        ranges.push_back({loop.variable, *loop.known});
        continue;
      }
      for (const BlockWalk::Range& r : core_.ranges) {
        if (same(r.variable, loop.variable)) ranges.push_back(r);
      }
    }
    auto counted = count(ranges, true, most.value_or(groups_));
    if (!counted) return unknown(why_ + bound);
    if (counted->degree == most) counted->by = by;
    return *counted;
  }

  // Counts the degree at every value of the ranges, until it reaches `most`. Nothing, and why_ says
  // why, if an address has no value or that would take too long.
  std::optional<BankAccess> count(const std::vector<BlockWalk::Range>& ranges, bool guarded,
                                  std::int64_t most) const {
    const Expr roots[] = {core_.address};
    BlockWalk walk(access_, roots, ranges, guarded);
    BankAccess best{.degree = 1, .by = kByPoints};
    std::vector<std::int64_t> units, sorted;
    std::int64_t tried = 0;
    std::vector<Expr> computed = guarded ? access_.guards : std::vector<Expr>();
    computed.push_back(core_.address);
    const std::int64_t most_tried = std::min(
        kMostThreadsTried, kMostOperations / std::int64_t(reachable(computed, true).size()));
    const std::int64_t threads = access_.block_threads();
    do {
      for (std::int64_t first = 0; first < threads;) {
        // A phase is cut off where its warp ends.
        const std::int64_t end = std::min(first + groups_, threads);
        units.clear();
        if ((tried += end - first) > most_tried) {
          why_ = "there are more than " + std::to_string(most_tried) + " points to look at";
          return std::nullopt;
        }
        for (std::int64_t t = first; t < end; ++t) {
          const BlockWalk::Thread state = walk.at(t);
          if (state == BlockWalk::Thread::Idle) continue;
          const auto bytes = state == BlockWalk::Thread::Active
                                 ? checked_mul(walk.root(0), access_.element_bytes)
                                 : std::nullopt;
          if (!bytes) {
            why_ = "an address is past 64 bits";
            return std::nullopt;
          }
          units.push_back(floor_div(*bytes, unit_));
        }
        sorted = units;
        const std::int64_t degree = phase_degree(sorted, groups_);
        if (degree > *best.degree) {
          best.degree = degree;
          best.collision = collision(walk, first, end, degree);
          if (degree >= most) return best;
        }
        first = end;
      }
    } while (walk.advance());
    return best;
  }

  // The first bank of the phase that is asked for so many words.
  BankCollision collision(BlockWalk& walk, std::int64_t first, std::int64_t end,
                          std::int64_t degree) const {
    struct Access {
      std::int64_t group, unit, thread;
    };
    std::vector<Access> all;
    for (std::int64_t t = first; t < end; ++t) {
      if (walk.at(t) != BlockWalk::Thread::Active) continue;
      const std::int64_t unit = floor_div(walk.root(0) * access_.element_bytes, unit_);
      all.push_back({*euclid_mod(unit, groups_), unit, t});
    }
    std::sort(all.begin(), all.end(), [](const Access& a, const Access& b) {
      return std::tie(a.group, a.unit, a.thread) < std::tie(b.group, b.unit, b.thread);
    });
    const auto again = [](const Access& a, const Access& b) {
      return a.group == b.group && a.unit == b.unit;
    };
    all.erase(std::unique(all.begin(), all.end(), again), all.end());
    BankCollision found;
    found.warp = first / kWarp;
    found.phase = first % kWarp / groups_;
    for (std::size_t i = 0; i + std::size_t(degree) <= all.size(); ++i) {
      const Access& last = all[i + std::size_t(degree) - 1];
      if (last.group != all[i].group) continue;
      for (std::size_t k = i; k < i + std::size_t(degree); ++k) {
        walk.at(all[k].thread);
        found.threads.push_back({all[k].thread, 0, walk.point()});
      }
      break;
    }
    name_words(found);
    return found;
  }

  // Names the words and the bank by the full address, dropped terms included; by the core address
  // if the full one has sizes.
  void name_words(BankCollision& found) const {
    for (BankCollision::Thread& t : found.threads) {
      const bool has_sizes = !uses_only(access_.address, symbols_in(t.point));
      const auto element = value_at(has_sizes ? core_.address : access_.address, t.point);
      const auto bytes = checked_mul(element.value_or(0), access_.element_bytes);
      t.word = floor_div(bytes.value_or(0), kWordBytes);
    }
    if (!found.threads.empty()) found.bank = *euclid_mod(found.threads[0].word, kBanks);
  }

  const WarpAccess& access_;
  const Facts& ranges_;
  const std::int64_t unit_, groups_, unit_elements_;
  BankCore core_;
  mutable std::string why_;
};

}  // namespace

BankAccess bank_degree(const WarpAccess& access, const Facts& ranges) {
  return DegreeSearch(access, ranges).run();
}

}  // namespace selvage
