// Devices, contexts, modules and functions.
#include <cstring>

#include "tests/driver_stub/state.h"

using namespace driver_stub;

namespace {

// A context's handle says its device.
constexpr Handle kContext = 0x1000;
Handle context_of(int device) { return kContext + static_cast<Handle>(device) * 16; }

std::string none() { return ""; }
auto text(const auto& value) {
  return [&] { return fmt::format("{}", value); };
}

int load(Call& in, Handle* module, const void* image, std::string& log) {
  int why = kSuccess;
  if (module == nullptr) return kInvalidValue;
  auto kernels = kernels_of(image, why, log);
  if (!kernels) return why;
  *module = make(Kind::Module);
  in.s.objects.at(*module).kernels = std::move(*kernels);
  return kSuccess;
}

// Bytes of shared memory that a block may ask for.
int most_shared(const State& s) {
  if (s.major >= 9) return 227 << 10;
  return (s.major == 8 && s.minor % 7 == 0 ? 163
          : s.major == 8                   ? 99
          : s.minor == 5                   ? 64
                                           : 96)
         << 10;
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
  Call in("cuInit", Needs::Nothing, text(flags));
  if (in) return in.result();
  if (flags != 0) return kInvalidValue;
  if (in.s.devices == 0) return kNoDevice;
  in.s.is_initialized = true;
  return kSuccess;
}

int cuDriverGetVersion(int* version) {
  Call in("cuDriverGetVersion", Needs::Nothing, none);
  if (in) return in.result();
  if (version == nullptr) return kInvalidValue;
  *version = in.s.version;
  return kSuccess;
}

int cuGetErrorString(int code, const char** words_of) {
  Call in("cuGetErrorString", Needs::Nothing, text(code));
  if (in) return in.result();
  if (words_of == nullptr) return kInvalidValue;
  *words_of = words(code);
  return *words_of == nullptr ? kInvalidValue : kSuccess;
}

int cuDeviceGetCount(int* count) {
  Call in("cuDeviceGetCount", Needs::Init, none);
  if (in) return in.result();
  if (count == nullptr) return kInvalidValue;
  *count = in.s.devices;
  return kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  Call in("cuDeviceGet", Needs::Init, text(ordinal));
  if (in) return in.result();
  if (device == nullptr) return kInvalidValue;
  if (ordinal < 0 || ordinal >= in.s.devices) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

int cuDeviceGetName(char* name, int bytes, int device) {
  Call in("cuDeviceGetName", Needs::Init, text(device));
  if (in) return in.result();
  if (name == nullptr || bytes <= 0) return kInvalidValue;
  if (device < 0 || device >= in.s.devices) return kInvalidDevice;
  std::strncpy(name, device == 0 ? "Stub" : fmt::format("Stub {}", device).c_str(),
               static_cast<std::size_t>(bytes));
  return kSuccess;
}

int cuDeviceGetAttribute(int* value, int which, int device) {
  Call in("cuDeviceGetAttribute", Needs::Init,
          [&] { return fmt::format("{}, device {}", which, device); });
  if (in) return in.result();
  if (value == nullptr) return kInvalidValue;
  if (device < 0 || device >= in.s.devices) return kInvalidDevice;
  if (const auto set = in.s.attributes.find(which); set != in.s.attributes.end()) {
    *value = set->second;
    return *value < 0 ? kInvalidValue : kSuccess;
  }
  switch (which) {
    case 13: *value = 1980000; return kSuccess;  // kHz
    case 16: *value = 132; return kSuccess;
    case 36: *value = 2619000; return kSuccess;  // kHz, of memory
    case 37: *value = 5120; return kSuccess;     // bits of its bus
    case 38: *value = 50 << 20; return kSuccess;
    case 39: *value = 2048; return kSuccess;
    case 81: *value = 228 << 10; return kSuccess;
    case 82: *value = 65536; return kSuccess;
    case 106: *value = 32; return kSuccess;
    case 75: *value = in.s.major; return kSuccess;
    case 76: *value = in.s.minor; return kSuccess;
    case 97: *value = most_shared(in.s); return kSuccess;
    case 115: *value = in.s.has_pools ? 1 : 0; return kSuccess;
    default: return kInvalidValue;
  }
}

int cuDevicePrimaryCtxRetain(Handle* context, int device) {
  Call in("cuDevicePrimaryCtxRetain", Needs::Init, text(device));
  if (in) return in.result();
  if (context == nullptr) return kInvalidValue;
  if (device < 0 || device >= in.s.devices) return kInvalidDevice;
  ++in.s.context_users[device];
  *context = context_of(device);
  return kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  Call in("cuDevicePrimaryCtxRelease_v2", Needs::Init, text(device));
  if (!in.may_destroy()) return in.result();
  int& users = in.s.context_users[device];
  if (users == 0) return in.destroyed(kInvalidContext);
  if (--users == 0) in.s.lost.erase(device);
  return in.destroyed(kSuccess);
}

int cuCtxGetCurrent(Handle* context) {
  Call in("cuCtxGetCurrent", Needs::Init, none);
  if (in) return in.result();
  if (context == nullptr) return kInvalidValue;
  const int device = current_device();
  *context = device < 0 || in.s.context_users[device] == 0 ? 0 : context_of(device);
  return kSuccess;
}

int cuCtxSetCurrent(Handle context) {
  Call in("cuCtxSetCurrent", Needs::Init, none);
  if (in) return in.result();
  if (context == 0) return set_current_device(-1), kSuccess;
  for (const auto& [device, users] : in.s.context_users) {
    if (users > 0 && context == context_of(device)) return set_current_device(device), kSuccess;
  }
  return kInvalidContext;
}

int cuCtxSynchronize() {
  Call in("cuCtxSynchronize", Needs::Context, none);
  if (in) return in.result();
  if (spoils_captures()) return kCaptureUnsupported;
  return run_all(current_device()) ? kSuccess : lost_code();
}

int cuModuleLoadData(Handle* module, const void* image) {
  Call in("cuModuleLoadData", Needs::Context, none);
  if (in) return in.result();
  std::string log;
  return load(in, module, image, log);
}

int cuModuleLoadDataEx(Handle* module, const void* image, unsigned count, int* options,
                       void** values) {
  Call in("cuModuleLoadDataEx", Needs::Context, none);
  if (in) return in.result();
  if (count > 0 && (options == nullptr || values == nullptr)) return kInvalidValue;
  std::string log;
  const int result = load(in, module, image, log);
  char* buffer = nullptr;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5) buffer = static_cast<char*>(values[i]);
    if (options[i] == 6) bytes = reinterpret_cast<std::size_t>(values[i]);
  }
  if (buffer != nullptr && bytes > 0) {
    std::strncpy(buffer, log.c_str(), bytes - 1);
    buffer[bytes - 1] = '\0';
  }
  return result;
}

int cuModuleUnload(Handle module) {
  Call in("cuModuleUnload", Needs::Context, [&] { return name_of(module); });
  if (!in.may_destroy()) return in.result();
  int why = kSuccess;
  if (find(Kind::Module, module, why) == nullptr) return in.destroyed(why);
  std::erase_if(in.s.objects, [&](const auto& entry) {
    return entry.first == module ||
           (entry.second.kind == Kind::Function && entry.second.module == module);
  });
  return in.destroyed(kSuccess);
}

int cuModuleGetFunction(Handle* function, Handle module, const char* name) {
  Call in("cuModuleGetFunction", Needs::Context,
          [&] { return fmt::format("{}, {}", name_of(module), name == nullptr ? "" : name); });
  if (in) return in.result();
  if (function == nullptr || name == nullptr) return kInvalidValue;
  int why = kSuccess;
  Object* object = find(Kind::Module, module, why);
  if (object == nullptr) return why;
  for (const Kernel& kernel : object->kernels) {
    if (kernel.name != name) continue;
    *function = make(Kind::Function);
    Object& made = in.s.objects.at(*function);
    made.module = module;
    made.kernel = kernel;
    return kSuccess;
  }
  return kNotFound;
}

int cuFuncGetAttribute(int* value, int which, Handle function) {
  Call in("cuFuncGetAttribute", Needs::Context,
          [&] { return fmt::format("{}, {}", which, name_of(function)); });
  if (in) return in.result();
  int why = kSuccess;
  const Object* object = find(Kind::Function, function, why);
  if (object == nullptr) return why;
  if (value == nullptr) return kInvalidValue;
  switch (which) {
    case 1: *value = 0; return kSuccess;   // static shared memory
    case 3: *value = 16; return kSuccess;  // local memory
    case 4: *value = 24; return kSuccess;  // registers
    case 8: *value = object->shared_bytes; return kSuccess;
    default: return kInvalidValue;
  }
}

int cuFuncSetAttribute(Handle function, int which, int value) {
  Call in("cuFuncSetAttribute", Needs::Context,
          [&] { return fmt::format("{}, {} = {}", name_of(function), which, value); });
  if (in) return in.result();
  int why = kSuccess;
  Object* object = find(Kind::Function, function, why);
  if (object == nullptr) return why;
  if (which != 8 || value < 0 || value > most_shared(in.s)) return kInvalidValue;
  object->shared_bytes = value;
  return kSuccess;
}

}  // extern "C"
