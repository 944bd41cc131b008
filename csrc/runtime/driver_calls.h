#pragma once

#include <selvage/runtime/handles.h>
#include <selvage/runtime/shared_library.h>

#include <cstddef>
#include <string>

namespace selvage {

// The driver of this machine's GPUs.
inline constexpr const char* kDriverLibrary = "libcuda.so.1";

// Results that callers handle, besides reporting them.
inline constexpr DriverResult kOutOfMemory = 2;
inline constexpr DriverResult kNotReady = 600;
inline constexpr DriverResult kNotSupported = 801;

// The entry points of a driver library. These are the raw calls: they make no context current and
// check no result.
struct DriverCalls {
  SharedLibrary library;
#define CALL(name, symbol, parameters) DriverResult(*name) parameters = nullptr;
#define NEWER_CALL(name, symbol, parameters, since) CALL(name, symbol, parameters)
#include <selvage/runtime/driver_calls.def>
#undef NEWER_CALL
#undef CALL

  // Throws Error (E705) if the library cannot be opened or lacks a call. Only a NEWER_CALL may be
  // null.
  static DriverCalls open(const std::string& path);

  // cuInit. Throws Error (E705) where there is no GPU that can be used.
  void initialise() const;

  // The driver's words for a result, "out of memory (2)".
  std::string words(DriverResult result) const;

 private:
  explicit DriverCalls(SharedLibrary from) : library(std::move(from)) {}
};

}  // namespace selvage
