#pragma once

#include <array>
#include <cstdint>

namespace selvage {

// CUDA's limits on every device that Selvage emits for, along x, y, z.
inline constexpr std::array<std::int64_t, 3> kMaxGrid{2147483647, 65535, 65535};
inline constexpr std::array<std::int64_t, 3> kMaxBlock{1024, 1024, 64};
inline constexpr std::int64_t kMaxThreads = 1024;  // x * y * z of a block

// Blocks of a cluster: the most that devices with clusters may run, and the most that all of them
// do; a kernel is to ask for more than that by name.
inline constexpr std::int64_t kMaxClusterBlocks = 16, kPortableClusterBlocks = 8;

// Registers of 4 bytes: those of a multiprocessor, and the most that a thread may have.
inline constexpr std::int64_t kRegisters = 64 << 10, kMaxThreadRegisters = 255;
// What threads may have after they have taken or given some (setmaxnreg), and what each begins with
// in a block of so many threads that has a multiprocessor for itself.
inline constexpr std::int64_t kRegisterStep = 8, kLeastSetRegisters = 24, kMostSetRegisters = 256;
constexpr std::int64_t registers_at_entry(std::int64_t threads) {
  const std::int64_t own = kRegisters / threads;
  return (own < kMaxThreadRegisters ? own : kMaxThreadRegisters) / kRegisterStep * kRegisterStep;
}

// Shared memory of a block: the most that a kernel may declare, and the most that a launch may ask
// for on the devices that have most (compute capability 9.0). A launch that asks for more than its
// device has is refused.
inline constexpr std::int64_t kMaxStaticSharedBytes = 48 << 10;
inline constexpr std::int64_t kMaxSharedBytes = 227 << 10;
// What a block keeps in global memory instead (Launch::Workspace), at most; and what a device may
// run at once, of any number of multiprocessors so far.
inline constexpr std::int64_t kMaxWorkspaceBytes = 16 << 20;
inline constexpr std::int64_t kMostMultiprocessors = 160, kResidentThreads = 2048,
                              kResidentBlocks = 32;
inline constexpr std::int64_t kWidestAccess = 16;  // bytes
// Whether one instruction copies so many bytes to shared memory and ends later (cp.async).
constexpr bool is_copied_at_once(std::int64_t bytes) {
  return bytes == 4 || bytes == 8 || bytes == kWidestAccess;
}
inline constexpr std::int64_t kSharedAlignment = kWidestAccess;  // of each array in it

}  // namespace selvage
