#include <selvage/base/check.h>
#include <selvage/base/random.h>
#include <selvage/runtime/virtual_block.h>
#include <selvage/runtime/virtual_device.h>
#include <selvage/runtime/virtual_prelude.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

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

// Does the text have anything at which threads wait for one another?
bool meets(const std::string& text) {
  for (const char* word : {"__syncthreads", "__syncwarp", "__shfl_xor_sync"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

VirtualCompiler default_virtual_compiler() {
  return has_tcc() ? VirtualCompiler::Tcc : VirtualCompiler::Gcc;
}

VirtualKernel::VirtualKernel(KernelSource source, VirtualCompiler compiler)
    : source_(std::move(source)),
      meets_(meets(source_.text)),
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
  std::optional<VirtualBlock> together;
  if (meets_) together.emplace(source_, machine, thread_, threads);

  const std::uint64_t blocks = static_cast<std::uint64_t>(shape.grid[0]) *
                               static_cast<std::uint64_t>(shape.grid[1]) *
                               static_cast<std::uint64_t>(shape.grid[2]);
  BlockWalk walk(blocks, random);
  for (std::uint64_t k = 0; k < blocks; ++k) {
    machine.block = delinearize(walk.next(), machine.grid_extent);
    if (together) {
      together->run(random);
    } else {
      if (random != nullptr) shuffle(threads, *random);
      threads_(threads.data(), static_cast<unsigned>(threads.size()));
    }
  }
}

}  // namespace selvage
