#include <selvage/base/shuffle.h>
#include <selvage/runtime/virtual_run.h>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace selvage {

namespace {

using Index = VirtualIndex;

Index extents(const std::array<std::int64_t, 3>& n) {
  return {static_cast<unsigned>(n[0]), static_cast<unsigned>(n[1]), static_cast<unsigned>(n[2])};
}

// k = (z*n.y + y)*n.x + x
Index delinearize(std::uint64_t k, Index n) {
  return {static_cast<unsigned>(k % n.x), static_cast<unsigned>(k / n.x % n.y),
          static_cast<unsigned>(k / n.x / n.y)};
}

std::uint64_t volume(const std::array<std::int64_t, 3>& n) {
  return std::uint64_t(n[0]) * std::uint64_t(n[1]) * std::uint64_t(n[2]);
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

// Blocks begun at a time: few enough that all cores end at about the same time.
std::uint64_t portion(std::uint64_t left) { return std::clamp<std::uint64_t>(left / 32, 1, 16); }

}  // namespace

VirtualInstance::VirtualInstance(std::unique_ptr<VirtualUnit> compiled)
    : unit(std::move(compiled)),
      machine(reinterpret_cast<VirtualMachineAddress>(unit->symbol(kVirtualMachine))()),
      thread(reinterpret_cast<VirtualThread>(unit->symbol(kVirtualThread))),
      threads(reinterpret_cast<VirtualThreads>(unit->symbol(kVirtualThreads))),
      block(reinterpret_cast<VirtualBlockOfThreads>(unit->symbol(kVirtualBlock))) {
  // Threads record failures whether they run in fibers or one after the other.
  machine->count_failure = [](long long* count) {
    return std::atomic_ref(*count).fetch_add(1, std::memory_order_relaxed);
  };
}

VirtualShared::VirtualShared(std::int64_t bytes)
    : lines_((std::size_t(bytes) + sizeof(Line) - 1) / sizeof(Line)), bytes_(std::size_t(bytes)) {}

VirtualRun::VirtualRun(const KernelSource& source, const LaunchShape& shape,
                       std::span<void* const> arguments, VirtualMeets meets)
    : source_(source),
      shape_(shape),
      arguments_(arguments),
      meets_(meets),
      blocks_(volume(shape.grid)),
      threads_(volume(shape.block)) {
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    threads_[t] = delinearize(t, extents(shape.block));
  }
}

// Sets the machine up. Returns the VirtualBlock that runs blocks whose threads meet or are checked;
// nullopt if they need none.
std::optional<VirtualBlock> VirtualRun::set_up(VirtualInstance& instance, VirtualShared& shared,
                                               VirtualCheck* check) const {
  VirtualMachine& machine = *instance.machine;
  machine.shared = reinterpret_cast<char*>(shared.bytes().data());
  machine.arguments = arguments_.data();
  machine.block_extent = extents(shape_.block);
  machine.grid_extent = extents(shape_.grid);
  if (meets_ == VirtualMeets::Never && check == nullptr) return std::nullopt;
  return std::optional<VirtualBlock>(std::in_place, source_, machine, instance.thread, threads_,
                                     meets_ == VirtualMeets::InParts, shape_.ranks, check);
}

void VirtualRun::work(VirtualInstance& instance, const std::function<void()>& after) {
  VirtualShared shared(shape_.shared_bytes * shape_.ranks);
  std::optional<VirtualBlock> together = set_up(instance, shared);
  for (;;) {
    std::uint64_t k = next_.load();
    std::uint64_t end;
    do {
      // A block after a failed one need not run.
      if (k >= blocks_ || k > failed_.load()) return;
      end = k + portion(blocks_ - k);
    } while (!next_.compare_exchange_weak(k, end));
    for (; k < end; ++k) {
      instance.machine->block = delinearize(k, instance.machine->grid_extent);
      if (!together) {
        instance.block();
        continue;
      }
      try {
        together->run(nullptr);
      } catch (...) {
        const std::lock_guard guard(lock_);
        if (k < failed_.load()) {
          failed_ = k;
          failure_ = std::current_exception();
        }
        return;
      }
    }
    if (after) after();
  }
}

void VirtualRun::work_alone(VirtualInstance& instance, SplitMix64* random, VirtualShared& shared,
                            VirtualCheck* check) {
  std::optional<VirtualBlock> together = set_up(instance, shared, check);
  BlockWalk walk(blocks_, random);
  for (std::uint64_t k = 0; k < blocks_; ++k) {
    instance.machine->block = delinearize(walk.next(), instance.machine->grid_extent);
    if (together) {
      together->run(random);
    } else if (random != nullptr) {
      shuffle(threads_, *random);
      instance.threads(threads_.data(), static_cast<unsigned>(threads_.size()));
    } else {
      instance.block();
    }
  }
}

void VirtualRun::finish() {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

}  // namespace selvage
