// Device memory: allocations, copies, fills.
#include <cstdlib>
#include <cstring>

#include "tests/driver_stub/state.h"

namespace driver_stub {

namespace {

void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

int allocate(Call& in, std::uint64_t* address, std::size_t bytes) {
  if (address == nullptr || bytes == 0) return kInvalidValue;
  std::size_t used = 0;
  for (const auto& [a, allocation] : in.s.allocations) {
    if (allocation.device == current_device()) used += allocation.bytes;
  }
  if (bytes > in.s.memory || used > in.s.memory - bytes) return kOutOfMemory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return kOutOfMemory;
  // Nothing that a test may rely on.
  std::memset(memory, 0xA5, std::min<std::size_t>(bytes, std::size_t{1} << 20));
  *address = reinterpret_cast<std::uint64_t>(memory);
  Allocation& allocation = in.s.allocations[*address];
  allocation.bytes = bytes;
  allocation.device = current_device();
  allocation.memory.reset(static_cast<std::byte*>(memory));
  return kSuccess;
}

// One copy, waited for or given to a stream.
int copy(std::uint64_t device_to, std::uint64_t device_from, const void* to, const void* from,
         std::size_t bytes, Handle stream, bool waits) {
  if (device_to != 0 && !is_memory(device_to, bytes)) return kInvalidValue;
  if (device_from != 0 && !is_memory(device_from, bytes)) return kInvalidValue;
  if (to == nullptr || from == nullptr) return kInvalidValue;
  if (waits && spoils_captures()) return kCaptureUnsupported;
  // What comes from the host is read at once, as from memory that is not page-locked.
  std::function<void()> action;
  if (device_from == 0) {
    const auto* first = static_cast<const std::byte*>(from);
    action = [=, kept = std::vector<std::byte>(first, first + bytes)] {
      std::memcpy(const_cast<void*>(to), kept.data(), bytes);
    };
  } else {
    action = [=] { std::memmove(const_cast<void*>(to), from, bytes); };
  }
  const int result = enqueue(stream, std::move(action));
  if (result != kSuccess || !waits) return result;
  return run_until(stream, UINT64_MAX) ? kSuccess : lost_code();
}

}  // namespace

bool is_memory(std::uint64_t address, std::size_t bytes) {
  auto& allocations = state().allocations;
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin()) return false;
  const auto& [start, allocation] = *--next;
  return address - start <= allocation.bytes && bytes <= allocation.bytes - (address - start);
}

std::string place_of(std::uint64_t address) {
  auto& allocations = state().allocations;
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin() || !is_memory(address, 1)) return "unknown";
  --next;
  return fmt::format("{} bytes + {}", next->second.bytes, address - next->first);
}

}  // namespace driver_stub

using namespace driver_stub;

extern "C" {

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  Call in("cuMemAlloc_v2", Needs::Context, [&] { return fmt::format("{}", bytes); });
  if (in) return in.result();
  if (spoils_captures()) return kCaptureUnsupported;
  return allocate(in, address, bytes);
}

int cuMemFree_v2(std::uint64_t address) {
  Call in("cuMemFree_v2", Needs::Context, [&] { return place_of(address); });
  if (!in.may_destroy()) return in.result();
  if (!in.s.allocations.contains(address)) return in.destroyed(kInvalidValue);
  run_all(in.s.allocations.at(address).device);
  in.s.allocations.erase(address);
  return in.destroyed(kSuccess);
}

int cuMemAllocAsync(std::uint64_t* address, std::size_t bytes, Handle stream) {
  Call in("cuMemAllocAsync", Needs::Context,
          [&] { return fmt::format("{}, {}", bytes, name_of(stream)); });
  if (in) return in.result();
  if (!in.s.has_pools) return kNotSupported;
  int why = kSuccess;
  if (find_stream(stream, why) == nullptr) return why;
  return allocate(in, address, bytes);
}

int cuMemFreeAsync(std::uint64_t address, Handle stream) {
  Call in("cuMemFreeAsync", Needs::Context,
          [&] { return fmt::format("{}, {}", place_of(address), name_of(stream)); });
  if (!in.may_destroy()) return in.result();
  int why = kSuccess;
  if (find_stream(stream, why) == nullptr) return in.destroyed(why);
  if (!in.s.allocations.contains(address)) return in.destroyed(kInvalidValue);
  run_until(stream, UINT64_MAX);
  in.s.allocations.erase(address);
  return in.destroyed(kSuccess);
}

int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  Call in("cuMemcpyHtoD_v2", Needs::Context,
          [&] { return fmt::format("{}, {}", place_of(to), bytes); });
  return in ? in.result() : to == 0 ? kInvalidValue : copy(to, 0, at(to), from, bytes, 0, true);
}

int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  Call in("cuMemcpyDtoH_v2", Needs::Context,
          [&] { return fmt::format("{}, {}", place_of(from), bytes); });
  return in ? in.result() : from == 0 ? kInvalidValue : copy(0, from, to, at(from), bytes, 0, true);
}

int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, Handle stream) {
  Call in("cuMemcpyHtoDAsync_v2", Needs::Context,
          [&] { return fmt::format("{}, {}, {}", place_of(to), bytes, name_of(stream)); });
  if (in) return in.result();
  return to == 0 ? kInvalidValue : copy(to, 0, at(to), from, bytes, stream, false);
}

int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, Handle stream) {
  Call in("cuMemcpyDtoHAsync_v2", Needs::Context,
          [&] { return fmt::format("{}, {}, {}", place_of(from), bytes, name_of(stream)); });
  if (in) return in.result();
  return from == 0 ? kInvalidValue : copy(0, from, to, at(from), bytes, stream, false);
}

int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, Handle stream) {
  Call in("cuMemcpyDtoDAsync_v2", Needs::Context, [&] {
    return fmt::format("{}, {}, {}, {}", place_of(to), place_of(from), bytes, name_of(stream));
  });
  if (in) return in.result();
  if (to == 0 || from == 0) return kInvalidValue;
  return copy(to, from, at(to), at(from), bytes, stream, false);
}

int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, Handle stream) {
  Call in("cuMemsetD8Async", Needs::Context, [&] {
    return fmt::format("{}, {}, {}, {}", place_of(to), value, bytes, name_of(stream));
  });
  if (in) return in.result();
  if (!is_memory(to, bytes)) return kInvalidValue;
  return enqueue(stream, [=] { std::memset(at(to), value, bytes); });
}

}  // extern "C"
