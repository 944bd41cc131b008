// A stand-in for CUDA's driver library, built as a shared library. Device memory is host memory;
// the work of a stream is put off until something waits for it, so what is used too early is seen.
// What a driver would refuse, it refuses with the driver's code. Every call is recorded, and any
// can be told to fail. Safe from several threads. This is how a test talks to it:
//
//   auto& stub = *reinterpret_cast<Control* (*)()>(library.symbol("driver_stub_control"))();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace driver_stub {

// That calls fail from some time on. Counted from the moment it is set.
struct Fault {
  std::string call = {};  // "cuMemAlloc_v2"; empty: any
  int nth = 1;            // which of these calls, from 1
  int code = 999;
  bool is_sticky = false;  // also every call after it, whatever its name
};

// One kernel that runs.
struct Run {
  std::string kernel;
  std::uint32_t grid[3], block[3], shared_bytes;
  std::vector<std::vector<std::byte>> arguments;  // by value
};

// What cuTensorMapEncodeTiled was given, innermost dimension first.
struct EncodedMap {
  int type = 0, interleave = 0, swizzle = 0, promotion = 0, fill = 0;
  std::uint64_t address = 0;
  std::vector<std::uint64_t> sizes, strides;  // strides: one fewer
  std::vector<std::uint32_t> box, element_strides;
};

class Control {
 public:
  virtual ~Control() = default;
  // As freshly loaded: one device of compute capability 9.0 and a driver of CUDA 13.0, nothing
  // held, recorded or told to fail. Handles that are still held become unknown.
  virtual void reset() = 0;

  // "cuLaunchKernel(k, grid 7 5 3, block 32 4 2, shared 0, stream 1, arguments 42)"; handles are
  // named by kind and number. cuGetErrorString, cuCtxGetCurrent and cuCtxSetCurrent are counted
  // but not listed. A count of "" is that of all calls, cuGetErrorString left out.
  virtual std::vector<std::string> calls() = 0;
  virtual int count(const std::string& call) = 0;
  virtual void forget_calls() = 0;
  virtual void list_calls(bool on) = 0;  // off: to measure by

  virtual void fail(const Fault& fault) = 0;
  virtual void fail_none() = 0;
  // A kernel of this name, when it runs, loses the context with this code; 0: it is well again.
  virtual void set_kernel_fault(const std::string& kernel, int code) = 0;

  // What is not given back: "2 allocations of 96 bytes, 1 stream"; empty: nothing.
  virtual std::string held() = 0;

  virtual void set_driver_version(int version) = 0;
  virtual void set_devices(int count) = 0;
  virtual void set_memory(std::size_t bytes) = 0;  // of each device
  virtual void set_pools(bool supported) = 0;      // stream-ordered allocation
  virtual void set_capability(int major, int minor) = 0;
  // A number that cuDeviceGetAttribute gives, by CUdevice_attribute; below 0: it refuses to.
  virtual void set_attribute(int which, int value) = 0;
  // Cubins are refused by a driver of an older major version than this; 0: none is.
  virtual void set_cubin_version(int version) = 0;

  // How often a kernel has run, captured launches as often as their graph; and what it does.
  virtual int runs(const std::string& kernel) = 0;
  virtual void on_run(std::function<void(const Run&)> action) = 0;
  // The milliseconds that a launch takes, beside the one of every piece of work.
  virtual void set_duration(std::function<double(const Run&)> of) = 0;

  virtual EncodedMap decode(const void* tensor_map) = 0;
};

}  // namespace driver_stub
