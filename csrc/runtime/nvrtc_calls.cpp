#include <selvage/base/refuse.h>
#include <selvage/runtime/nvrtc_calls.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr int kMostArchitectures = 1'000;

}  // namespace

std::string NvrtcCalls::bind() {
  SymbolBinder needed(library);
  SymbolBinder newer(library);
  needed(GetErrorString, "nvrtcGetErrorString");
#define CALL(name, parameters) needed(name, "nvrtc" #name);
#define NEWER_CALL(name, parameters, since) newer(name, "nvrtc" #name);
#include <selvage/runtime/nvrtc_calls.def>
#undef NEWER_CALL
#undef CALL
  return needed.missing();
}

void NvrtcCalls::check(NvrtcResult result, const std::string& what) const {
  if (result == 0) return;
  refuse<Error>("E704", what + " fails: " + GetErrorString(result), "");
}

std::vector<std::byte> NvrtcCalls::bytes(NvrtcProgram program, SizeOf* size_of, Get* get,
                                         const char* what) const {
  std::size_t size = 0;
  check(size_of(program, &size), what);
  std::vector<std::byte> bytes(size);
  if (size > 0) check(get(program, reinterpret_cast<char*>(bytes.data())), what);
  return bytes;
}

std::string NvrtcCalls::text(NvrtcProgram program, SizeOf* size_of, Get* get,
                             const char* what) const {
  const std::vector<std::byte> all = bytes(program, size_of, get, what);
  std::string text(reinterpret_cast<const char*>(all.data()), all.size());
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::vector<int> NvrtcCalls::architectures() const {
  int count = 0;
  if (GetNumSupportedArchs == nullptr || GetSupportedArchs == nullptr) return {};
  if (GetNumSupportedArchs(&count) != 0 || count < 1 || count > kMostArchitectures) return {};
  std::vector<int> numbers(static_cast<std::size_t>(count));
  if (GetSupportedArchs(numbers.data()) != 0) return {};
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace selvage
