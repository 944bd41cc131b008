#include <algorithm>
#include <atomic>
#include <cstring>

#include "tests/driver_stub/state.h"

namespace driver_stub {

EncodedMap decode_map(const void* map);  // tensor_map.cpp

namespace {

thread_local int device_of_thread = -1;

const char* text_of(Kind kind) {
  switch (kind) {
    case Kind::Module: return "module";
    case Kind::Function: return "function";
    case Kind::Stream: return "stream";
    case Kind::Event: return "event";
    case Kind::Graph: return "graph";
    case Kind::GraphExec: return "executable graph";
  }
  return "";
}

class Controls final : public Control {
 public:
  void reset() override {
    const std::lock_guard lock(s.mutex);
    s.lists_calls = true;
    s.calls.clear();
    s.counts.clear();
    s.total = 0;
    s.faults.clear();
    s.kernel_faults.clear();
    s.runs.clear();
    s.on_run = nullptr;
    s.duration = nullptr;
    s.durations.clear();
    s.is_initialized = false;
    s.attributes.clear();
    s.version = 13000;
    s.devices = 1;
    s.major = 9;
    s.minor = 0;
    s.cubin_version = 0;
    s.has_pools = true;
    s.memory = std::size_t{8} << 30;
    s.context_users.clear();
    s.lost.clear();
    s.next_number.clear();
    s.objects.clear();
    s.default_streams.clear();
    s.allocations.clear();
  }
  std::vector<std::string> calls() override {
    const std::lock_guard lock(s.mutex);
    return s.calls;
  }
  int count(const std::string& call) override {
    const std::lock_guard lock(s.mutex);
    return call.empty() ? s.total : s.counts[call];
  }
  void forget_calls() override {
    const std::lock_guard lock(s.mutex);
    s.calls.clear();
    s.counts.clear();
    s.total = 0;
  }
  void list_calls(bool on) override {
    const std::lock_guard lock(s.mutex);
    s.lists_calls = on;
  }
  void fail(const Fault& fault) override {
    const std::lock_guard lock(s.mutex);
    s.faults.push_back({fault});
  }
  void fail_none() override {
    const std::lock_guard lock(s.mutex);
    s.faults.clear();
  }
  void set_kernel_fault(const std::string& kernel, int code) override {
    const std::lock_guard lock(s.mutex);
    s.kernel_faults[kernel] = code;
  }
  std::string held() override {
    const std::lock_guard lock(s.mutex);
    std::vector<std::string> parts;
    const auto add = [&](int n, const std::string& what, const std::string& more = "") {
      if (n > 0) parts.push_back(fmt::format("{} {}{}{}", n, what, n == 1 ? "" : "s", more));
    };
    std::size_t bytes = 0;
    for (const auto& [address, allocation] : s.allocations) bytes += allocation.bytes;
    add(int(s.allocations.size()), "allocation", fmt::format(" of {} bytes", bytes));
    std::map<Kind, int> kinds;
    for (const auto& [handle, object] : s.objects) ++kinds[object.kind];
    kinds.erase(Kind::Function);  // a module's
    for (const auto& [kind, n] : kinds) add(n, text_of(kind));
    int users = 0;
    for (const auto& [device, n] : s.context_users) users += n;
    add(users, "context");
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  void set_driver_version(int version) override { set(s.version, version); }
  void set_devices(int count) override { set(s.devices, count); }
  void set_memory(std::size_t bytes) override { set(s.memory, bytes); }
  void set_pools(bool supported) override { set(s.has_pools, supported); }
  void set_capability(int major, int minor) override {
    set(s.major, major);
    set(s.minor, minor);
  }
  void set_duration(std::function<double(const Run&)> of) override {
    const std::lock_guard lock(s.mutex);
    s.duration = std::move(of);
  }
  void set_attribute(int which, int value) override {
    const std::lock_guard lock(s.mutex);
    s.attributes[which] = value;
  }
  void set_cubin_version(int version) override { set(s.cubin_version, version); }
  int runs(const std::string& kernel) override {
    const std::lock_guard lock(s.mutex);
    return s.runs[kernel];
  }
  void on_run(std::function<void(const Run&)> action) override { set(s.on_run, std::move(action)); }
  EncodedMap decode(const void* tensor_map) override { return decode_map(tensor_map); }

 private:
  template <class Value>
  void set(Value& place, Value value) {
    const std::lock_guard lock(s.mutex);
    place = std::move(value);
  }
  State& s = state();
};

}  // namespace

State& state() {
  static State& state = *new State;  // outlives every caller
  return state;
}

int current_device() { return device_of_thread; }
void set_current_device(int device) { device_of_thread = device; }

std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t number = next++;
  return number;
}

bool Call::count(const char* name) {
  auto at = s.counts.find(std::string_view(name));
  if (at == s.counts.end()) at = s.counts.emplace(name, 0).first;
  ++at->second;
  const std::string_view n = name;
  if (n == "cuGetErrorString") return false;
  ++s.total;
  return n != "cuCtxGetCurrent" && n != "cuCtxSetCurrent";
}

int Call::judge(const char* name, Needs needs) {
  const bool tells_words = std::strcmp(name, "cuGetErrorString") == 0;
  for (State::Armed& armed : s.faults) {
    const Fault& fault = armed.fault;
    const bool is_meant = fault.call.empty() ? !tells_words : fault.call == name;
    armed.seen += is_meant;
    const bool strikes = is_meant && armed.seen == fault.nth;
    const bool goes_on = armed.has_struck && fault.is_sticky && !tells_words;
    armed.has_struck |= strikes;
    if (strikes || goes_on) return is_told_ = true, fault.code;
  }
  if (needs == Needs::Nothing) return kSuccess;
  if (!s.is_initialized) return kNotInitialized;
  if (needs == Needs::Init) return kSuccess;
  const int device = current_device();
  if (device < 0 || s.context_users[device] == 0) return kInvalidContext;
  const int lost = lost_code();
  is_told_ = lost != 0;
  return lost;
}

int lost_code() {
  const auto at = state().lost.find(current_device());
  return at == state().lost.end() ? 0 : at->second;
}

std::string name_of(Handle handle) {
  if (handle == 0) return "default stream";
  const auto at = state().objects.find(handle);
  if (at == state().objects.end()) return "unknown";
  const Object& object = at->second;
  if (object.kind == Kind::Function) return object.kernel.name;
  return fmt::format("{} {}", text_of(object.kind), object.number);
}

Handle make(Kind kind) {
  State& s = state();
  const Handle handle = s.next_handle += 16;
  Object object{.kind = kind};
  object.number = ++s.next_number[kind];
  object.device = current_device();
  s.objects.emplace(handle, std::move(object));
  return handle;
}

Object* find(Kind kind, Handle handle, int& why) {
  const auto at = state().objects.find(handle);
  if (at == state().objects.end() || at->second.kind != kind) {
    why = kInvalidHandle;
    return nullptr;
  }
  if (at->second.device != current_device()) {
    why = kInvalidContext;
    return nullptr;
  }
  why = kSuccess;
  return &at->second;
}

const char* words(int code) {
  switch (code) {
    case 1: return "invalid argument";
    case 2: return "out of memory";
    case 3: return "initialization error";
    case 34: return "CUDA driver is a stub library";
    case 100: return "no CUDA-capable device is detected";
    case 101: return "invalid device ordinal";
    case 200: return "device kernel image is invalid";
    case 201: return "invalid device context";
    case 209: return "no kernel image is available for execution on the device";
    case 214: return "uncorrectable ECC error encountered";
    case 218: return "a PTX JIT compilation failed";
    case 222: return "the provided PTX was compiled with an unsupported toolchain.";
    case 400: return "invalid resource handle";
    case 500: return "named symbol not found";
    case 600: return "device not ready";
    case 700: return "an illegal memory access was encountered";
    case 701: return "too many resources requested for launch";
    case 716: return "misaligned address";
    case 719: return "unspecified launch failure";
    case 801: return "operation not supported";
    case 900: return "operation not permitted when stream is capturing";
    case 901: return "operation failed due to a previous error during capture";
    case 903: return "capture was not ended in the same stream as it began";
    case 905: return "dependency created on uncaptured work in another stream";
    case 907: return "operation not permitted on an event last recorded in a capturing stream";
    case 908: return "attempt to terminate a thread-local capture sequence from another thread";
    default: return nullptr;
  }
}

}  // namespace driver_stub

extern "C" driver_stub::Control* driver_stub_control() {
  static auto& controls = *new driver_stub::Controls;
  return &controls;
}
