#include <selvage/base/diagnostic.h>
#include <selvage/runtime/loaded_kernels.h>

#include <algorithm>

namespace selvage {

namespace {

// Numbers of function attributes in cuda.h.
constexpr int kStaticSharedBytes = 1;
constexpr int kLocalBytes = 3;
constexpr int kRegisters = 4;

// The resources according to the driver, for kernels that it has compiled from PTX: there is no
// log of ptxas for these.
KernelResources resources_of(const Driver& driver, Driver::Function function) {
  driver.make_current();
  const auto attribute = [&](int which) {
    int value = 0;
    driver.check(driver.calls().FuncGetAttribute(&value, which, function->handle),
                 "cuFuncGetAttribute");
    return value;
  };
  return {.name = *function->name,
          .registers = attribute(kRegisters),
          .stack_bytes = attribute(kLocalBytes),
          .shared_bytes = attribute(kStaticSharedBytes)};
}

}  // namespace

void ReadyKernel::launch(const Driver* driver, std::span<const std::uint64_t> addresses,
                         Driver::Stream stream, std::uint64_t order_seed) const {
  thread_local BoundKernel::Arguments arguments;
  bound.write(addresses, driver, arguments);
  if (driver != nullptr) {
    driver->launch_checked(loaded.function, bound.shape(), arguments.values.data(), stream);
  } else if (bounds) {
    loaded.virtual_kernel->launch_checked(bound.shape(), arguments.values, *bounds, order_seed);
  } else {
    loaded.virtual_kernel->launch(bound.shape(), arguments.values, order_seed);
  }
}

void LoadedKernels::load(std::span<const Kernel* const> kernels) {
  const std::lock_guard guard(lock_);
  std::vector<const Kernel*> fresh;
  for (const Kernel* k : kernels) {
    if (!kernels_.contains(k)) fresh.push_back(k);
  }
  if (!fresh.empty()) load_new(fresh);
}

LoadedKernel LoadedKernels::operator[](const Kernel& kernel) {
  const Kernel* const k = &kernel;
  load({&k, 1});
  const std::lock_guard guard(lock_);
  return kernels_.at(k);
}

std::vector<KernelResources> LoadedKernels::resources() {
  const std::lock_guard guard(lock_);
  return resources_;
}

// A driver that does not know what the toolkit makes may still compile its PTX; and PTX is all that
// there is of a GPU that the toolkit does not know.
LoadedKernels::Loaded LoadedKernels::load_on_gpu(const std::vector<KernelSource>& sources) const {
  NvrtcOptions options;
  options.arch = driver_->arch();
  options.fmad = fmad_;
  const auto compiled = cache_->compile(sources, options);
  if (compiled->cubin.empty()) return {Module(*driver_, compiled->ptx), {}};
  try {
    return {Module(*driver_, compiled->cubin), compiled->kernels};
  } catch (const Error& refusal) {
    if (refusal.diagnostic().code != "E705") throw;
    options.ptx = true;
    const auto with_ptx = cache_->compile(sources, options);
    try {
      return {Module(*driver_, with_ptx->ptx), {}};
    } catch (const Error&) {}
    throw;  // what was wrong with the binary
  }
}

void LoadedKernels::load_new(const std::vector<const Kernel*>& kernels) {
  if (driver_ == nullptr) {
    for (const Kernel* k : kernels) {
      virtual_kernels_.push_back(std::make_unique<VirtualKernel>(source_of(*k)));
      kernels_[k] = {.virtual_kernel = virtual_kernels_.back().get()};
    }
    return;
  }
  std::vector<KernelSource> sources;
  for (const Kernel* k : kernels) sources.push_back(source_of(*k));
  Loaded loaded = load_on_gpu(sources);
  std::vector<Driver::Function> functions;
  std::vector<KernelResources> resources;
  for (const KernelSource& s : sources) {
    functions.push_back(loaded.module.function(s.name));
    const auto told = std::ranges::find(loaded.resources, s.name, &KernelResources::name);
    resources.push_back(told != loaded.resources.end() ? *told
                                                       : resources_of(*driver_, functions.back()));
  }
  modules_.push_back(std::move(loaded.module));
  resources_.insert(resources_.end(), resources.begin(), resources.end());
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels_[kernels[i]] = {functions[i]};
}

}  // namespace selvage
