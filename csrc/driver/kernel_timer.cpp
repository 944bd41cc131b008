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

std::size_t bytes_that_flush(const Driver& driver) {
  return 2 * std::size_t(gpu_device(driver.calls(), driver.ordinal()).l2_bytes);
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
    const auto bytes = std::size_t(sizes_(b.elements).value_or(0) * size_of(b.type));
    memory.buffers.emplace_back(driver_, std::max<std::size_t>(bytes, 1));
    memory.addresses.push_back(memory.buffers.back().address());
    const TensorId t = b.holds.tensor;
    const bool may_index = b.role == ProgramBuffer::Role::Input && is_integer(b.type);
    const auto within = may_index ? indices_in(fusion, t, sizes_) : std::nullopt;
    if (!within) {
      driver_.fill(memory.addresses.back(), std::byte{0}, bytes, nullptr);
      continue;
    }
    const Layout layout(fusion, program.schedule->graph(), t, sizes_);
    memory.buffers.back().copy_from(
        layout.to_memory(made_up_indices(b.name, b.type, layout.shape(), *within, 1)).bytes);
  }
}

std::vector<double> KernelTimer::times(const Program& program) {
  Memory memory;
  fill(program, memory);
  const std::vector<std::int64_t> aligned(memory.addresses.begin(), memory.addresses.end());
  const std::vector<BoundKernel> launches =
      launches_of(program.steps, program.buffers, sizes_, aligned);
  LoadedKernels loaded(&driver_, cache_ == nullptr ? &CompileCache::instance() : cache_, false);
  std::vector<ReadyKernel> ready;
  for (const BoundKernel& bound : launches) {
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
