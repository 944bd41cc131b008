#pragma once

#include <selvage/runtime/bound_kernel.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/virtual_device.h>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace selvage {

// A kernel that can be launched: on a GPU a function, else one of the virtual device.
struct LoadedKernel {
  Driver::Function function = nullptr;
  VirtualKernel* virtual_kernel = nullptr;
};

// One that is bound as well: only addresses are missing. The shape: check_launch lets it pass, and
// on a GPU it is not empty.
struct ReadyKernel {
  BoundKernel bound;
  LoadedKernel loaded;
  // On the virtual device: every access is checked against these.
  std::optional<std::vector<std::optional<VirtualBound>>> bounds = {};

  // `driver`: null for the virtual device. `addresses`: by number of memory.
  void launch(const Driver* driver, std::span<const std::uint64_t> addresses,
              Driver::Stream stream = nullptr, std::uint64_t order_seed = 0) const;
};

// Kernels of one executable, each compiled when it is first asked for. Safe from several threads.
class LoadedKernels {
 public:
  // `driver`: null for the virtual device.
  LoadedKernels(const Driver* driver, CompileCache* cache, bool fmad)
      : driver_(driver), cache_(cache), fmad_(fmad) {}

  // Compiles those that are not there yet, all in one go.
  void load(std::span<const Kernel* const> kernels);
  LoadedKernel operator[](const Kernel& kernel);
  // Of those that are there, in the order in which they came; none of the virtual device's.
  std::vector<KernelResources> resources();

 private:
  struct Loaded {
    Module module;
    std::vector<KernelResources> resources;  // empty: the driver has compiled it
  };
  void load_new(const std::vector<const Kernel*>& kernels);
  Loaded load_on_gpu(const std::vector<KernelSource>& sources) const;

  const Driver* driver_;
  CompileCache* cache_;  // for the GPU
  bool fmad_;
  std::mutex lock_;
  std::unordered_map<const Kernel*, LoadedKernel> kernels_;
  std::vector<Module> modules_;
  std::vector<KernelResources> resources_;
  std::vector<std::unique_ptr<VirtualKernel>> virtual_kernels_;
};

}  // namespace selvage
