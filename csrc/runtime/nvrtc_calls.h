#pragma once

#include <selvage/runtime/shared_library.h>

#include <cstddef>
#include <string>
#include <vector>

namespace selvage {

using NvrtcProgram = struct OpaqueNvrtcProgram*;
using NvrtcResult = int;  // 0 is success

// Results that are acted upon, and not only told.
inline constexpr NvrtcResult kInvalidOption = 5;
inline constexpr NvrtcResult kCompilationError = 6;

// The entry points of one NVRTC library.
struct NvrtcCalls {
  SharedLibrary library;
  const char* (*GetErrorString)(NvrtcResult) = nullptr;
#define CALL(name, parameters) NvrtcResult(*name) parameters = nullptr;
#define NEWER_CALL(name, parameters, since) CALL(name, parameters)
#include <selvage/runtime/nvrtc_calls.def>
#undef NEWER_CALL
#undef CALL

  explicit NvrtcCalls(SharedLibrary from) : library(std::move(from)) {}
  // The first symbol that the library lacks and that nothing goes without; empty: it has all.
  std::string bind();

  // Throws Error (E704) for a result other than success: `what` fails, and the library's word.
  void check(NvrtcResult result, const std::string& what) const;

  // What a pair of calls, size then contents, gives out; a text without the zero at its end.
  using SizeOf = NvrtcResult(NvrtcProgram, std::size_t*);
  using Get = NvrtcResult(NvrtcProgram, char*);
  std::vector<std::byte> bytes(NvrtcProgram program, SizeOf* size_of, Get* get,
                               const char* what) const;
  std::string text(NvrtcProgram program, SizeOf* size_of, Get* get, const char* what) const;

  // The numbers of the architectures that it compiles for (90: sm_90), in order; empty where it
  // does not tell.
  std::vector<int> architectures() const;
};

}  // namespace selvage
