#include <selvage/base/diagnostic.h>
#include <selvage/base/refuse.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/runtime/driver.h>

#include <array>
#include <utility>

namespace selvage {

namespace {

constexpr int kMaxDevices = 64;

constexpr int kMultiprocessorCount = 16;
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;
constexpr int kMaxDynamicSharedBytes = 8, kNonPortableClusters = 14;
constexpr int kSharedBytesOfABlock = 97;

// One device of the system's driver.
struct Slot {
  std::once_flag once;
  std::unique_ptr<const Driver> driver;
  std::string why;
};

const Slot& slot_of(int ordinal) {
  // Never freed: at exit the driver may be gone before us.
  static auto& slots = *new std::array<Slot, kMaxDevices>;
  static const Slot& none = *[] {
    auto* none = new Slot;
    none->why = "the ordinal of a device is 0 to " + std::to_string(kMaxDevices - 1);
    return none;
  }();
  if (ordinal < 0 || ordinal >= kMaxDevices) return none;
  Slot& slot = slots[static_cast<std::size_t>(ordinal)];
  std::call_once(slot.once, [&] {
    try {
      slot.driver = Driver::open(kDriverLibrary, ordinal);
    } catch (const Error& error) {
      slot.why = error.diagnostic().message;
    }
  });
  return slot;
}

}  // namespace

const Driver* Driver::instance(int ordinal) { return slot_of(ordinal).driver.get(); }
const std::string& Driver::why_absent(int ordinal) { return slot_of(ordinal).why; }

int Driver::device_count() {
  static const int count = [] {
    try {
      return device_count(kDriverLibrary);
    } catch (const Error&) {
      return 0;
    }
  }();
  return count;
}

int Driver::device_count(const std::string& library) {
  const DriverCalls calls = DriverCalls::open(library);
  calls.initialise();
  int count = 0;
  const DriverResult result = calls.DeviceGetCount(&count);
  if (result != 0) {
    refuse<Error>("E705", "cuDeviceGetCount fails: " + calls.words(result),
                  "run on the virtual device");
  }
  return count;
}

std::unique_ptr<const Driver> Driver::open(const std::string& library, int ordinal) {
  return std::unique_ptr<const Driver>(new Driver(library, ordinal));
}

Driver::Driver(const std::string& library, int ordinal)
    : calls_(DriverCalls::open(library)), ordinal_(ordinal) {
  calls_.initialise();
  check(calls_.DriverGetVersion(&version_), "cuDriverGetVersion");
  check(calls_.DeviceGet(&device_, ordinal), "cuDeviceGet", "device " + std::to_string(ordinal));
  check(calls_.DevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
}

Driver::~Driver() { calls_.DevicePrimaryCtxRelease(device_); }

// Asking costs less than setting, and is right whatever else changes the thread's context.
void Driver::make_current() const { check(make_current_if_possible(), "cuCtxSetCurrent"); }

DriverResult Driver::make_current_if_possible() const noexcept {
  ContextHandle current = nullptr;
  if (calls_.CtxGetCurrent(&current) == 0 && current == context_) [[likely]]
    return 0;
  return calls_.CtxSetCurrent(context_);
}

const std::string* Driver::keep(std::string text) const {
  const std::lock_guard lock(mutex_);
  return &*texts_.insert(std::move(text)).first;
}

std::string Driver::device_name() const {
  char name[256] = {};
  check(calls_.DeviceGetName(name, sizeof name, device_), "cuDeviceGetName");
  return name;
}

int Driver::attribute(int which) const {
  int value = 0;
  check(calls_.DeviceGetAttribute(&value, which, device_), "cuDeviceGetAttribute");
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
  launch_checked(function, shape, arguments.data(), stream);
}

void Driver::launch_checked(Function function, const LaunchShape& shape, void* const* arguments,
                            Stream stream) const {
  make_current();
  if (shape.shared_bytes > function->shared_bytes.load(std::memory_order_relaxed)) [[unlikely]] {
    allow_shared(*function, shape.shared_bytes);
  }
  if (shape.ranks > kPortableClusterBlocks) allow_clusters(*function);
  const auto n = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
  const std::int64_t z = shape.ranks > 1 ? 1 : shape.block[2];
  // cuLaunchKernel only reads the array of addresses.
  const DriverResult result =
      calls_.LaunchKernel(function->handle, n(shape.grid[0] * shape.ranks), n(shape.grid[1]),
                          n(shape.grid[2]), n(shape.block[0]), n(shape.block[1]), n(z),
                          n(shape.shared_bytes), stream, const_cast<void**>(arguments), nullptr);
  if (result != 0) [[unlikely]]
    fail(result, "cuLaunchKernel of " + *function->name);
  record_.launched(stream, function->name);
}

// Under a lock, so that no thread lowers what another has just raised.
void Driver::allow_shared(const LoadedFunction& function, std::int64_t bytes) const {
  const std::lock_guard lock(sharing_);
  if (bytes <= function.shared_bytes.load(std::memory_order_relaxed)) return;
  const DriverResult result =
      calls_.FuncSetAttribute(function.handle, kMaxDynamicSharedBytes, static_cast<int>(bytes));
  if (result != 0) {
    int most = 0;
    const bool is_known = calls_.DeviceGetAttribute(&most, kSharedBytesOfABlock, device_) == 0;
    if (is_known && bytes > most) refuse_shared(*function.name, bytes, most);
    fail(result, "cuFuncSetAttribute of " + *function.name + ", " + std::to_string(bytes) +
                     " bytes of shared memory");
  }
  function.shared_bytes.store(bytes, std::memory_order_relaxed);
}

// Of more blocks than every device runs at once.
void Driver::allow_clusters(const LoadedFunction& function) const {
  if (function.has_large_clusters.load(std::memory_order_relaxed)) return;
  const DriverResult result = calls_.FuncSetAttribute(function.handle, kNonPortableClusters, 1);
  if (result != 0) {
    fail(result, "cuFuncSetAttribute of " + *function.name + ", clusters of more than " +
                     std::to_string(kPortableClusterBlocks) + " blocks");
  }
  function.has_large_clusters.store(true, std::memory_order_relaxed);
}

void Driver::synchronize() const {
  make_current();
  const LaunchRecord::Mark mark = record_.mark();
  check(calls_.CtxSynchronize(), "cuCtxSynchronize");
  record_.all_finished(mark);
}

void Driver::synchronize(Stream stream) const {
  make_current();
  const LaunchRecord::Mark mark = record_.mark();
  check(calls_.StreamSynchronize(stream), "cuStreamSynchronize");
  record_.finished(stream, mark);
}

bool Driver::is_done(Stream stream) const {
  make_current();
  const LaunchRecord::Mark mark = record_.mark();
  const DriverResult result = calls_.StreamQuery(stream);
  if (result == kNotReady) return false;
  check(result, "cuStreamQuery");
  record_.finished(stream, mark);
  return true;
}

bool Driver::is_capturing(Stream stream) const {
  make_current();
  int status = 0;
  check(calls_.StreamIsCapturing(stream, &status), "cuStreamIsCapturing");
  return status != 0;
}

}  // namespace selvage
