#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/driver/machine.h>
#include <selvage/emulate/emulate.h>
#include <selvage/runtime/bound_kernel.h>
#include <selvage/runtime/executable.h>
#include <selvage/runtime/loaded_kernels.h>

#include <algorithm>
#include <chrono>
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

// Runs one kernel: calls `launch` with its shape and arguments. `addresses`: by program buffer.
template <class Launch>
void launch_bound(const BoundLaunch& bound, const SizeValues& sizes,
                  const std::vector<std::uint64_t>& addresses, Launch launch) {
  std::vector<std::uint64_t> pointers;
  for (std::size_t b : bound.buffers) {
    if (b != kNoBuffer) pointers.push_back(addresses[b]);
  }
  const BoundKernel kernel(*bound.kernel, sizes);
  std::vector<void*> arguments;
  kernel.arguments(pointers, arguments);
  launch(kernel.shape(), std::span<void* const>(arguments));
}

void add_visits(std::vector<std::uint32_t>& sum, const std::vector<std::uint32_t>& more) {
  if (sum.size() < more.size()) sum.resize(more.size(), 0);
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

Outcome emulated(const std::vector<BoundLaunch>& launches, const SizeValues& sizes,
                 ProgramMemory& memory) {
  Outcome outcome;
  outcome.visits.resize(memory.size());
  std::map<std::string, std::int64_t> by_name;
  for (std::size_t i = 0; i < sizes.symbols.size(); ++i) {
    by_name[std::string(sizes.symbols[i].name())] = sizes.values[i];
  }
  for (const BoundLaunch& launch : launches) {
    std::map<std::string, std::int64_t> own;
    for (Expr n : launch.kernel->sizes) own.insert(*by_name.find(std::string(n.name())));
    std::vector<Array*> arrays;
    for (std::size_t b : launch.buffers) {
      arrays.push_back(b == kNoBuffer ? nullptr : &memory[b]);
    }
    Emulation result;
    const double time = seconds([&] { result = emulate(*launch.kernel, own, arrays); });
    outcome.times.kernels.push_back({launch.kernel->name, time});
    for (const Fault& fault : result.faults) outcome.faults.push_back(fault.text);
    if (result.fault_count > std::int64_t(result.faults.size())) {
      outcome.faults.push_back(
          "and " + std::to_string(result.fault_count - std::int64_t(result.faults.size())) +
          " more of them");
    }
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
      if (launch.buffers[i] != kNoBuffer)
        add_visits(outcome.visits[launch.buffers[i]], result.visits[i]);
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

// What each argument of a launch may touch. Buffers that the launch writes are filled after it.
std::vector<std::optional<VirtualBound>> take_bounds(const BoundLaunch& launch,
                                                     const ProgramMemory& memory,
                                                     std::vector<bool>& is_filled) {
  std::vector<std::optional<VirtualBound>> bounds;
  for (std::size_t b : launch.buffers) {
    if (b != kNoBuffer) bounds.push_back(VirtualBound{memory[b].bytes.size(), is_filled[b]});
  }
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    if (launch.buffers[i] != kNoBuffer && launch.kernel->buffers[i].is_written) {
      is_filled[launch.buffers[i]] = true;
    }
  }
  bounds.resize(bounds.size() + launch.kernel->sizes.size());
  return bounds;
}

Outcome on_virtual_device(const std::vector<BoundLaunch>& launches, const SizeValues& sizes,
                          ProgramMemory& memory, const std::vector<std::int64_t>& offsets,
                          std::optional<std::vector<bool>> is_filled) {
  Outcome outcome;
  std::list<Placed> placed;
  std::vector<std::uint64_t> addresses;
  for (std::size_t b = 0; b < memory.size(); ++b) {
    addresses.push_back(placed.emplace_back(memory[b], offsets[b]).address());
  }
  LoadedKernels kernels(nullptr, nullptr, false);
  for (const BoundLaunch& launch : launches) {
    LoadedKernel kernel;
    outcome.times.compile += seconds([&] { kernel = kernels[*launch.kernel]; });
    const auto run = [&](const auto& shape, const auto& arguments) {
      if (!is_filled) return kernel.virtual_kernel->launch(shape, arguments);
      const auto bounds = take_bounds(launch, memory, *is_filled);
      kernel.virtual_kernel->launch_checked(shape, arguments, bounds);
    };
    try {
      launch_bound(launch, sizes, addresses, [&](const auto& shape, const auto& arguments) {
        const double time = seconds([&] { run(shape, arguments); });
        outcome.times.kernels.push_back({launch.kernel->name, time});
      });
    } catch (const Error& error) {
      const std::string& code = error.diagnostic().code;
      if (code != "E721" && code != "E722") throw;
      outcome.faults.push_back(error.what());
      break;
    }
  }
  return outcome;
}

Outcome on_gpu(const std::vector<BoundLaunch>& launches, const SizeValues& sizes,
               ProgramMemory& memory) {
  const Driver* driver = Driver::instance();
  SELVAGE_CHECK(driver != nullptr);
  std::vector<DeviceBuffer> buffers;
  std::vector<std::uint64_t> addresses;
  for (Array& a : memory) {
    buffers.emplace_back(*driver, std::max<std::size_t>(a.bytes.size(), 1));
    if (!a.bytes.empty()) buffers.back().copy_from(a.bytes);
    addresses.push_back(buffers.back().address());
  }
  Outcome outcome;
  LoadedKernels kernels(driver, &CompileCache::instance(), false);
  for (const BoundLaunch& launch : launches) {
    LoadedKernel kernel;
    outcome.times.compile += seconds([&] { kernel = kernels[*launch.kernel]; });
    launch_bound(launch, sizes, addresses, [&](const auto& shape, const auto& arguments) {
      const double time = seconds([&] {
        driver->launch(kernel.function, shape, arguments);
        driver->synchronize();
      });
      outcome.times.kernels.push_back({launch.kernel->name, time});
    });
  }
  for (std::size_t b = 0; b < memory.size(); ++b) {
    if (!memory[b].bytes.empty()) buffers[b].copy_to(memory[b].bytes);
  }
  outcome.device = driver->device_name();
  return outcome;
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

Outcome execute(Machine machine, const std::vector<BoundLaunch>& launches, const SizeValues& sizes,
                ProgramMemory& memory, const std::vector<std::int64_t>& offsets,
                std::optional<std::vector<bool>> is_filled) {
  switch (machine) {
    case Machine::Emulate: return emulated(launches, sizes, memory);
    case Machine::Virtual:
      return on_virtual_device(launches, sizes, memory, offsets, std::move(is_filled));
    case Machine::Gpu: return on_gpu(launches, sizes, memory);
  }
  return {};
}

}  // namespace selvage
