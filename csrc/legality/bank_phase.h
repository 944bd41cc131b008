#pragma once

#include <cstdint>
#include <vector>

namespace selvage {

// Shared memory is 32 banks of 4-byte words; word w lies in bank w % 32. Threads go to it in
// phases: 32 consecutive threads for accesses of up to 4 bytes, 16 for 8 bytes, 8 for 16 bytes,
// which is 128 bytes a phase at most. In a phase each bank delivers one word at a time, to all
// threads that ask for it; the *degree* of the phase is how many distinct words the busiest bank is
// asked for.
inline constexpr std::int64_t kBanks = 32;
inline constexpr std::int64_t kWordBytes = 4;

// The bytes of a unit, which one thread moves in a phase: a word or a wider access. And the threads
// of a phase: as many as there are units in all banks.
constexpr std::int64_t unit_bytes(std::int64_t access_bytes) {
  return access_bytes > kWordBytes ? access_bytes : kWordBytes;
}
constexpr std::int64_t phase_threads(std::int64_t access_bytes) {
  return kBanks * kWordBytes / unit_bytes(access_bytes);
}
// The degree of a phase whose threads go to these units (byte address / unit_bytes, rounded down);
// `groups` is phase_threads. 1 if there is no thread. Sorts the units.
std::int64_t phase_degree(std::vector<std::int64_t>& units, std::int64_t groups);

}  // namespace selvage
