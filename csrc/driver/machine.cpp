#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/driver/machine.h>
#include <selvage/emulate/emulate.h>
#include <selvage/kernel/failures.h>
#include <selvage/runtime/executable.h>
#include <selvage/runtime/loaded_kernels.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <list>
#include <memory>

namespace selvage {

namespace {

double seconds(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void add_visits(std::vector<std::uint32_t>& sum, const std::vector<std::uint32_t>& more) {
  if (sum.size() < more.size()) sum.resize(more.size(), 0);
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

Outcome emulated(const std::vector<BoundKernel>& launches, const SizeValues& sizes,
                 ProgramMemory& memory, const EmulationOptions& options) {
  Outcome outcome;
  outcome.visits.resize(memory.size());
  for (const BoundKernel& launch : launches) {
    const Kernel& kernel = launch.kernel();
    std::map<std::string, std::int64_t> own;
    for (Expr n : kernel.sizes) own[std::string(n.name())] = *sizes(n);
    std::vector<Array*> arrays;
    for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
      const auto number = launch.memory_of(b);
      arrays.push_back(number ? &memory[*number] : nullptr);
    }
    Emulation result;
    const double time = seconds([&] { result = emulate(kernel, own, arrays, options); });
    outcome.times.kernels.push_back({kernel.name, time});
    for (const Fault& fault : result.faults) outcome.faults.push_back(fault.text);
    if (result.fault_count > std::int64_t(result.faults.size())) {
      outcome.faults.push_back(
          "and " + std::to_string(result.fault_count - std::int64_t(result.faults.size())) +
          " more of them");
    }
    for (BufferId b = 0; b < kernel.buffers.size(); ++b) {
      if (const auto number = launch.memory_of(b)) {
        add_visits(outcome.visits[*number], result.visits[b]);
      }
    }
  }
  return outcome;
}

// An array at an address that is as far from an aligned one as is asked for, until it goes.
class Placed {
 public:
  Placed(Array& array, std::int64_t offset) : array_(array), bytes_(room(array, offset)) {
    std::size_t space = bytes_.size();
    void* at = bytes_.data();
    std::align(std::size_t(RunRequest::kAlignment), 1, at, space);
    data_ = static_cast<std::byte*>(at) + offset;
    std::copy(array.bytes.begin(), array.bytes.end(), data_);
  }
  ~Placed() { std::copy(data_, data_ + array_.bytes.size(), array_.bytes.begin()); }
  Placed(const Placed&) = delete;
  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(data_); }

 private:
  static std::vector<std::byte> room(const Array& array, std::int64_t offset) {
    return std::vector<std::byte>(array.bytes.size() +
                                  std::size_t(offset + RunRequest::kAlignment));
  }
  Array& array_;
  std::vector<std::byte> bytes_;
  std::byte* data_;
};

// Launches kernels that are compiled, on a GPU or, without a driver, on the virtual device.
Outcome launched(const Driver* driver, const std::vector<BoundKernel>& launches,
                 std::span<const std::uint64_t> addresses, const ProgramMemory& memory,
                 std::optional<std::vector<bool>> is_filled) {
  Outcome outcome;
  std::vector<std::size_t> bytes;
  for (const Array& a : memory) bytes.push_back(a.bytes.size());
  LoadedKernels kernels(driver, driver == nullptr ? nullptr : &CompileCache::instance(), false);
  for (const BoundKernel& bound : launches) {
    ReadyKernel ready{bound, {}};
    outcome.times.compile += seconds([&] { ready.loaded = kernels[bound.kernel()]; });
    if (is_filled) ready.bounds = bound.take_bounds(bytes, *is_filled);
    check_launch(bound.shape());
    try {
      const double time = seconds([&] {
        if (!is_empty(bound.shape())) ready.launch(driver, addresses);
        if (driver != nullptr) driver->synchronize();
      });
      outcome.times.kernels.push_back({bound.kernel().name, time});
    } catch (const Error& error) {
      const std::string& code = error.diagnostic().code;
      if (code != "E721" && code != "E722") throw;
      outcome.faults.push_back(error.what());
      break;
    }
  }
  return outcome;
}

Outcome on_virtual_device(const std::vector<BoundKernel>& launches, ProgramMemory& memory,
                          const std::vector<std::int64_t>& offsets,
                          std::optional<std::vector<bool>> is_filled) {
  std::list<Placed> placed;
  std::vector<std::uint64_t> addresses;
  for (std::size_t b = 0; b < memory.size(); ++b) {
    addresses.push_back(placed.emplace_back(memory[b], offsets[b]).address());
  }
  return launched(nullptr, launches, addresses, memory, std::move(is_filled));
}

Outcome on_gpu(const std::vector<BoundKernel>& launches, ProgramMemory& memory) {
  const Driver* driver = Driver::instance();
  SELVAGE_CHECK(driver != nullptr);
  std::vector<DeviceBuffer> buffers;
  std::vector<std::uint64_t> addresses;
  for (Array& a : memory) {
    buffers.emplace_back(*driver, std::max<std::size_t>(a.bytes.size(), 1));
    if (!a.bytes.empty()) buffers.back().copy_from(a.bytes);
    addresses.push_back(buffers.back().address());
  }
  Outcome outcome = launched(driver, launches, addresses, memory, {});
  for (std::size_t b = 0; b < memory.size(); ++b) {
    if (!memory[b].bytes.empty()) buffers[b].copy_to(memory[b].bytes);
  }
  outcome.device = driver->device_name();
  return outcome;
}

// What the checks of kernels have recorded becomes faults.
void take_failures(const std::vector<BoundKernel>& launches, const SizeValues& sizes,
                   const ProgramMemory& memory, Outcome& outcome) {
  for (const BoundKernel& launch : launches) {
    const auto& buffers = launch.kernel().buffers;
    const auto failures = std::ranges::find_if(buffers, &Buffer::is_for_failures);
    if (failures == buffers.end()) continue;
    // All kernels of a program share the memory.
    const Array& recorded = memory[*launch.memory_of(BufferId(failures - buffers.begin()))];
    std::vector<std::int64_t> numbers(std::size_t(recorded.size()));
    std::memcpy(numbers.data(), recorded.bytes.data(), recorded.bytes.size());
    for (std::string& text :
         failures_in(numbers, *launch.kernel().checks, [&](Expr e) { return sizes(e); })) {
      outcome.faults.push_back(std::move(text));
    }
    return;
  }
}

Outcome execute_on(Machine machine, const std::vector<BoundKernel>& launches,
                   const SizeValues& sizes, ProgramMemory& memory,
                   const std::vector<std::int64_t>& offsets,
                   std::optional<std::vector<bool>> is_filled, const EmulationOptions& emulation) {
  switch (machine) {
    case Machine::Emulate: return emulated(launches, sizes, memory, emulation);
    case Machine::Virtual:
      return on_virtual_device(launches, memory, offsets, std::move(is_filled));
    case Machine::Gpu: return on_gpu(launches, memory);
  }
  return {};
}

}  // namespace

Machine default_machine() {
  return default_target() == Target::Gpu ? Machine::Gpu : Machine::Virtual;
}

void check_machine(Machine machine, Asker asker) {
  if (machine != Machine::Gpu || Driver::instance() != nullptr) return;
  refuse<BadInput>("E623", "there is no GPU to run on: " + Driver::why_absent(),
                   std::string("run on the virtual device, ") +
                       (asker == Asker::Command ? "--on virtual" : ".on = Machine::Virtual"));
}

Outcome execute(Machine machine, const std::vector<BoundKernel>& launches, const SizeValues& sizes,
                ProgramMemory& memory, const std::vector<std::int64_t>& offsets,
                std::optional<std::vector<bool>> is_filled, const EmulationOptions& emulation) {
  Outcome outcome =
      execute_on(machine, launches, sizes, memory, offsets, std::move(is_filled), emulation);
  take_failures(launches, sizes, memory, outcome);
  return outcome;
}

}  // namespace selvage
