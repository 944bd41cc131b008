#include <selvage/base/check.h>
#include <selvage/base/random.h>
#include <selvage/runtime/compile_error.h>
#include <selvage/runtime/fiber.h>
#include <selvage/runtime/virtual_device.h>
#include <selvage/runtime/virtual_prelude.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace selvage {

namespace {

using Index = VirtualIndex;

std::string to_text(Index i) { return fmt::format("({}, {}, {})", i.x, i.y, i.z); }

Index extents(const std::array<std::int64_t, 3>& n) {
  return {static_cast<unsigned>(n[0]), static_cast<unsigned>(n[1]), static_cast<unsigned>(n[2])};
}

// k = (z*n.y + y)*n.x + x
Index delinearize(std::uint64_t k, Index n) {
  return {static_cast<unsigned>(k % n.x), static_cast<unsigned>(k / n.x % n.y),
          static_cast<unsigned>(k / n.x / n.y)};
}

template <typename T>
void shuffle(std::vector<T>& items, SplitMix64& random) {
  for (std::size_t n = items.size(); n > 1; --n) std::swap(items[n - 1], items[random.next() % n]);
}

// Walks 0 .. count-1, each once: in order, or by a random step that has no factor in common with
// count. Keeps no list: a grid may have 2^63 blocks.
class BlockWalk {
 public:
  BlockWalk(std::uint64_t count, SplitMix64* random) : count_(count) {
    if (random == nullptr || count == 1) return;
    at_ = random->next() % count;
    do step_ = 1 + random->next() % (count - 1);
    while (std::gcd(step_, count) != 1);
  }
  std::uint64_t next() {
    const std::uint64_t k = at_;
    at_ = (at_ + step_) % count_;
    return k;
  }

 private:
  std::uint64_t count_;
  std::uint64_t at_ = 0;
  std::uint64_t step_ = 1;
};

// The threads of one block on fibers. Rounds: every thread that is left runs to its next barrier
// or to its exit; then all must be at one barrier, or all gone.
class BarrierBlock {
 public:
  BarrierBlock(const KernelSource& source, VirtualMachine& machine, VirtualThread entry,
               const std::vector<Index>& threads)
      : source_(source), machine_(machine), entry_(entry), threads_(threads) {
    machine_.barrier = &BarrierBlock::wait;
    auto& pool = fibers();
    while (pool.size() < threads_.size()) pool.push_back(std::make_unique<Fiber>());
    order_.resize(threads_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  void run(SplitMix64* random) {
    line_.assign(threads_.size(), 0);
    for (std::size_t t = 0; t < threads_.size(); ++t) fibers()[t]->start(entry_);
    do {
      if (random != nullptr) shuffle(order_, *random);
      for (std::size_t t : order_) {
        machine_.thread = threads_[t];
        running_line_ = kExited;
        fibers()[t]->resume();
        line_[t] = running_line_;
      }
      for (int line : line_) {
        if (line != line_.front()) refuse();
      }
    } while (line_.front() != kExited);
  }

 private:
  static constexpr int kExited = -1;

  static std::vector<std::unique_ptr<Fiber>>& fibers() {
    static thread_local std::vector<std::unique_ptr<Fiber>> pool;
    return pool;
  }

  static void wait(int line) {
    running_line_ = line;
    Fiber::suspend();
  }

  // One note for each place where threads stand, the earliest thread's first.
  [[noreturn]] void refuse() const {
    std::vector<std::string> notes;
    std::vector<int> told;
    for (std::size_t t = 0; t < line_.size(); ++t) {
      const int line = line_[t];
      if (std::ranges::count(told, line) > 0) continue;
      told.push_back(line);
      const auto count = std::ranges::count(line_, line);
      std::string note = "thread " + to_text(threads_[t]);
      if (count > 1) note += fmt::format(" and {} more", count - 1);
      note += line == kExited ? " left the kernel"
                              : fmt::format(" at line {}: {}", line, line_of(source_.text, line));
      notes.push_back(std::move(note));
    }
    Diagnostic d;
    d.code = "E702";
    d.place.file = source_.name;
    d.message = fmt::format("the threads of block {} part at a barrier", to_text(machine_.block));
    d.notes = std::move(notes);
    d.help = "move the barrier out of the branch, so that every thread reaches it";
    throw Error(std::move(d));
  }

  static thread_local int running_line_;  // where the thread that ran last stands
  const KernelSource& source_;
  VirtualMachine& machine_;
  VirtualThread entry_;
  const std::vector<Index>& threads_;
  std::vector<std::size_t> order_;
  std::vector<int> line_;  // of each thread
};

thread_local int BarrierBlock::running_line_ = 0;

}  // namespace

VirtualCompiler default_virtual_compiler() {
  return has_tcc() ? VirtualCompiler::Tcc : VirtualCompiler::Gcc;
}

VirtualKernel::VirtualKernel(KernelSource source, VirtualCompiler compiler)
    : source_(std::move(source)),
      has_barriers_(source_.text.find("__syncthreads") != std::string::npos),
      unit_(compiler == VirtualCompiler::Tcc ? compile_by_tcc(source_) : compile_by_gcc(source_)),
      machine_(reinterpret_cast<VirtualMachineAddress>(unit_->symbol(kVirtualMachine))()),
      thread_(reinterpret_cast<VirtualThread>(unit_->symbol(kVirtualThread))),
      threads_(reinterpret_cast<VirtualThreads>(unit_->symbol(kVirtualThreads))),
      lock_(std::make_unique<std::mutex>()) {}

void VirtualKernel::launch(const LaunchShape& shape, std::span<void* const> arguments,
                           std::uint64_t order_seed) {
  check_launch(shape);
  SELVAGE_CHECK(arguments.size() == source_.parameter_types.size());
  if (is_empty(shape)) return;
  const std::lock_guard guard(*lock_);

  VirtualMachine& machine = *machine_;
  // Aligned as the tiles of a bulk copy must be.
  struct alignas(1024) Line {
    std::byte bytes[1024];
  };
  std::vector<Line> shared((static_cast<std::size_t>(shape.shared_bytes) + 1023) / 1024);
  machine.shared = reinterpret_cast<char*>(shared.data());
  machine.arguments = arguments.data();
  machine.block_extent = extents(shape.block);
  machine.grid_extent = extents(shape.grid);

  std::vector<Index> threads(
      static_cast<std::size_t>(shape.block[0] * shape.block[1] * shape.block[2]));
  for (std::size_t t = 0; t < threads.size(); ++t) {
    threads[t] = delinearize(t, machine.block_extent);
  }
  SplitMix64 drawn(order_seed);
  SplitMix64* random = order_seed == 0 ? nullptr : &drawn;
  std::optional<BarrierBlock> barriers;
  if (has_barriers_) barriers.emplace(source_, machine, thread_, threads);

  const std::uint64_t blocks = static_cast<std::uint64_t>(shape.grid[0]) *
                               static_cast<std::uint64_t>(shape.grid[1]) *
                               static_cast<std::uint64_t>(shape.grid[2]);
  BlockWalk walk(blocks, random);
  for (std::uint64_t k = 0; k < blocks; ++k) {
    machine.block = delinearize(walk.next(), machine.grid_extent);
    if (barriers) {
      barriers->run(random);
    } else {
      if (random != nullptr) shuffle(threads, *random);
      threads_(threads.data(), static_cast<unsigned>(threads.size()));
    }
  }
}

}  // namespace selvage
