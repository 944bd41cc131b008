#include <selvage/driver/kernel_timer.h>
#include <selvage/driver/layout.h>
#include <selvage/driver/run.h>
#include <selvage/runtime/bound_kernel.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/gpu_device.h>
#include <selvage/runtime/loaded_kernels.h>
#include <selvage/runtime/stream.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kWarmUps = 2;
constexpr std::int64_t kMadeUp = 1 << 18;  // elements of an input, which then repeat

std::size_t bytes_that_flush(const Driver& driver) {
  return 2 * std::size_t(gpu_device(driver.calls(), driver.ordinal()).l2_bytes);
}

// Fills memory with the values over and over.
void repeat(const Driver& driver, std::span<const std::byte> values, std::uint64_t to,
            std::size_t bytes) {
  std::size_t filled = std::min(values.size(), bytes);
  driver.copy_in(to, values.first(filled), nullptr);
  while (filled < bytes) {
    const std::size_t more = std::min(filled, bytes - filled);
    driver.copy(to + filled, to, more, nullptr);
    filled += more;
  }
  driver.synchronize();
}

}  // namespace

// The buffers of a program, in order.
struct KernelTimer::Memory {
  std::vector<DeviceBuffer> buffers;
  std::vector<std::uint64_t> addresses;
};

KernelTimer::KernelTimer(const Driver& driver, CompileCache* cache, const SizeValues& sizes,
                         int runs)
    : driver_(driver),
      cache_(cache),
      sizes_(sizes),
      runs_(std::max(runs, 1)),
      flushed_(driver, bytes_that_flush(driver)) {}

void KernelTimer::fill(const Program& program, Memory& memory) const {
  const Fusion& fusion = program.schedule->fusion();
  for (const ProgramBuffer& b : program.buffers) {
    const std::int64_t elements = sizes_(b.elements).value_or(0);
    const auto bytes = std::size_t(elements * size_of(b.type));
    memory.buffers.emplace_back(driver_, std::max<std::size_t>(bytes, 1));
    memory.addresses.push_back(memory.buffers.back().address());
    if (bytes == 0) continue;
    if (b.role != ProgramBuffer::Role::Input) {
      driver_.fill(memory.addresses.back(), std::byte{0}, bytes, nullptr);
      continue;
    }
    const Array values =
        made_up_input_of(fusion, b.holds.tensor, {std::min(elements, kMadeUp)}, sizes_, 1);
    repeat(driver_, values.bytes, memory.addresses.back(), bytes);
  }
}

std::vector<BoundKernel> KernelTimer::launches(const Program& program,
                                               std::span<const std::uint64_t> addresses) const {
  const std::vector<std::int64_t> aligned(addresses.begin(), addresses.end());
  return launches_of(program.steps, program.buffers, sizes_, aligned);
}

CompileCache& KernelTimer::cache() const {
  return cache_ == nullptr ? CompileCache::instance() : *cache_;
}

void KernelTimer::compile(std::span<const Program* const> programs) {
  NvrtcOptions options;
  options.arch = driver_.arch();
  std::vector<CompileRequest> requests;
  for (const Program* program : programs) {
    // Memory is allocated at multiples of what any kernel asks for, as address 0 is.
    const std::vector<std::uint64_t> addresses(program->buffers.size(), 0);
    for (const BoundKernel& bound : launches(*program, addresses)) {
      requests.push_back({.sources = {source_of(bound.kernel())}, .options = options});
    }
  }
  cache().compile(requests);
}

std::vector<double> KernelTimer::times(const Program& program) {
  Memory memory;
  fill(program, memory);
  LoadedKernels loaded(&driver_, &cache(), false);
  std::vector<ReadyKernel> ready;
  for (const BoundKernel& bound : launches(program, memory.addresses)) {
    check_launch(bound.shape());
    ready.push_back({bound, loaded[bound.kernel()]});
  }
  const Stream stream(driver_);
  std::vector<Event> marks;  // before the first launch, and after each
  for (std::size_t k = 0; k <= ready.size(); ++k) marks.emplace_back(driver_, Event::Timing::On);
  std::vector<std::vector<double>> measured(ready.size());
  for (int run = 0; run < kWarmUps + runs_; ++run) {
    driver_.fill(flushed_.address(), std::byte(run), flushed_.size(), stream.handle());
    marks[0].record(stream.handle());
    for (std::size_t k = 0; k < ready.size(); ++k) {
      if (!is_empty(ready[k].bound.shape())) {
        ready[k].launch(&driver_, memory.addresses, stream.handle());
      }
      marks[k + 1].record(stream.handle());
    }
    stream.synchronize();
    for (std::size_t k = 0; k < ready.size() && run >= kWarmUps; ++k) {
      measured[k].push_back(1e-3 * double(Event::milliseconds(marks[k], marks[k + 1])));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& list : measured) {
    const auto middle = list.begin() + std::ptrdiff_t(list.size() / 2);
    std::nth_element(list.begin(), middle, list.end());
    medians.push_back(*middle);
  }
  return medians;
}

}  // namespace selvage
