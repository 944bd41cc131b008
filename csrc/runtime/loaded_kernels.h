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

// A compiled kernel: `function` on a GPU, else `virtual_kernel`.
struct LoadedKernel {
  Driver::Function function = nullptr;
  VirtualKernel* virtual_kernel = nullptr;
};

// A compiled kernel at given sizes: only addresses are missing. Its shape passes check_launch() and
// on a GPU is not empty.
struct ReadyKernel {
  BoundKernel bound;
  LoadedKernel loaded;
  // On the virtual device: if present, every access is checked against these bounds.
  std::optional<std::vector<std::optional<VirtualBound>>> bounds = {};

  // `driver`: null for the virtual device. `addresses`: by number of memory.
  void launch(const Driver* driver, std::span<const std::uint64_t> addresses,
              Driver::Stream stream = nullptr, std::uint64_t order_seed = 0) const;
};

// The kernels of one executable, each compiled at its first use. Several threads may use it.
class LoadedKernels {
 public:
  // `driver`: null for the virtual device.
  LoadedKernels(const Driver* driver, CompileCache* cache, bool fmad)
      : driver_(driver), cache_(cache), fmad_(fmad) {}

  // Compiles, in one call of the compiler, those of the kernels that are not compiled yet.
  void load(std::span<const Kernel* const> kernels);
  LoadedKernel operator[](const Kernel& kernel);
  // The resources of the compiled kernels, in order of compilation; empty on the virtual device.
  std::vector<KernelResources> resources();

 private:
  struct Loaded {
    Module module;
    std::vector<KernelResources> resources;  // empty if the driver compiled the module from PTX
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
