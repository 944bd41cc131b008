#include <selvage/scheduler/plan_work.h>

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

constexpr double kMostKeptRegisters = 96;
constexpr double kBytesOfRegister = 4;
constexpr double kBytesOfState = 4;            // of a fold, about
constexpr double kBarriersOfCluster = 8;       // that one of a cluster takes as long as, about
constexpr double kInstructionsOfMeeting = 20;  // of a thread: shuffles that end a fold

constexpr double kStepsOfWarp = 5;          // in which its threads merge their states
constexpr double kInstructionsOfState = 4;  // to take in what another thread has come to

// Then a thread asks for all that it reads of a row at the same time.
bool keeps_in_registers(const RowPlan& plan) { return plan.kept == Memory::Local; }

}  // namespace

PlanWork::PlanWork(const Segment& segment, const SegmentTraffic& traffic, const Device& device)
    : segment_(segment), traffic_(traffic), device_(device) {
  for (const TensorTraffic& t : traffic.tensors) {
    once_ += t.bytes();
    if (t.is_stored) stored_ += t.bytes();
    again_ += double(t.passes - 1) * t.bytes();
    if (t.passes > 1) read_again_ += t.bytes();
    if (t.is_stored) continue;
    passes_ = std::max(passes_, t.passes);
    loaded_ += std::min(1.0, t.items / (traffic.rows * traffic.items)) * double(t.size);
    // Compilers keep what an element of 16 bits is widened to.
    if (t.can_be_kept && t.passes > 1) kept_ += std::max(double(t.size), kBytesOfRegister);
    if (t.can_be_shared && t.passes > 1) shared_ += double(t.size);
  }
}

// A block copies a tile of each tensor that lies along the other iterdomain into shared memory, and
// then computes the tile, row by row of its stores.
LaunchTime PlanWork::tile_time(const RowPlan& plan) const {
  const SegmentTraffic::Turn& turn = *traffic_.turn;
  const auto side = double(plan.tile);
  const double tiles = quotient_up(turn.stored_extent, side) * quotient_up(turn.read_extent, side);
  const double padded = tiles * side * side;  // points, for each point of the other rows
  const double steps = side * side / double(plan.threads * plan.folders);
  LaunchWork work;
  work.blocks = std::int64_t(tiles * traffic_.rows / (turn.stored_extent * turn.read_extent));
  work.threads = plan.threads * plan.folders;
  work.registers = std::int64_t(kRegistersOfCode + 2 * steps);
  double requested = 0, copied = 0;
  for (const TensorTraffic& t : traffic_.tensors) {
    requested += t.bytes() / coalesced_share(side * double(t.size));
    const bool is_copied =
        !t.is_stored && std::ranges::find(turn.copied, t.copied) != turn.copied.end();
    if (is_copied) copied += double(t.size);
  }
  work.shared_bytes = std::int64_t(side * (side + 1) * copied);
  work.dram_bytes = work.l2_bytes = once_;
  work.stored_bytes = stored_;
  work.coalesced = requested > 0 ? once_ / requested : 1;
  work.bytes_in_flight = steps * std::max(loaded_, 1.0);
  work.loads_in_turn = 2;
  work.barriers = 1;
  work.instructions = padded * traffic_.rows / (turn.stored_extent * turn.read_extent) *
                      (traffic_.instructions + 4 * kInstructionsOfAccess);
  return time_of(work, device_);
}

// Each block fetches its tile and what windows reach around it; a tap is an access whose address is
// known but for a constant. From a tile in shared memory it is as fast as from L1, which has 128
// bytes for a warp at a time where they are aligned, and twice that to fetch where they are not.
LaunchTime PlanWork::window_time(const RowPlan& plan) const {
  constexpr double kInstructionsOfTap = 2, kTapsAtOnce = 8, kUnaligned = 1;
  const Windows& w = *traffic_.windows;
  const auto height = double(plan.folders), width = double(plan.threads);
  const double tiles = quotient_up(w.rows, height) * quotient_up(w.columns, width) * w.others;
  const double read = (height + double(w.row_reach)) * (width + double(w.column_reach));
  const auto sources = double(w.sources.size());
  LaunchWork work;
  work.blocks = std::int64_t(tiles);
  work.threads = plan.threads * plan.folders;
  work.registers = std::int64_t(kRegistersOfCode + kTapsAtOnce);
  work.dram_bytes = once_;
  work.stored_bytes = stored_;
  work.l2_bytes =
      stored_ + (once_ - stored_) * std::max(1.0, read * tiles / (w.rows * w.columns * w.others));
  work.coalesced = coalesced_share(width * w.bytes / sources);
  work.bytes_in_flight = w.bytes * std::min(traffic_.items, kTapsAtOnce);
  const double items = tiles * height * width;
  const double of_tap = traffic_.instructions + kInstructionsOfTap * sources;
  work.instructions = items * (traffic_.items * of_tap + 2 * kInstructionsOfAccess);
  if (plan.kept) {
    work.shared_bytes = std::int64_t(4 * read * sources);
    work.barriers = 1;
    work.loads_in_turn = 2;
    work.instructions += tiles * read * sources * kInstructionsOfAccess;
  } else {
    work.instructions += items * traffic_.items * kUnaligned * sources;
  }
  return time_of(work, device_);
}

// A thread computes all items of the short iterdomain, and has asked for all that it reads before.
LaunchTime PlanWork::across_time(const RowPlan& plan) const {
  const auto points = double(plan.vector * plan.across);
  LaunchWork work;
  work.blocks = std::int64_t(quotient_up(traffic_.rows, double(plan.threads) * points));
  work.threads = plan.threads;
  const double kept = registers_across(plan);
  work.registers = std::int64_t(kRegistersOfCode + kept + 2 * double(plan.vector));
  work.dram_bytes = work.l2_bytes = once_;
  work.stored_bytes = stored_;
  work.coalesced = coalesced(plan);
  work.bytes_in_flight = std::max(loaded_, 1.0) * points;
  work.instructions = instructions(plan, work);
  LaunchTime time = time_of(work, device_);
  if (kept > kMostKeptRegisters) time.seconds = INFINITY;
  return time;
}

// Of a thread, for what it copies and would not keep else.
double PlanWork::registers_across(const RowPlan& plan) const {
  if (plan.across == 1) return 0;
  double bytes = 0;
  for (const TensorTraffic& t : traffic_.tensors) {
    const auto& copied = traffic_.across->copied;
    if (plan.kept && t.passes > 1) continue;  // it is kept
    if (!t.is_stored && std::ranges::find(copied, t.copied) != copied.end())
      bytes += double(t.size);
  }
  return bytes * double(plan.vector * plan.across) / kBytesOfRegister;
}

// Bytes that DRAM gives more than once, where blocks far apart take the items of a short iterdomain
// along which a tensor lies: each of them fetches all its sectors.
double PlanWork::fetched_again(const RowPlan& plan) const {
  constexpr double kSector = 32;
  if (!traffic_.across || traffic_.across->is_stored || plan.across > 1) return 0;
  if (!segment_.is_pointwise) return 0;
  const SegmentTraffic::Across& a = *traffic_.across;
  const auto at = std::ranges::find(segment_.rows, a.domain);
  double between = once_;  // bytes that are moved from the first item to the last
  for (auto outer = segment_.rows.begin(); outer != at; ++outer) {
    between /= double(traffic_.extents[std::size_t(outer - segment_.rows.begin())]);
  }
  if (between <= kShareOfL2InProgress * double(device_.l2_bytes)) return 0;
  double bytes = 0;
  for (const TensorTraffic& t : traffic_.tensors) {
    if (t.is_stored || t.innermost != a.domain || t.around != a.along.back()) continue;
    bytes += (std::min(double(a.items), kSector / double(t.size)) - 1) * t.bytes();
  }
  return bytes;
}

LaunchTime PlanWork::time(const RowPlan& plan) const {
  if (plan.tile > 0) return tile_time(plan);
  if (plan.is_windowed) return window_time(plan);
  if (plan.across > 1 && segment_.is_pointwise) return across_time(plan);
  LaunchWork work;
  work.blocks = blocks(plan);
  work.threads = plan.threads * plan.folders;
  const double kept = registers_kept(plan) + registers_across(plan);
  const auto at_once = double(plan.at_once);
  work.registers = std::int64_t(kRegistersOfCode + kept + 2 * double(plan.vector) * at_once);
  const bool is_row_at_once = keeps_in_registers(plan) || plan.is_copied_late;
  const std::int64_t rows_of_block = plan.is_along_rows ? plan.threads * plan.vector : plan.folders;
  // What is kept has room for whole steps, all of those that a thread takes at once.
  const double steps = at_once * quotient_up(double(plan.batch), at_once);
  const auto of_step = double(plan.is_along_rows ? plan.folders : plan.threads * plan.vector);
  const auto ranks = double(plan.ranks);
  const double padded = std::max(1.0, of_step * steps * ranks / traffic_.items);
  double shared = 4 * traffic_.in_shared;
  if (plan.kept == Memory::Shared) shared += shared_ * traffic_.items / ranks;
  work.shared_bytes = std::int64_t(padded * shared) * rows_of_block;
  if (work.shared_bytes > 0 && traffic_.folds > 0) work.shared_bytes += bytes_to_meet(plan);
  work.loads_in_turn = is_row_at_once ? 1 : quotient_up(double(plan.batch), at_once);
  work.loads_in_turn *= double(plan.turns);
  add_bytes(plan, work);
  const bool meet_in_memory = plan.threads > 32 || plan.is_along_rows;
  if (traffic_.folds > 0 && meet_in_memory) work.barriers = 2.0 * meetings(plan);
  if (plan.is_copied_late) ++work.barriers;
  // Blocks of a cluster wait for each other, once more before they end.
  if (plan.ranks > 1) work.barriers += kBarriersOfCluster * (meetings(plan) + 1);
  work.instructions = instructions(plan, work);
  LaunchTime time = time_of(work, device_);
  if (plan.parts > 1) {
    time.seconds +=
        seconds_of_parts(double(plan.parts), traffic_.rows, double(segment_.members.size()),
                         plan.is_along_rows, time.waves <= 1);
  }
  if (plan.parts > 1 && traffic_.scans > 0) add_scan_of_parts(plan, time);
  if (traffic_.columns > 0) {
    time.seconds += seconds_of_parts(double(work.blocks), traffic_.items, double(traffic_.columns),
                                     true, time.waves <= 1);
  }
  if (kept > kMostKeptRegisters || work.shared_bytes > device_.shared_bytes - kReservedSharedBytes)
    time.seconds = INFINITY;
  return time;
}

LaunchTime PlanWork::time_of_last_block(const RowPlan& plan) const {
  LastBlockWork work;
  work.loads_in_turn = double(passes_) * quotient_up(double(plan.batch), double(plan.at_once));
  work.barriers = 2.0 * traffic_.folds;
  double accesses = 0;
  for (const TensorTraffic& t : traffic_.tensors) accesses += t.passes;
  work.instructions = double(plan.batch) * (double(plan.vector) * traffic_.instructions +
                                            accesses * kInstructionsOfAccess) +
                      traffic_.folds * kInstructionsOfMeeting;
  // Each thread merges what the rows of threads have come to.
  if (plan.folders > 1) {
    work.instructions += double(plan.folders) * (traffic_.folds * kInstructionsOfState +
                                                 traffic_.of_merging / kStepsOfWarp);
  }
  // The block counts itself before.
  constexpr double kTurnsOfCounting = 2;
  LaunchTime time;
  time.seconds = seconds_of(work, device_) + kTurnsOfCounting * device_.l2_latency;
  time.limiter = Limiter::Latency;
  return time;
}

// Of shared memory, by which the threads of a block meet: for each of them where they run along
// rows, else for each warp.
std::int64_t PlanWork::bytes_to_meet(const RowPlan& plan) {
  constexpr std::int64_t kBytes = 12;  // of the largest state
  const std::int64_t threads = plan.threads * plan.folders;
  return kBytes * (plan.is_along_rows ? threads * plan.vector : (threads + kWarp - 1) / kWarp);
}

// The second kernel of a fold in parts, which reads the states that the first one has stored.
// Where the parts of neighbouring items lie side by side, the warps of a block share the parts of a
// warp's items, and each thread merges what the warps come to; else a block has one item.
double PlanWork::seconds_of_parts(double parts, double items, double folds, bool is_side_by_side,
                                  bool is_at_once) const {
  constexpr double kWarpsIssuedPerClock = 4, kAtOnce = 4;
  const double bytes = kBytesOfState * parts * items * folds;
  const double threads = is_side_by_side ? double(kWarp * kWarp) : double(kThreadsOfParts);
  const double sharing = is_side_by_side ? double(kWarp) : threads;
  const double states = quotient_up(parts, sharing) + (is_side_by_side ? double(kWarp) : 0);
  const double instructions =
      states * (folds * kInstructionsOfState + traffic_.of_merging / kStepsOfWarp);
  const double cycles = instructions * threads / (kWarp * kWarpsIssuedPerClock);
  // L2 still has what was stored last: all of it where the blocks of the first kernel run at once.
  const double kept = kShareOfL2 * double(device_.l2_bytes);
  const double held = is_at_once ? 1 : std::min(1.0, kept / once_);
  const double from_l2 = bytes * held <= kept ? bytes * held : 0;
  return 2 * device_.latency + device_.launch +
         (2 * bytes - from_l2) / (device_.dram_bandwidth * device_.dram_share) +
         from_l2 / device_.l2_bandwidth + cycles / device_.clock +
         quotient_up(parts, sharing * kAtOnce) * device_.l2_latency;
}

// A scan in parts reads all twice, and has a kernel that scans what the parts come to: few blocks,
// which meet in every step.
void PlanWork::add_scan_of_parts(const RowPlan& plan, LaunchTime& time) const {
  constexpr double kBytes = 16;  // for each part: stored and read in two steps
  const std::int64_t at_once = plan.is_along_rows ? kWarp * plan.at_once : kThreadsOfParts;
  const double steps = quotient_up(double(plan.parts), double(at_once));
  const double bytes = kBytes * traffic_.rows * double(plan.parts);
  time.seconds *= 1.5;
  time.seconds +=
      device_.launch + 2 * (1 + steps) * device_.latency + bytes / device_.dram_bandwidth;
}

std::int64_t PlanWork::blocks(const RowPlan& plan) const {
  const bool is_along_rows = segment_.is_pointwise || plan.is_along_rows;
  const std::int64_t rows_of_block = is_along_rows ? plan.threads * plan.vector : plan.folders;
  return std::int64_t(quotient_up(traffic_.rows, double(rows_of_block * plan.turns))) * plan.parts *
         plan.ranks;
}

// What a thread keeps of a row: elements that it has loaded, and those that members compute for one
// another.
double PlanWork::registers_kept(const RowPlan& plan) const {
  const std::int64_t threads_of_row = plan.is_along_rows ? plan.folders : plan.threads;
  const double rows = plan.is_along_rows ? double(plan.vector) : 1;
  const double computed = rows * quotient_up(traffic_.in_registers, double(threads_of_row));
  const double loaded =
      keeps_in_registers(plan) ? kept_ * double(plan.batch * plan.vector) / kBytesOfRegister : 0;
  const double states = traffic_.columns * double(plan.batch * plan.vector);
  return computed + loaded + states;
}

void PlanWork::add_bytes(const RowPlan& plan, LaunchWork& work) const {
  const bool is_row_at_once = keeps_in_registers(plan) || plan.is_copied_late;
  const double points = double(plan.vector * (is_row_at_once ? plan.batch : plan.at_once));
  work.bytes_in_flight = std::max(loaded_, 1.0) * points / idle(plan);
  work.coalesced = coalesced(plan);
  work.dram_bytes = work.l2_bytes = once_;
  work.stored_bytes = stored_;
  const double again = fetched_again(plan);
  work.dram_bytes += again;
  work.l2_bytes += again;
  if (plan.kept) return;
  // A later pass finds a row in L2 if what the running blocks read again fits there.
  const double running = double(device_.multiprocessors * resident_blocks(work, device_));
  const double in_progress = std::min(1.0, running / double(work.blocks)) * (read_again_ + stored_);
  const bool is_from_dram = in_progress > kShareOfL2InProgress * double(device_.l2_bytes);
  work.l2_bytes += again_;
  if (is_from_dram) work.dram_bytes += again_;
  (is_from_dram ? work.loads_in_turn : work.cached_in_turn) += work.loads_in_turn * (passes_ - 1);
}

// Of all requests together. Plans that differ in their steps alone follow one another.
double PlanWork::coalesced(const RowPlan& plan) const {
  const std::array key = {plan.threads, plan.folders, plan.vector, plan.across,
                          std::int64_t(plan.is_along_rows)};
  if (key == of_requests_) return coalesced_;
  double requested = 0;  // bytes that would take as long if all requests were coalesced
  for (const TensorTraffic& t : traffic_.tensors) {
    requested += t.bytes() / coalesced_share(side_by_side(t, plan));
  }
  of_requests_ = key;
  return coalesced_ = requested > 0 ? once_ / requested : 1;
}

// The bytes that lie side by side in a request of a warp for elements of a tensor.
double PlanWork::side_by_side(const TensorTraffic& t, const RowPlan& plan) const {
  constexpr double kFewElements = 128;
  if (!t.innermost) return kFewElements;
  const bool is_along_rows = segment_.is_pointwise || plan.is_along_rows;
  const std::vector<DomainId>& merged = is_along_rows ? segment_.rows : traffic_.inner;
  const std::int64_t of_thread = t.size * plan.vector;
  const std::int64_t threads = std::min<std::int64_t>(plan.threads, kWarp);
  const auto rows_of_warp = double(std::min(plan.folders, kWarp / threads));
  if (!is_along_rows && !segment_.rows.empty() && segment_.rows.back() == *t.innermost) {
    return double(t.size) * rows_of_warp;
  }
  if (traffic_.across && (segment_.is_pointwise || plan.across > 1)) {
    return side_by_side_across(t, plan);
  }
  if (merged.empty() || merged.back() != *t.innermost) return double(of_thread);
  // Rows that a warp reads whole lie one after the other.
  const bool is_whole = !is_along_rows && t.items >= traffic_.rows * traffic_.items &&
                        double(plan.threads * plan.vector) >= traffic_.items;
  return double(of_thread * threads) * (is_whole ? rows_of_warp : 1);
}

// The same where all of a short iterdomain is beside a long one in some tensors. The threads of a
// warp are neighbours along the long one, or along the short one and then the long one.
double PlanWork::side_by_side_across(const TensorTraffic& t, const RowPlan& plan) const {
  const SegmentTraffic::Across& a = *traffic_.across;
  const auto of_thread = double(t.size * plan.vector);
  const double of_warp = of_thread * double(std::min<std::int64_t>(plan.threads, kWarp));
  const bool runs_short = plan.across == 1 && a.is_stored;
  // What a thread takes whole, a warp does; else items that other blocks ask for lie in between.
  if (t.innermost == a.domain && t.around == a.along.back()) return of_warp * double(plan.across);
  if (t.innermost == a.domain) return runs_short ? of_thread : double(t.size * plan.across);
  if (t.innermost == a.along.back()) return runs_short ? of_warp / double(a.items) : of_warp;
  return of_thread;
}

// Of all threads. Those past the end of a row issue what the others do, and so do those that a
// block lacks of whole warps.
double PlanWork::instructions(const RowPlan& plan, const LaunchWork& work) const {
  const auto threads = double(work.blocks * work.threads);
  const bool is_padded = !segment_.is_pointwise && !plan.is_along_rows;
  const auto padded = double(plan.threads * plan.vector * plan.batch * plan.parts * plan.ranks);
  const double points =
      idle(plan) * traffic_.rows * (is_padded ? std::max(padded, traffic_.items) : traffic_.items);
  const double of_group = double(plan.at_once * (plan.is_along_rows ? 1 : plan.vector));
  double accesses = 0;
  for (const TensorTraffic& t : traffic_.tensors) {
    if (!t.innermost) continue;
    const bool is_kept = plan.kept && (keeps_in_registers(plan) ? t.can_be_kept : t.can_be_shared);
    const int from_copy = plan.kept == Memory::Shared ? 1 : 0;
    // What lies otherwise than the rows that are moved is read by single elements.
    const bool is_apart = plan.is_skewed && !t.lies_by_rows;
    const double of_points = std::min(1.0, t.items / (traffic_.rows * traffic_.items)) *
                             (is_apart ? double(plan.vector) : 1);
    accesses += of_points * (is_kept && t.passes > 1 ? 1 + from_copy * t.passes : t.passes);
  }
  const double of_threads =
      points * (traffic_.instructions + traffic_.of_groups / of_group +
                accesses * kInstructionsOfAccess / double(plan.vector)) +
      (meetings(plan) * instructions_of_meeting(plan) + instructions_of_merging(plan)) * threads;
  return of_threads * work.threads_of_warps() / double(work.threads);
}

// How many threads there are along rows to those that have one.
double PlanWork::idle(const RowPlan& plan) const {
  if (!plan.is_along_rows || traffic_.rows == 0) return 1;
  const auto at_once = double(plan.threads * plan.vector);
  return quotient_up(traffic_.rows, at_once) * at_once / traffic_.rows;
}

// A warp merges the states of a row in so many steps; along rows each thread merges what all others
// of its rows have, one after the other.
double PlanWork::instructions_of_merging(const RowPlan& plan) const {
  const double times =
      plan.is_along_rows ? double(plan.folders * plan.vector) / kStepsOfWarp : double(plan.turns);
  return traffic_.of_merging * times;
}

// How often the threads of a block meet: once for each fold of a row, and in each step for each
// scan.
double PlanWork::meetings(const RowPlan& plan) const {
  const double of_step = plan.is_along_rows ? double(plan.at_once) : 1;
  const double of_scans = double(traffic_.scans) * (quotient_up(double(plan.batch), of_step) - 1);
  return (traffic_.folds + of_scans) * double(plan.turns);
}

// Along rows each thread of a scan reads what all others of its column have left in shared memory.
double PlanWork::instructions_of_meeting(const RowPlan& plan) const {
  constexpr double kOfEach = 6;
  return traffic_.scans > 0 && plan.is_along_rows ? kOfEach * double(plan.folders)
                                                  : kInstructionsOfMeeting;
}

}  // namespace selvage
