#include <selvage/base/refuse.h>
#include <selvage/runtime/driver_calls.h>

namespace selvage {

DriverCalls DriverCalls::open(const std::string& path) {
  std::string why;
  auto library = SharedLibrary::open(path, why);
  if (!library) refuse<Error>("E705", why, "install NVIDIA's driver, or run on the virtual device");
  DriverCalls calls(std::move(*library));
  const auto need = [&](auto& call, const char* symbol) {
    if (calls.library.bind(call, symbol)) return;
    refuse<Error>("E705", path + " has no " + symbol,
                  "install a driver of CUDA 10.1 or later, or run on the virtual device");
  };
#define CALL(name, symbol, parameters) need(calls.name, symbol);
#define NEWER_CALL(name, symbol, parameters, since) calls.library.bind(calls.name, symbol);
#include <selvage/runtime/driver_calls.def>
#undef NEWER_CALL
#undef CALL
  return calls;
}

void DriverCalls::initialise() const {
  const DriverResult result = Init(0);
  if (result == 0) return;
  refuse<Error>("E705", "cuInit fails: " + words(result),
                "make a GPU visible (CUDA_VISIBLE_DEVICES), or run on the virtual device");
}

std::string DriverCalls::words(DriverResult result) const {
  const char* text = nullptr;
  if (GetErrorString(result, &text) != 0 || text == nullptr) text = "unknown error";
  return std::string(text) + " (" + std::to_string(result) + ")";
}

}  // namespace selvage
