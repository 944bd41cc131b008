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

// One GPU through CUDA's driver library, in its primary context, which it shares with whatever else
// in the process uses CUDA. Every call may come from any thread, and leaves that context current on
// it. What fails throws Error (E705) with the call's name, the driver's words and what would mend
// it.
//
// A kernel's fault (an address out of bounds, say) comes to light in some later call and takes the
// context with it: that call and all after it throw E715, with the kernels that were launched and
// not known to have finished. What is owned may still be destroyed.
class Driver {
 public:
  // Null when there is no driver or no such GPU; why_absent() says which. Loaded once, for good.
  static const Driver* instance(int ordinal = 0);
  static const std::string& why_absent(int ordinal = 0);
  static int device_count();  // 0 without a driver
  // The same from a library of one's own choice, e.g. a stand-in that records the calls.
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
  // Null: the default one. Also one that others have made in the same context.
  using Stream = StreamHandle;

  // `arguments` holds the address of each argument's value. The shape is checked (E703); an empty
  // grid launches nothing. Returns before the kernel has run.
  void launch(Function function, const LaunchShape& shape, std::span<void* const> arguments,
              Stream stream = nullptr) const;
  // The same for a shape that check_launch has let pass and that is not empty: for who caches it.
  void launch_checked(Function function, const LaunchShape& shape, void* const* arguments,
                      Stream stream = nullptr) const;

  // Waits for all that was launched, or for what was given to one stream, and throws what went
  // wrong in it.
  void synchronize() const;
  void synchronize(Stream stream) const;
  bool is_done(Stream stream) const;  // without waiting
  bool is_capturing(Stream stream) const;

  // Each in the stream's order; returns at once where host memory is page-locked, and at the latest
  // once it has been read. Written host memory is to be read after synchronising.
  void copy_in(DeviceAddress to, std::span<const std::byte> from, Stream stream) const;
  void copy_out(std::span<std::byte> to, DeviceAddress from, Stream stream) const;
  void copy(DeviceAddress to, DeviceAddress from, std::size_t bytes, Stream stream) const;
  void fill(DeviceAddress to, std::byte value, std::size_t bytes, Stream stream) const;

  // For the classes that own what the driver gives out (stream.h, graph.h, tensor_map.h), and for
  // raw calls.
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
  // `call`: its name, and of what: "cuMemAlloc of 64 bytes".
  [[noreturn]] void fail(DriverResult result, const std::string& call,
                         std::vector<std::string> notes = {}) const;
  // That the driver lacks a call that came with CUDA `since`.
  [[noreturn]] void refuse_missing(const std::string& call, const std::string& since) const;
  // A text that lives as long as the driver: equal texts are kept once.
  const std::string* keep(std::string text) const;

 private:
  Driver(const std::string& library, int ordinal);
  int attribute(int which) const;
  void allow_shared(const struct LoadedFunction& function, std::int64_t bytes) const;
  std::string help(DriverResult result) const;

  DriverCalls calls_;
  int ordinal_ = 0;
  int device_ = 0;
  int version_ = 0;
  ContextHandle context_ = nullptr;
  mutable LaunchRecord record_;
  mutable std::mutex sharing_;  // while a function's shared memory is raised
  mutable std::mutex mutex_;    // of what follows
  mutable std::set<std::string> texts_;
  mutable std::string loss_;  // which call told first that the context is lost, and why
  mutable std::vector<std::string> suspects_;  // what may have been the cause
};

// Gives back by one of the driver's calls what another has given out.
template <auto Call>
struct DriverDelete {
  const Driver* driver;
  void operator()(auto* handle) const noexcept {
    driver->make_current_if_possible();
    (driver->calls().*Call)(handle);
  }
};

// A kernel, and what is remembered of it.
struct LoadedFunction {
  FunctionHandle handle = nullptr;
  const std::string* name = nullptr;  // kept by the driver
  // Bytes of shared memory that a launch may ask for so far.
  mutable std::atomic<std::int64_t> shared_bytes{0};
};

// A loaded image: a cubin, a fatbin, or PTX, which the driver compiles. The driver outlives it.
class Module {
 public:
  // Throws E705 with the driver's log where it refuses PTX; an image that is cut off is refused
  // before the driver reads past its end.
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
  // In the stream's order, from the driver's pool: of use to what the stream is given from now on,
  // freed after what it was given before. The stream outlives it. Where the driver or the device
  // has no such pool, the same as above.
  DeviceBuffer(const Driver& driver, std::size_t bytes, Driver::Stream stream);

  // The value of a pointer argument.
  DeviceAddress address() const { return reinterpret_cast<DeviceAddress>(memory_.get()); }
  std::size_t size() const { return size_; }
  // Whole-buffer copies, from and to the host; they wait for the kernels launched before them on
  // the default stream and on those that are ordered with it.
  void copy_from(std::span<const std::byte> host);
  void copy_to(std::span<std::byte> host) const;

 private:
  struct Free {
    const Driver* driver;
    bool is_ordered = false;  // from the pool, freed in the order of the stream
    Driver::Stream stream = nullptr;
    void operator()(void* memory) const noexcept;
  };
  const Driver& driver() const { return *memory_.get_deleter().driver; }
  std::unique_ptr<void, Free> memory_;
  std::size_t size_;
};

}  // namespace selvage
