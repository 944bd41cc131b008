#include <selvage/scheduler/plan_work.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace selvage {

namespace {

constexpr double kErrorOfModel = 0.1;      // of a time
constexpr std::size_t kUsualPlans = 1024;  // that a segment has
constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostThreadsOfRows = 256;  // of several rows
constexpr std::int64_t kMostParts = 1024;
constexpr std::int64_t kMostPartsOfScan = 8 * 1024;  // along rows
constexpr std::int64_t kFewItems = 16;               // that one thread reads at once
constexpr std::int64_t kMostAtOnce = 8;
constexpr std::int64_t kFewestTurns = 2;      // so that there is something to fold
constexpr std::int64_t kMostKeptOfScan = 16;  // elements of a thread

std::int64_t steps_of(double items, double at_a_time) {
  return std::int64_t(quotient_up(items, at_a_time));
}

// Lists the plans of one segment, each with its time.
class Plans {
 public:
  Plans(const Fusion& fusion, const Segment& segment, const SegmentTraffic& traffic,
        const Device& device, Listed listed)
      : fusion_(fusion),
        segment_(segment),
        traffic_(traffic),
        device_(device),
        work_(segment, traffic, device),
        listed_(listed) {
    list_.reserve(kUsualPlans);
  }

  std::vector<RatedPlan> by_last_block(const LastBlockHost& host) {
    if (!has_one_row() || traffic_.scans > 0 || !segment_.columns.empty()) return {};
    for (std::int64_t vector = widest_vector(run_through()); vector >= 1; vector /= 2) {
      RowPlan plan{.threads = host.x, .folders = host.y, .vector = vector};
      plan.last_block_of = host.root;
      const auto groups = double(steps_of(traffic_.items, double(vector)));
      plan.batch = steps_of(groups, double(host.x * host.y));
      for (plan.at_once = 1; plan.at_once <= 2 * kMostAtOnce; plan.at_once *= 2) {
        list_.push_back({plan, work_.time_of_last_block(plan)});
      }
    }
    return sorted([](const RatedPlan& p) { return p.time.seconds; });
  }

  std::vector<RatedPlan> run() {
    if (traffic_.windows) list_windows();
    std::vector<RatedPlan> first;
    if (traffic_.windows && traffic_.windows->is_remapped) {
      first = sorted([](const RatedPlan& p) { return p.time.seconds; });
      list_.clear();
    }
    if (segment_.is_pointwise) {
      list_pointwise();
    } else if (traffic_.lies_along_rows && segment_.columns.empty()) {
      list_along_rows();
    } else {
      list_along_inner();
      list_across();
    }
    // What a second kernel gains, or blocks that wait for one another, must be more than the error
    // of the model.
    const auto compared = [](const RatedPlan& p) {
      const bool is_shared = p.plan.parts > 1 || p.plan.ranks > 1;
      return p.time.seconds * (is_shared ? 1 + kErrorOfModel : 1);
    };
    const std::vector<RatedPlan> rest = sorted(compared);
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
  }

 private:
  void add(const RowPlan& plan) { list_.push_back({plan, work_.time(plan)}); }

  // The plans by a number, those with the same one as they were listed.
  template <class Number>
  std::vector<RatedPlan> sorted(Number number) const {
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(list_.size());
    for (const RatedPlan& p : list_) order.emplace_back(number(p), order.size());
    std::ranges::sort(order);
    std::vector<RatedPlan> plans;
    plans.reserve(list_.size());
    for (const auto& [ignored, i] : order) plans.push_back(list_[i]);
    return plans;
  }

  // The steps of a thread along a row.
  std::int64_t batch(const RowPlan& plan) const {
    const bool is_whole = traffic_.takes_whole_rows(plan.kept.has_value());
    const double items = (is_whole ? *traffic_.most_items : traffic_.items) + moved(plan);
    if (plan.is_along_rows) return steps_of(items, double(plan.folders));
    const auto of_step = double(plan.threads * plan.ranks);
    return steps_of(double(steps_of(items, double(plan.vector))), of_step);
  }

  // Points by which a row of a plan is longer than what it has of items.
  static double moved(const RowPlan& plan) { return plan.is_skewed ? double(plan.vector - 1) : 0; }

  // Of two plans that take equally long the first is taken.
  void add_with_and_without_keeping(RowPlan plan) {
    for (const Memory memory : {Memory::Local, Memory::Shared}) {
      plan.kept = memory;
      if (!work_.can_keep(memory)) continue;
      plan.batch = batch(plan);
      if (memory == Memory::Local) {
        add(plan);
        add_clusters(plan);
      }
      // Vectors along rows would lie apart in a row's memory.
      const bool is_whole = !plan.is_along_rows || plan.vector == 1;
      if (memory == Memory::Shared && plan.batch > 1 && is_whole) {
        add_steps(plan);
        add_late_copies(plan);
        add_clusters(plan);
      }
    }
    plan.kept.reset();
    plan.batch = batch(plan);
    // Of rows in as many steps as they have it is not proved that several of a block meet by
    // themselves.
    if (plan.is_along_rows || plan.folders == 1 || traffic_.takes_whole_rows(false)) {
      add_steps(plan);
    }
  }

  // A block waits at its own loop for the copies of its only row.
  void add_late_copies(RowPlan plan) {
    const bool has_row = plan.folders == 1 && plan.turns == 1 && plan.parts == 1 && is_whole(plan);
    if (!has_row || plan.is_along_rows || plan.is_skewed || !device_.has_late_copies) return;
    const bool fits = std::ranges::all_of(traffic_.tensors, [&](const TensorTraffic& t) {
      return !t.can_be_shared || t.passes < 2 || is_copied_at_once(plan.vector * t.size);
    });
    const bool is_replaced = std::ranges::any_of(traffic_.tensors, [&](const TensorTraffic& t) {
      return fusion_.replacement(t.tensor).has_value();
    });
    if (!fits || is_replaced) return;
    plan.is_copied_late = true;
    add_steps(plan);
  }
  // A row by the blocks of a cluster, each of which has whole warps that take as many steps as all
  // others: for rows that a block has no room for, and for few rows. On every GPU that has clusters
  // they may be of eight blocks.
  void add_clusters(RowPlan plan) {
    constexpr std::int64_t kMostBlocks = 8, kFewestBytes = 4096;
    const bool has_row = !plan.is_along_rows && plan.folders == 1 && plan.turns == 1 &&
                         !plan.is_skewed && plan.threads % kWarp == 0;
    const bool folds = traffic_.folds > 0 && traffic_.scans == 0 && !segment_.are_apart;
    if (!device_.has_clusters || !has_row || !folds) return;
    for (plan.ranks = 2; plan.ranks <= kMostBlocks; plan.ranks *= 2) {
      plan.batch = batch(plan);
      const double bytes = traffic_.items / double(plan.ranks) * work_.kept_bytes_of_item();
      if (plan.batch < 1 || bytes < kFewestBytes || !is_whole(plan)) continue;
      if (plan.kept == Memory::Local) {
        add(plan);
      } else {
        add_steps(plan);
        add_late_copies(plan);
      }
    }
  }
  // Whether a row is a number of items, of which all threads take as many in each step.
  bool is_whole(const RowPlan& plan) const {
    const bool is_known = std::ranges::all_of(
        traffic_.inner, [&](DomainId d) { return fusion_.domains()[d].extent.is(Op::Const); });
    return is_known &&
           double(plan.threads * plan.vector * plan.batch * plan.ranks) == traffic_.items;
  }

  void add_steps(RowPlan plan) {
    const bool is_by_one_thread = (plan.is_along_rows ? plan.folders : plan.threads) == 1;
    if (is_by_one_thread && plan.batch <= kFewItems) {
      plan.at_once = plan.batch;
      return add(plan);
    }
    // The threads of a scan meet in every step; along a row each takes as much as a vector.
    const std::int64_t most = traffic_.scans > 0 && !plan.is_along_rows ? 1 : kMostAtOnce;
    for (plan.at_once = 1; plan.at_once <= most; plan.at_once *= 2) {
      const bool is_divided = plan.batch % plan.at_once == 0;
      if (is_divided || (plan.batch > 4 * plan.at_once && !plan.is_copied_late)) add(plan);
    }
  }

  void list_pointwise() {
    for (std::int64_t vector = widest_vector(segment_.rows); vector >= 1; vector /= 2) {
      for (std::int64_t threads : {128, 256, 64, 512, 32}) {
        add({.threads = threads, .vector = vector});
      }
    }
    list_across();
    // A line of memory has 64 halves.
    constexpr std::int64_t kSide = 32, kSideOfHalves = 64;
    const auto& turn = traffic_.turn;
    if (!turn || std::min(turn->stored_extent, turn->read_extent) < kSide / 2) return;
    for (std::int64_t warps : {8, 4, 16}) add({.threads = kSide, .folders = warps, .tile = kSide});
    const auto is_narrow = [](const TensorTraffic& t) { return t.size <= 2; };
    if (!std::ranges::all_of(traffic_.tensors, is_narrow)) return;
    if (std::min(turn->stored_extent, turn->read_extent) < kSideOfHalves / 2) return;
    for (std::int64_t rows : {4, 8, 16}) {
      add({.threads = kSideOfHalves, .folders = rows, .tile = kSideOfHalves});
    }
  }

  void list_windows() {
    for (std::int64_t threads : {32, 64, 16}) {
      for (std::int64_t rows : {8, 16, 4}) {
        RowPlan plan{.threads = threads, .folders = rows, .is_windowed = true};
        add(plan);
        plan.kept = Memory::Shared;
        add(plan);
      }
    }
  }

  // Vectors lie along the long iterdomain. What is stored along the short one is stored in whole
  // accesses, if it has as many items or a power of two of them.
  void list_across() {
    if (!traffic_.across || segment_.are_apart) return;
    const SegmentTraffic::Across& a = *traffic_.across;
    std::int64_t widest = widest_vector(a.along);
    for (const TensorTraffic& t : traffic_.tensors) {
      if (!a.is_stored || !t.is_stored) continue;
      const std::int64_t width = std::max<std::int64_t>(kWidestAccess / t.size, 1);
      widest = std::min(widest, width / std::gcd(width, a.items));
    }
    for (std::int64_t vector = widest; vector >= 1; vector /= 2) {
      for (std::int64_t threads : {128, 256, 64, 512, 32}) {
        RowPlan plan{.threads = threads, .vector = vector, .across = a.items};
        if (!segment_.is_pointwise) {
          plan.is_along_rows = true;
          plan.batch = plan.at_once = a.items;
          plan.kept = Memory::Local;
        }
        add(plan);
      }
    }
  }

  void list_along_rows() {
    for (std::int64_t vector = widest_vector(segment_.rows); vector >= 1; vector /= 2) {
      for (std::int64_t threads : {32, 64, 128, 256}) {
        for (std::int64_t folders = 1; folders * threads <= kMostThreads; folders *= 2) {
          if (double(folders) >= 2 * traffic_.items) break;
          RowPlan plan{
              .is_along_rows = true, .threads = threads, .folders = folders, .vector = vector};
          add_with_and_without_keeping(plan);
          for (plan.parts = 2; are_folds() && traffic_.scans == 0 && plan.parts <= kMostParts;
               plan.parts *= 2) {
            if (!add_part(plan, traffic_.items / double(folders))) break;
          }
          list_parts_of_scan(
              {.is_along_rows = true, .threads = threads, .folders = folders, .vector = vector});
        }
      }
    }
  }

  // Rows side by side, each by several blocks, in which a thread takes neighbours.
  void list_parts_of_scan(RowPlan plan) {
    if (segment_.members.size() > 1 || traffic_.scans == 0) return;
    for (plan.parts = 2; plan.parts <= kMostPartsOfScan; plan.parts *= 2) {
      const double items = traffic_.items / double(plan.folders * plan.parts);
      if (items < 1) return;
      plan.batch = plan.at_once = steps_of(items, 1);
      if (plan.batch * plan.vector <= kMostKeptOfScan) add(plan);
    }
  }

  void list_along_inner() {
    const std::int64_t widest = widest_vector(run_through());
    for (std::int64_t vector = widest; vector >= 1; vector /= 2) list_rows({.vector = vector});
    if (!can_be_skewed()) return;
    for (std::int64_t vector = widest_access(run_through()); vector > widest; vector /= 2) {
      list_rows({.vector = vector, .is_skewed = true});
    }
  }

  void list_rows(RowPlan plan) {
    const std::int64_t most_threads = traffic_.most_items ? kMostThreadsOfRows : 0;
    const auto groups = double(steps_of(traffic_.items + moved(plan), double(plan.vector)));
    for (std::int64_t threads : thread_counts(groups)) {
      plan.threads = threads;
      for (std::int64_t rows = 1; rows == 1 || rows * threads <= most_threads; rows *= 2) {
        plan.folders = rows;
        if (segment_.columns.empty()) {
          add_with_and_without_keeping(plan);
        } else {
          add_turns(plan);
        }
      }
      plan.folders = 1;
      if (plan.is_skewed) continue;
      for (plan.parts = 2; are_folds() && plan.parts <= kMostParts; plan.parts *= 2) {
        if (!add_part(plan, groups / double(threads))) break;
      }
      plan.parts = 1;
    }
  }

  // Whether rows lie one after another, whose vectors a skew would align. Columns are folded at
  // places that do not move.
  bool can_be_skewed() const {
    const auto is_stored_otherwise = [&](const TensorTraffic& t) {
      return t.is_stored && t.innermost && contains(traffic_.inner, *t.innermost) &&
             !t.lies_by_rows;
    };
    const auto lies_by_rows = [](const TensorTraffic& t) { return t.lies_by_rows; };
    return !segment_.rows.empty() && segment_.columns.empty() && traffic_.scans == 0 &&
           !segment_.are_apart && std::ranges::any_of(traffic_.tensors, lies_by_rows) &&
           std::ranges::none_of(traffic_.tensors, is_stored_otherwise);
  }

  // Each block computes several rows in turn, so that what it stores of columns is little beside
  // what it reads.
  void add_turns(RowPlan plan) {
    for (std::int64_t blocks : {work_.multiprocessors(), 2 * work_.multiprocessors()}) {
      plan.turns = std::max<std::int64_t>(steps_of(traffic_.rows, double(blocks * plan.folders)),
                                          kFewestTurns);
      add_with_and_without_keeping(plan);
    }
  }

  // Whether all that is computed are folds, which may be folded in parts of rows.
  bool are_folds() const {
    return segment_.are_siblings ||
           (segment_.members.size() == 1 && fusion_[segment_.root].fold.has_value());
  }

  // Adds a plan by whose parts a row of so many steps is folded; false where a part has none.
  bool add_part(RowPlan plan, double steps) {
    steps /= double(plan.parts);
    if (steps < 1) return false;
    plan.batch = steps_of(steps, 1);
    plan.kept.reset();
    if (traffic_.scans == 0) {
      add_steps(plan);
    } else if (plan.batch * plan.vector <= kMostKeptOfScan) {
      add(plan);  // a thread keeps its items of a part while it learns what is before them
    }
    return true;
  }

  // Powers of two, and numbers of whole warps by which a row takes a few steps of all of them.
  std::vector<std::int64_t> thread_counts(double groups) const {
    constexpr std::int64_t kMostSteps = 8;
    constexpr std::int64_t kManySteps = 128, kManyThreads = 128;
    std::vector<std::int64_t> counts;
    for (std::int64_t n = 1; n <= kMostThreads && (n == 1 || double(n) < 2 * groups); n *= 2) {
      const bool is_slow = n < kManyThreads && groups > double(n * kManySteps);
      if (listed_ == Listed::All || !is_slow) counts.push_back(n);
    }
    for (std::int64_t steps = 1; steps <= kMostSteps; ++steps) {
      const std::int64_t n = steps_of(groups, double(steps * kWarp)) * kWarp;
      const bool is_new = std::ranges::find(counts, n) == counts.end();
      if (n > kWarp && n <= kMostThreads && is_new) counts.push_back(n);
    }
    return counts;
  }

  // The iterdomains of a row that threads run through: its items; where there are none, what is
  // folded.
  std::vector<DomainId> run_through() const {
    std::vector<DomainId> items = traffic_.inner;
    std::erase_if(items, [&](DomainId d) { return contains(traffic_.folded, d); });
    return items.empty() ? traffic_.inner : items;
  }

  // The widest vector along merged iterdomains, outer to inner: what is stored side by side along
  // the last of them is stored in whole vectors, and what is read there in one access or several.
  // Of an extent that is a size the launch chooses between vectors and single elements. Where all
  // tensors are nothing but what is merged, only the last vector is no whole one, whatever the
  // extents are.
  std::int64_t widest_vector(const std::vector<DomainId>& merged) const {
    std::int64_t vector = widest_access(merged);
    if (vector == 1) return 1;
    if (is_all()) {
      while (vector > 1 && double(vector) > traffic_.rows * traffic_.items) vector /= 2;
      return vector;
    }
    for (const TensorTraffic& t : traffic_.tensors) {
      if (t.innermost != merged.back()) continue;
      while (vector > 1 && t.extent % vector != 0) vector /= 2;
    }
    return vector;
  }

  // Whether there is one row at all sizes.
  bool has_one_row() const {
    return std::ranges::all_of(segment_.rows,
                               [&](DomainId d) { return fusion_.domains()[d].extent.is_const(1); });
  }

  // Whether all tensors have the merged iterdomains, in this order, and no others.
  bool is_all() const {
    const auto is_it = [](const TensorTraffic& t) { return !t.innermost || t.lies_by_rows; };
    return (segment_.is_pointwise ? traffic_.inner.empty() : has_one_row()) &&
           std::ranges::all_of(traffic_.tensors, is_it);
  }

  // The same, were all extents multiples of it.
  std::int64_t widest_access(const std::vector<DomainId>& merged) const {
    if (merged.empty()) return 1;
    const DomainId last = merged.back();
    std::int64_t stored = 0, read = kWidestAccess + 1;  // bytes: the largest, the smallest
    for (const TensorTraffic& t : traffic_.tensors) {
      if (t.innermost != last || t.step != 1) continue;
      (t.is_stored ? stored : read) =
          t.is_stored ? std::max(stored, t.size) : std::min(read, t.size);
    }
    const std::int64_t size = stored > 0 ? stored : read;
    return std::max<std::int64_t>(kWidestAccess / size, 1);
  }

  const Fusion& fusion_;
  const Segment& segment_;
  const SegmentTraffic& traffic_;
  const Device& device_;
  const PlanWork work_;
  const Listed listed_;
  std::vector<RatedPlan> list_;
};

}  // namespace

bool RowPlan::is_alike(const RowPlan& o) const {
  return is_along_rows == o.is_along_rows && vector == o.vector && kept == o.kept &&
         is_copied_late == o.is_copied_late && (ranks > 1) == (o.ranks > 1) && tile == o.tile &&
         (across > 1) == (o.across > 1) && (parts > 1) == (o.parts > 1) &&
         (turns > 1) == (o.turns > 1) && is_skewed == o.is_skewed && is_windowed == o.is_windowed &&
         last_block_of == o.last_block_of;
}

std::string RowPlan::text() const {
  if (tile > 0) {
    const std::string side = std::to_string(tile);
    return "tiles of " + side + " x " + side + " through shared memory, " +
           std::to_string(threads * folders / kWarp) + " warps a block";
  }
  if (is_windowed) {
    return "windows of " + std::to_string(folders) + " x " + std::to_string(threads) +
           " items a block" + (kept ? ", read from a tile in shared memory" : "");
  }
  if (last_block_of) {
    std::string text =
        "the last block of another kernel, " + std::to_string(threads * folders) + " threads";
    if (vector > 1) text += ", vectors of " + std::to_string(vector);
    if (at_once > 1) text += ", " + std::to_string(at_once) + " at once";
    return text;
  }
  std::string text = std::to_string(threads) + (is_along_rows ? " rows" : " threads");
  if (folders > 1) {
    text += " by " + std::to_string(folders) + (is_along_rows ? " threads a row" : " rows");
  }
  if (vector > 1) text += ", vectors of " + std::to_string(vector);
  if (is_skewed) text += " in skewed rows";
  if (across > 1) text += ", across " + std::to_string(across);
  if (batch > 1 && across == 1) text += ", " + std::to_string(batch) + " steps a thread";
  if (at_once > 1 && across == 1) text += ", " + std::to_string(at_once) + " at once";
  if (kept) text += *kept == Memory::Local ? ", kept in registers" : ", kept in shared memory";
  if (is_copied_late) text += " by copies that end later";
  if (ranks > 1) text += ", a row by clusters of " + std::to_string(ranks) + " blocks";
  if (turns > 1) text += ", " + std::to_string(turns) + " rows in turn";
  if (parts > 1) text += ", each row by " + std::to_string(parts) + " blocks";
  return text;
}

std::vector<RatedPlan> last_block_plans(const Fusion& fusion, const Segment& segment,
                                        const SegmentTraffic& traffic, const Device& device,
                                        const LastBlockHost& host) {
  return Plans(fusion, segment, traffic, device, Listed::All).by_last_block(host);
}

std::vector<RatedPlan> plans_for(const Fusion& fusion, const Segment& segment,
                                 const SegmentTraffic& traffic, const Device& device,
                                 Listed listed) {
  return Plans(fusion, segment, traffic, device, listed).run();
}

}  // namespace selvage
