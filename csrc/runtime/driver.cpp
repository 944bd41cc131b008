#include <selvage/base/check.h>
#include <selvage/base/diagnostic.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/shared_library.h>

#include <utility>

namespace selvage {

namespace {

using Result = int;  // 0 is success
using Context = struct OpaqueContext*;
using ModuleHandle = struct OpaqueModule*;
using Address = std::uint64_t;

constexpr int kMultiprocessorCount = 16;
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;
constexpr int kMaxDynamicSharedBytes = 8;
constexpr std::int64_t kSharedBytesWithoutAsking = 48 << 10;

[[noreturn]] void refuse(std::string message) {
  Diagnostic d;
  d.code = "E705";
  d.message = std::move(message);
  throw Error(std::move(d));
}

}  // namespace

// The calls that Selvage makes, each under its name in cuda.h without "cu". The library exports
// those that changed over time with a suffix.
struct Driver::Calls {
  SharedLibrary library;
  Result (*Init)(unsigned) = nullptr;
  Result (*GetErrorString)(Result, const char**) = nullptr;
  Result (*DeviceGet)(int*, int) = nullptr;
  Result (*DeviceGetName)(char*, int, int) = nullptr;
  Result (*DeviceGetAttribute)(int*, int, int) = nullptr;
  Result (*DevicePrimaryCtxRetain)(Context*, int) = nullptr;
  Result (*DevicePrimaryCtxRelease)(int) = nullptr;
  Result (*CtxSetCurrent)(Context) = nullptr;
  Result (*CtxSynchronize)() = nullptr;
  Result (*ModuleLoadData)(ModuleHandle*, const void*) = nullptr;
  Result (*ModuleUnload)(ModuleHandle) = nullptr;
  Result (*ModuleGetFunction)(Function*, ModuleHandle, const char*) = nullptr;
  Result (*FuncSetAttribute)(Function, int, int) = nullptr;
  Result (*LaunchKernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, Stream, void**, void**) = nullptr;
  Result (*MemAlloc)(Address*, std::size_t) = nullptr;
  Result (*MemFree)(Address) = nullptr;
  Result (*MemcpyHtoD)(Address, const void*, std::size_t) = nullptr;
  Result (*MemcpyDtoH)(void*, Address, std::size_t) = nullptr;

  explicit Calls(SharedLibrary from) : library(std::move(from)) {}

  // The first symbol that the library lacks; empty when it has all.
  std::string bind() {
    SymbolBinder bind(library);
    bind(Init, "cuInit");
    bind(GetErrorString, "cuGetErrorString");
    bind(DeviceGet, "cuDeviceGet");
    bind(DeviceGetName, "cuDeviceGetName");
    bind(DeviceGetAttribute, "cuDeviceGetAttribute");
    bind(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    bind(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
    bind(CtxSetCurrent, "cuCtxSetCurrent");
    bind(CtxSynchronize, "cuCtxSynchronize");
    bind(ModuleLoadData, "cuModuleLoadData");
    bind(ModuleUnload, "cuModuleUnload");
    bind(ModuleGetFunction, "cuModuleGetFunction");
    bind(FuncSetAttribute, "cuFuncSetAttribute");
    bind(LaunchKernel, "cuLaunchKernel");
    bind(MemAlloc, "cuMemAlloc_v2");
    bind(MemFree, "cuMemFree_v2");
    bind(MemcpyHtoD, "cuMemcpyHtoD_v2");
    bind(MemcpyDtoH, "cuMemcpyDtoH_v2");
    return bind.missing();
  }

  void check(Result result, const std::string& what) const {
    if (result == 0) return;
    const char* text = nullptr;
    if (GetErrorString(result, &text) != 0 || text == nullptr) text = "unknown error";
    refuse(what + " fails: " + text + " (" + std::to_string(result) + ")");
  }
};

struct Driver::Loaded {
  std::unique_ptr<const Driver> driver;
  std::string why;
};

const Driver::Loaded& Driver::loaded() {
  // Never freed: at exit the driver may be gone before us.
  static const Loaded& loaded = *[] {
    auto* loaded = new Loaded;
    try {
      loaded->driver = open("libcuda.so.1");
    } catch (const Error& error) {
      loaded->why = error.diagnostic().message;
    }
    return loaded;
  }();
  return loaded;
}

const Driver* Driver::instance() { return loaded().driver.get(); }
const std::string& Driver::why_absent() { return loaded().why; }

std::unique_ptr<const Driver> Driver::open(const std::string& path) {
  std::string why;
  auto library = SharedLibrary::open({&path, 1}, why);
  if (!library) refuse(why);
  auto calls = std::make_unique<Calls>(std::move(*library));
  if (const std::string missing = calls->bind(); !missing.empty()) {
    refuse(path + " has no " + missing);
  }
  return std::unique_ptr<const Driver>(new Driver(std::move(calls)));
}

Driver::Driver(std::unique_ptr<const Calls> calls) : calls_(std::move(calls)) {
  calls_->check(calls_->Init(0), "cuInit");
  calls_->check(calls_->DeviceGet(&device_, 0), "cuDeviceGet");
  calls_->check(calls_->DevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
}

Driver::~Driver() { calls_->DevicePrimaryCtxRelease(device_); }

void Driver::make_current() const {
  calls_->check(calls_->CtxSetCurrent(context_), "cuCtxSetCurrent");
}

std::string Driver::device_name() const {
  char name[256] = {};
  calls_->check(calls_->DeviceGetName(name, sizeof name, device_), "cuDeviceGetName");
  return name;
}

int Driver::attribute(int which) const {
  int value = 0;
  calls_->check(calls_->DeviceGetAttribute(&value, which, device_), "cuDeviceGetAttribute");
  return value;
}

std::string Driver::arch() const {
  const int major = attribute(kComputeCapabilityMajor);
  return "sm_" + std::to_string(major) + std::to_string(attribute(kComputeCapabilityMinor)) +
         (major >= 9 ? "a" : "");
}

int Driver::multiprocessors() const { return attribute(kMultiprocessorCount); }

void Driver::launch(Function function, const LaunchShape& shape, std::span<void* const> arguments,
                    Stream stream) const {
  check_launch(shape);
  if (is_empty(shape)) return;
  make_current();
  if (shape.shared_bytes > kSharedBytesWithoutAsking) {
    calls_->check(calls_->FuncSetAttribute(function, kMaxDynamicSharedBytes,
                                           static_cast<int>(shape.shared_bytes)),
                  "cuFuncSetAttribute");
  }
  const auto n = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
  // cuLaunchKernel only reads the array of addresses.
  calls_->check(calls_->LaunchKernel(function, n(shape.grid[0]), n(shape.grid[1]), n(shape.grid[2]),
                                     n(shape.block[0]), n(shape.block[1]), n(shape.block[2]),
                                     n(shape.shared_bytes), stream,
                                     const_cast<void**>(arguments.data()), nullptr),
                "cuLaunchKernel");
}

void Driver::synchronize() const {
  make_current();
  calls_->check(calls_->CtxSynchronize(), "cuCtxSynchronize");
}

Module::Module(const Driver& driver, std::span<const std::byte> cubin)
    : module_(nullptr, Unload{&driver}) {
  driver.make_current();
  ModuleHandle module = nullptr;
  driver.calls_->check(driver.calls_->ModuleLoadData(&module, cubin.data()), "cuModuleLoadData");
  module_.reset(module);
}

void Module::Unload::operator()(ModuleHandle module) const { driver->calls_->ModuleUnload(module); }

Driver::Function Module::function(const std::string& name) const {
  const Driver& driver = *module_.get_deleter().driver;
  Driver::Function function = nullptr;
  driver.calls_->check(driver.calls_->ModuleGetFunction(&function, module_.get(), name.c_str()),
                       "cuModuleGetFunction of " + name);
  return function;
}

// cuMemAlloc refuses 0 bytes; an empty buffer has no address.
DeviceBuffer::DeviceBuffer(const Driver& driver, std::size_t bytes)
    : driver_(&driver), size_(bytes) {
  if (bytes == 0) return;
  driver.make_current();
  driver.calls_->check(driver.calls_->MemAlloc(&address_, bytes),
                       "cuMemAlloc of " + std::to_string(bytes) + " bytes");
}

DeviceBuffer::~DeviceBuffer() {
  if (address_ != 0) driver_->calls_->MemFree(address_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : driver_(other.driver_),
      address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(address_, other.address_);
  std::swap(size_, other.size_);
  return *this;
}

void DeviceBuffer::copy_from(std::span<const std::byte> host) {
  SELVAGE_CHECK(host.size() == size_);
  if (size_ == 0) return;
  driver_->make_current();
  driver_->calls_->check(driver_->calls_->MemcpyHtoD(address_, host.data(), size_), "cuMemcpyHtoD");
}

void DeviceBuffer::copy_to(std::span<std::byte> host) const {
  SELVAGE_CHECK(host.size() == size_);
  if (size_ == 0) return;
  driver_->make_current();
  driver_->calls_->check(driver_->calls_->MemcpyDtoH(host.data(), address_, size_), "cuMemcpyDtoH");
}

}  // namespace selvage
