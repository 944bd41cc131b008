#include <selvage/runtime/compile_error.h>
#include <selvage/runtime/fiber.h>
#include <selvage/runtime/fork_lock.h>
#include <selvage/runtime/virtual_block.h>
#include <selvage/runtime/virtual_check.h>
#include <selvage/runtime/virtual_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <numeric>

namespace selvage {

namespace {

constexpr std::size_t kWarpThreads = 32;

// Fibers that no block has now, under fork_lock<Fiber>. Never freed: blocks may run while the
// process ends.
std::vector<std::unique_ptr<Fiber>>& stock() {
  static auto& fibers = *new std::vector<std::unique_ptr<Fiber>>;
  return fibers;
}

}  // namespace

constinit thread_local VirtualBlock* VirtualBlock::running_ = nullptr;

VirtualBlock::VirtualBlock(const KernelSource& source, VirtualMachine& machine, VirtualThread entry,
                           const std::vector<VirtualIndex>& threads, bool in_parts,
                           std::int64_t ranks, VirtualCheck* check)
    : source_(source),
      machine_(machine),
      entry_(entry),
      threads_(threads),
      in_parts_(in_parts),
      ranks_(std::size_t(ranks)),
      check_(check) {
  machine_.barrier = &VirtualBlock::wait;
  machine_.cluster_barrier = &VirtualBlock::wait_for_cluster;
  machine_.warp_barrier = &VirtualBlock::wait_for_warp;
  machine_.numbered_barrier = &VirtualBlock::wait_at_number;
  machine_.shuffle = &VirtualBlock::exchange;
  machine_.count_block = [](int* counter, int blocks) {
    // Blocks may run on several cores.
    const std::atomic_ref count(*counter);
    const bool is_last = count.fetch_add(1, std::memory_order_acq_rel) == blocks - 1;
    if (is_last) count.store(0, std::memory_order_relaxed);
    return int(is_last);
  };
  machine_.begin_copy = &VirtualBlock::begin_copy;
  machine_.end_copy_group = &VirtualBlock::end_copy_group;
  machine_.wait_for_copy_groups = &VirtualBlock::wait_for_copy_groups;
  machine_.init_object = [](void* object, int arrivals) {
    running_->objects_.init(object, arrivals);
  };
  machine_.arrive = [](void* object, long long bytes, int arrivals) {
    running_->objects_.arrive(object, bytes, arrivals);
  };
  machine_.arrive_with_copies = &VirtualBlock::arrive_with_copies;
  machine_.begin_bulk_copy = &VirtualBlock::begin_bulk_copy;
  machine_.store_box = &VirtualBlock::store_box;
  machine_.store_bytes = &VirtualBlock::store_bytes;
  machine_.combine_bytes = &VirtualBlock::combine_bytes;
  machine_.combine_box = &VirtualBlock::combine_box;
  machine_.end_store_group = &VirtualBlock::end_store_group;
  machine_.wait_for_store_groups = &VirtualBlock::wait_for_store_groups;
  machine_.begin_box_copy = &VirtualBlock::begin_box_copy;
  machine_.wait_for_phase = &VirtualBlock::wait_for_phase;
  machine_.multiply = &VirtualBlock::begin_mma;
  machine_.end_mma_group = &VirtualBlock::end_mma_group;
  machine_.wait_for_mma_groups = &VirtualBlock::wait_for_mma_groups;
  machine_.access = &VirtualBlock::access;
  {
    const std::lock_guard guard(fork_lock<Fiber>());
    const std::size_t kept = std::min(stock().size(), threads_.size());
    const auto from = stock().end() - std::ptrdiff_t(kept);
    std::move(from, stock().end(), std::back_inserter(fibers_));
    stock().erase(from, stock().end());
  }
  while (fibers_.size() < threads_.size()) fibers_.push_back(std::make_unique<Fiber>());
  for (std::size_t begin = 0; begin < threads_.size(); begin += kWarpThreads) {
    Threads& warp = warps_.emplace_back(std::min(kWarpThreads, threads_.size() - begin));
    std::iota(warp.begin(), warp.end(), begin);
  }
}

VirtualBlock::~VirtualBlock() {
  const std::lock_guard guard(fork_lock<Fiber>());
  std::ranges::move(fibers_, std::back_inserter(stock()));
}

// Makes the machine that of a thread of the warp, which leaves the kernel unless it stops.
__attribute__((always_inline)) inline void VirtualBlock::begin(std::size_t position) {
  position_ = position;
  const std::size_t t = warp_[position];
  machine_.thread = threads_[t];
  Stop& stop = stops_[t];
  stop.kind = Stop::Kind::Exited;
  stop.line = Stop::kExited;
}

// From a thread that has stopped to the next one of its warp.
__attribute__((always_inline)) inline void VirtualBlock::leave() {
  VirtualBlock& block = *running_;
  if (Fiber::kPasses && block.position_ + 1 < block.width_) {
    block.begin(block.position_ + 1);
    Fiber::pass_to(*block.fibers_[block.warp_[block.position_]]);
  } else {
    Fiber::suspend();
  }
}

void VirtualBlock::wait(int line) {
  Stop& stop = running_->stop();
  stop.kind = Stop::Kind::Barrier;
  stop.line = line;
  leave();
}
void VirtualBlock::wait_for_cluster(int line) {
  Stop& stop = running_->stop();
  stop.kind = Stop::Kind::ClusterBarrier;
  stop.line = line;
  leave();
}
void VirtualBlock::wait_for_warp(int line, unsigned lanes) {
  Stop& stop = running_->stop();
  stop.kind = Stop::Kind::WarpBarrier;
  stop.line = line;
  stop.who = lanes;
  leave();
}
void VirtualBlock::wait_at_number(int id, int threads, int members, int line) {
  Stop& stop = running_->stop();
  stop.kind = Stop::Kind::NumberedBarrier;
  stop.line = line;
  stop.id = id;
  stop.threads = threads;
  stop.members = members == 0 ? threads : members;
  leave();
}
void VirtualBlock::exchange(void* value, unsigned bytes, int lanes, int line) {
  Stop& stop = running_->stop();
  stop.kind = Stop::Kind::Shuffle;
  stop.line = line;
  stop.value = static_cast<std::byte*>(value);
  stop.bytes = bytes;
  stop.lanes = lanes;
  leave();
}

// A thread whose access is bad is left before it, for good.
void VirtualBlock::access(const void* place, unsigned long bytes, int writes) {
  VirtualBlock& block = *running_;
  if (block.fibers_[block.warp_[block.position_]]->holds(place)) return;
  if (block.check_->allows(place, bytes, writes != 0)) return;
  block.stop().kind = Stop::Kind::BadAccess;
  Fiber::suspend();
}

bool VirtualBlock::is_made_at_once() { return random_ != nullptr && random_->next() % 2 == 0; }
void VirtualBlock::wait_for_phase(void* object, int parity, int line) {
  while (!running_->objects_.has_ended(object, parity)) {
    Stop& stop = running_->stop();
    stop.kind = Stop::Kind::Phase;
    stop.line = line;
    stop.object = object;
    stop.parity = parity;
    leave();
  }
}

void VirtualBlock::run(SplitMix64* random) {
  random_ = random;
  run_threads(random);
  for (Queue& queue : queues_) {
    queue.make_below(queue.closed + 1);
    queue.closed = 0;
  }
  objects_.end_block();
}

void VirtualBlock::run_threads(SplitMix64* random) {
  running_ = this;
  stops_.assign(threads_.size(), {});
  for (const auto& fiber : fibers_) fiber->start(entry_);
  if (check_ != nullptr) check_->begin_block();
  if (in_parts_) return run_in_parts(random);
  do {
    if (random != nullptr) shuffle(warps_, *random);
    for (Threads& warp : warps_) run_warp(warp, random);
    for (const Stop& s : stops_) {
      if (s.line == stops_.front().line) continue;
      refuse_all();
    }
  } while (stops_.front().kind != Stop::Kind::Exited);
}

// Threads of one warp in this order, each to its next stop.
__attribute__((always_inline)) inline void VirtualBlock::resume(const Threads& threads) {
  warp_ = threads.data();
  width_ = threads.size();
  for (position_ = 0; position_ < width_; ++position_) {
    begin(position_);
    fibers_[threads[position_]]->resume();
    if (check_ != nullptr && this->stop().kind == Stop::Kind::BadAccess) {
      check_->refuse(source_, machine_.block, machine_.thread);
    }
  }
}

// Until each of its threads waits for the block, or is gone.
void VirtualBlock::run_warp(Threads& warp, SplitMix64* random) {
  for (;;) {
    if (random != nullptr) shuffle(warp, *random);
    resume(warp);
    const auto waits_for_warp = [&](std::size_t t) { return stops_[t].is_of_warp(); };
    if (std::ranges::none_of(warp, waits_for_warp)) return;
    const Stop& first = stops_[warp.front()];
    for (std::size_t t : warp) {
      if (stops_[t].line == first.line && stops_[t].kind == first.kind) continue;
      const std::size_t number = *std::ranges::min_element(warp) / kWarpThreads;
      refuse(warp, fmt::format("warp {} of ", number));
    }
    if (first.is_exchange()) exchange(warp);
  }
}

// Runs every warp by itself, as long as one of its threads can go on. Barriers that count threads
// are released when no thread can go on: then all threads that will come are there.
void VirtualBlock::run_in_parts(SplitMix64* random) {
  goes_.assign(threads_.size(), 1);
  going_ = threads_.size();
  Threads now;
  do {
    while (going_ > 0) {
      if (random != nullptr) shuffle(warps_, *random);
      for (const Threads& warp : warps_) {
        now.clear();
        for (std::size_t t : warp) {
          if (goes_[t] != 0) now.push_back(t);
          goes_[t] = 0;
        }
        if (now.empty()) continue;
        going_ -= now.size();
        if (random != nullptr) shuffle(now, *random);
        resume(now);
        release_warp(warp);
      }
    }
    // Copies that nobody has waited for in vain are made no earlier.
  } while (release_phases() || release_numbers() || release_block() ||
           (objects_.make_copies() && release_phases()) || make_arrivals());
  const auto is_gone = [](const Stop& s) { return s.kind == Stop::Kind::Exited; };
  if (std::ranges::all_of(stops_, is_gone)) return;
  refuse_all();
}

bool VirtualBlock::waits_alike(const Stop& a, const Stop& b) {
  if (a.kind != b.kind || a.line != b.line) return false;
  if (a.kind == Stop::Kind::WarpBarrier) return a.who == b.who;
  return a.kind != Stop::Kind::NumberedBarrier ||
         (a.threads == b.threads && a.members == b.members);
}

// Those of its lanes that wait for one another and are all there.
void VirtualBlock::release_warp(const Threads& warp) {
  for (std::size_t first : warp) {
    const Stop& stop = stops_[first];
    if (goes_[first] != 0 || !stop.is_of_warp()) continue;
    const unsigned lanes = stop.is_exchange() || stop.who == 0 ? ~0u : stop.who;
    const auto takes_part = [&](std::size_t t) { return (lanes >> t % kWarpThreads & 1) != 0; };
    const auto is_there = [&](std::size_t t) {
      return !takes_part(t) || (goes_[t] == 0 && waits_alike(stops_[t], stop));
    };
    if (!takes_part(first) || !std::ranges::all_of(warp, is_there)) continue;
    if (stop.is_exchange()) exchange(warp);
    for (std::size_t t : warp) {
      if (takes_part(t)) release(t);
    }
  }
}

// Arrivals of copies are made one of each thread at a time, until somebody goes on.
bool VirtualBlock::make_arrivals() {
  for (bool has_made = true; has_made;) {
    has_made = false;
    for (Queue& queue : queues_) has_made = queue.make_to_arrival() || has_made;
    if (has_made && release_phases()) return true;
  }
  return false;
}

// Threads whose phase has ended.
bool VirtualBlock::release_phases() {
  for (std::size_t t = 0; t < stops_.size(); ++t) {
    const Stop& stop = stops_[t];
    if (stop.kind == Stop::Kind::Phase && objects_.has_ended(stop.object, stop.parity)) release(t);
  }
  return going_ > 0;
}

// Barriers at which all members wait, of as many warps as are counted.
bool VirtualBlock::release_numbers() {
  constexpr int kNumbers = 16;
  for (int id = 0; id < kNumbers; ++id) {
    Threads there;
    std::vector<char> warps(warps_.size());
    for (std::size_t t = 0; t < stops_.size(); ++t) {
      if (stops_[t].kind != Stop::Kind::NumberedBarrier || stops_[t].id != id) continue;
      there.push_back(t);
      warps[t / kWarpThreads] = 1;
    }
    if (there.empty()) continue;
    const Stop& first = stops_[there.front()];
    const auto is_alike = [&](std::size_t t) { return waits_alike(stops_[t], first); };
    const auto count = std::ranges::count(warps, 1) * std::ptrdiff_t(kWarpThreads);
    if (count != first.threads || there.size() != std::size_t(first.members) ||
        !std::ranges::all_of(there, is_alike))
      continue;
    for (std::size_t t : there) release(t);
  }
  return going_ > 0;
}

// Where all of these threads are at one barrier of that kind.
bool VirtualBlock::release_together(std::span<const Stop> stops, Stop::Kind kind) {
  const int line = stops.front().line;
  const auto is_there = [&](const Stop& s) { return s.kind == kind && s.line == line; };
  if (!std::ranges::all_of(stops, is_there)) return false;
  const auto first = std::size_t(stops.data() - stops_.data());
  for (std::size_t t = first; t < first + stops.size(); ++t) release(t);
  return true;
}
bool VirtualBlock::release_block() {
  const std::size_t own = stops_.size() / ranks_;
  bool has_released = false;
  for (std::size_t first = 0; first < stops_.size(); first += own) {
    const auto stops = std::span<const Stop>(stops_).subspan(first, own);
    has_released = release_together(stops, Stop::Kind::Barrier) || has_released;
  }
  return has_released || release_together(stops_, Stop::Kind::ClusterBarrier);
}

// All have stopped and none goes on before every value is where it belongs.
void VirtualBlock::exchange(const Threads& warp) {
  if (stops_[warp.front()].kind == Stop::Kind::Product) return multiply(warp);
  if (warp.size() < kWarpThreads) refuse_narrow(warp);
  const std::size_t bytes = stops_[warp.front()].bytes;
  given_.resize(kWarpThreads * bytes);
  for (std::size_t t : warp) {
    std::memcpy(&given_[t % kWarpThreads * bytes], stops_[t].value, bytes);
  }
  for (std::size_t t : warp) {
    const std::size_t from = (t % kWarpThreads ^ std::size_t(stops_[t].lanes)) % kWarpThreads;
    std::memcpy(stops_[t].value, &given_[from * bytes], bytes);
  }
}

std::string VirtualBlock::note(std::size_t thread, std::ptrdiff_t more) const {
  const int line = stops_[thread].line;
  std::string note = "thread " + to_text(threads_[thread]);
  if (more > 0) note += fmt::format(" and {} more", more);
  return note + (line == Stop::kExited
                     ? " left the kernel"
                     : fmt::format(" at line {}: {}", line, line_of(source_.text, line)));
}

// One note for each place where threads stand, the earliest thread's first.
void VirtualBlock::refuse(Threads threads, const std::string& whose) const {
  std::ranges::sort(threads);
  std::vector<std::string> notes;
  std::vector<int> told;
  bool shuffles = false, multiplies = false, waits = false;
  for (std::size_t t : threads) {
    shuffles = shuffles || stops_[t].kind == Stop::Kind::Shuffle;
    multiplies = multiplies || stops_[t].kind == Stop::Kind::Product;
    waits = waits || stops_[t].kind == Stop::Kind::Phase;
    const int line = stops_[t].line;
    if (std::ranges::count(told, line) > 0) continue;
    told.push_back(line);
    const auto is_there = [&](std::size_t other) { return stops_[other].line == line; };
    notes.push_back(note(t, std::ranges::count_if(threads, is_there) - 1));
  }
  if (waits) {
    refuse_run(
        source_, "E702",
        fmt::format("threads of block {} wait for a phase that never ends",
                    to_text(machine_.block)),
        std::move(notes),
        "let as many threads arrive as the barrier object counts, and as many bytes be copied "
        "as are announced");
  }
  const char* what = multiplies ? "multiplication" : shuffles ? "shuffle" : "barrier";
  refuse_run(
      source_, "E702",
      fmt::format("the threads of {}block {} part at a {}", whose, to_text(machine_.block), what),
      std::move(notes),
      in_parts_
          ? "let those threads get to each barrier that it names or counts, and nobody else"
          : fmt::format("move the {} out of the branch, so that every thread reaches it", what));
}

void VirtualBlock::refuse_all() const {
  Threads all(threads_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  refuse(std::move(all), "");
}

void VirtualBlock::refuse_narrow(const Threads& warp) const {
  const bool multiplies = stops_[warp.front()].kind == Stop::Kind::Product;
  refuse_run(
      source_, "E702",
      fmt::format("a warp of {} threads of block {} {}", warp.size(), to_text(machine_.block),
                  multiplies ? "multiplies, and its block has no whole warpgroups" : "shuffles"),
      {note(*std::ranges::min_element(warp), std::ptrdiff_t(warp.size()) - 1)},
      fmt::format("give the block a multiple of {} threads, and guard what the added ones do",
                  multiplies ? 128 : 32));
}

}  // namespace selvage
