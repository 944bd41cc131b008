#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/runtime/compile_cache.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/virtual_device.h>

#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace selvage {

// A kernel that can be launched: on a GPU a function, else one of the virtual device.
struct LoadedKernel {
  Driver::Function function = nullptr;
  VirtualKernel* virtual_kernel = nullptr;

  // On a GPU. The shape: check_launch lets it pass, and it is not empty.
  void launch(const Driver& driver, const LaunchShape& shape, std::span<void* const> arguments,
              Driver::Stream stream) const {
    driver.launch_checked(function, shape, arguments.data(), stream);
  }
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
