#pragma once

#include <selvage/runtime/driver_calls.h>
#include <selvage/runtime/launch_record.h>
#include <selvage/runtime/launch_shape.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// One GPU through CUDA's driver library, in its primary context, which it shares with all other
// CUDA code in the process. Any thread may make any call; the call leaves that context current on
// the thread. A call that fails throws Error (E705) with the call's name, the driver's words and
// what would mend it.
//
// A kernel's fault (an address out of bounds, say) is reported by some later call and destroys the
// context: that call and all after it throw E715, with the names of the kernels that were launched
// and are not known to have finished. Objects that own driver handles may still be destroyed.
class Driver {
 public:
  // Null if there is no driver or no such GPU; why_absent() says which. Loaded once, for good.
  static const Driver* instance(int ordinal = 0);
  static const std::string& why_absent(int ordinal = 0);
  static int device_count();  // 0 without a driver
  // The same from a given library, such as a stand-in that records the calls.
  static std::unique_ptr<const Driver> open(const std::string& library, int ordinal = 0);
  static int device_count(const std::string& library);

  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  int ordinal() const { return ordinal_; }
  std::string device_name() const;
  std::string arch() const;  // "sm_90a": what to compile for, all features of the device included
  int multiprocessors() const;
  // The newest CUDA that the driver knows: 1000 * major + 10 * minor.
  int version() const { return version_; }

  // A kernel of a loaded module; valid as long as the module.
  using Function = const struct LoadedFunction*;
  // Null: the default stream. May be a stream that other code has made in the same context.
  using Stream = StreamHandle;

  // `arguments` holds the address of each argument's value. The shape is checked (E703); an empty
  // grid launches nothing. Returns before the kernel has run.
  void launch(Function function, const LaunchShape& shape, std::span<void* const> arguments,
              Stream stream = nullptr) const;
  // The same without the checks: `shape` must pass check_launch() and not be empty.
  void launch_checked(Function function, const LaunchShape& shape, void* const* arguments,
                      Stream stream = nullptr) const;

  // Waits for all work, or for that of one stream, and throws the error of a kernel in it.
  void synchronize() const;
  void synchronize(Stream stream) const;
  bool is_done(Stream stream) const;  // without waiting
  bool is_capturing(Stream stream) const;

  // Each runs in the stream's order. A call returns at once if the host memory is page-locked, else
  // when it has been read at the latest. The host memory of copy_out holds its values only after
  // synchronising.
  void copy_in(DeviceAddress to, std::span<const std::byte> from, Stream stream) const;
  void copy_out(std::span<std::byte> to, DeviceAddress from, Stream stream) const;
  void copy(DeviceAddress to, DeviceAddress from, std::size_t bytes, Stream stream) const;
  void fill(DeviceAddress to, std::byte value, std::size_t bytes, Stream stream) const;

  // For the classes that own driver handles (stream.h, graph.h, tensor_map.h), and for raw calls.
  const DriverCalls& calls() const { return calls_; }
  LaunchRecord& record() const { return record_; }
  void make_current() const;  // the context, on this thread
  DriverResult make_current_if_possible() const noexcept;
  void check(DriverResult result, const char* call) const {
    if (result != 0) [[unlikely]]
      fail(result, call);
  }
  void check(DriverResult result, const char* call, const std::string& of) const {
    if (result != 0) fail(result, std::string(call) + " of " + of);
  }
  void check(DriverResult result, const char* call, std::size_t bytes) const {
    if (result != 0) fail(result, std::string(call) + " of " + std::to_string(bytes) + " bytes");
  }
  // `call`: the call and its object: "cuMemAlloc of 64 bytes".
  [[noreturn]] void fail(DriverResult result, const std::string& call,
                         std::vector<std::string> notes = {}) const;
  // Throws E705: the driver lacks a call that came with CUDA `since`.
  [[noreturn]] void refuse_missing(const std::string& call, const std::string& since) const;
  // A copy of the text that lives as long as the driver; equal texts share one.
  const std::string* keep(std::string text) const;

 private:
  Driver(const std::string& library, int ordinal);
  int attribute(int which) const;
  void allow_shared(const struct LoadedFunction& function, std::int64_t bytes) const;
  void allow_clusters(const LoadedFunction& function) const;
  std::string help(DriverResult result) const;

  DriverCalls calls_;
  int ordinal_ = 0;
  int device_ = 0;
  int version_ = 0;
  ContextHandle context_ = nullptr;
  mutable LaunchRecord record_;
  mutable std::mutex sharing_;  // held while a function's limit of shared memory is raised
  mutable std::mutex mutex_;    // guards the members below
  mutable std::set<std::string> texts_;
  mutable std::string loss_;  // the call that first reported the loss of the context, and why
  mutable std::vector<std::string> suspects_;  // kernels that may be the cause
};

// A deleter that gives a handle back by one of the driver's calls.
template <auto Call>
struct DriverDelete {
  const Driver* driver;
  void operator()(auto* handle) const noexcept {
    driver->make_current_if_possible();
    (driver->calls().*Call)(handle);
  }
};

// A kernel of a loaded module.
struct LoadedFunction {
  FunctionHandle handle = nullptr;
  const std::string* name = nullptr;  // from Driver::keep()
  // Bytes of shared memory that a launch may ask for; raised when one asks for more.
  mutable std::atomic<std::int64_t> shared_bytes{0};
  mutable std::atomic<bool> has_large_clusters{false};
};

// A loaded image: a cubin, a fatbin, or PTX, which the driver compiles. The driver outlives it.
class Module {
 public:
  // Throws E705, with the driver's log if it refuses PTX; also for an image that is cut off, before
  // the driver reads past its end.
  Module(const Driver& driver, std::span<const std::byte> image);
  Module(const Driver& driver, std::string_view ptx);
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  // The same handle for the same name. May be called by several threads.
  Driver::Function function(const std::string& name) const;

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
};

// Memory on the GPU. The driver outlives it.
class DeviceBuffer {
 public:
  DeviceBuffer(const Driver& driver, std::size_t bytes);  // contents are not defined
  // Memory from the driver's pool, in the stream's order: it may be used by work that the stream is
  // given from now on, and is freed after the work given before its destruction. The stream
  // outlives it. If the driver or the device has no such pool, the same as above.
  DeviceBuffer(const Driver& driver, std::size_t bytes, Driver::Stream stream);

  // The value of a pointer argument.
  DeviceAddress address() const { return reinterpret_cast<DeviceAddress>(memory_.get()); }
  std::size_t size() const { return size_; }
  // Copies of the whole buffer, from and to the host. They wait for the kernels launched before on
  // the default stream and on streams that are ordered with it.
  void copy_from(std::span<const std::byte> host);
  void copy_to(std::span<std::byte> host) const;

 private:
  struct Free {
    const Driver* driver;
    bool is_ordered = false;  // memory of the pool, freed in the order of the stream
    Driver::Stream stream = nullptr;
    void operator()(void* memory) const noexcept;
  };
  const Driver& driver() const { return *memory_.get_deleter().driver; }
  std::unique_ptr<void, Free> memory_;
  std::size_t size_;
};

}  // namespace selvage
