#pragma once

#include <selvage/runtime/launch_shape.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace selvage {

// The first GPU through CUDA's driver library, in its primary context, which it shares with
// whatever else in the process uses CUDA. Every call may come from any thread. What fails throws
// Error (E705) with the call's name and the driver's words.
class Driver {
 public:
  // Null when there is no driver or no GPU; why_absent() says which. Loaded once, for good.
  static const Driver* instance();
  static const std::string& why_absent();
  // The same from a library of one's own choice, e.g. a stand-in that records the calls.
  static std::unique_ptr<const Driver> open(const std::string& library);

  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  std::string device_name() const;
  std::string arch() const;  // "sm_90a": what to compile for, all features of the device included
  int multiprocessors() const;

  // A kernel of a loaded module; valid as long as the module.
  using Function = struct OpaqueFunction*;
  using Stream = struct OpaqueStream*;  // null: the default one
  // `arguments` holds the address of each argument's value. The shape is checked (E703); an empty
  // grid launches nothing. Returns before the kernel has run.
  void launch(Function function, const LaunchShape& shape, std::span<void* const> arguments,
              Stream stream = nullptr) const;
  // Waits for all that was launched, and throws what went wrong in it.
  void synchronize() const;

 private:
  friend class Module;
  friend class DeviceBuffer;
  struct Calls;
  struct Loaded;
  explicit Driver(std::unique_ptr<const Calls> calls);
  static const Loaded& loaded();
  void make_current() const;  // the context, on this thread
  int attribute(int which) const;

  std::unique_ptr<const Calls> calls_;
  int device_ = 0;
  struct OpaqueContext* context_ = nullptr;
};

// A loaded cubin. The driver outlives it.
class Module {
 public:
  Module(const Driver& driver, std::span<const std::byte> cubin);
  Driver::Function function(const std::string& name) const;

 private:
  struct Unload {
    const Driver* driver;
    void operator()(struct OpaqueModule* module) const;
  };
  std::unique_ptr<struct OpaqueModule, Unload> module_;
};

// Memory on the GPU. The driver outlives it.
class DeviceBuffer {
 public:
  DeviceBuffer(const Driver& driver, std::size_t bytes);  // contents are not defined
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  std::uint64_t address() const { return address_; }  // the value of a pointer argument
  std::size_t size() const { return size_; }
  // Whole-buffer copies, from and to the host; they wait for the kernels launched before them.
  void copy_from(std::span<const std::byte> host);
  void copy_to(std::span<std::byte> host) const;

 private:
  const Driver* driver_;
  std::uint64_t address_ = 0;
  std::size_t size_ = 0;
};

}  // namespace selvage
