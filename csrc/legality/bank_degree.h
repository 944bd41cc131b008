#pragma once

#include <selvage/legality/warp_access.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
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

// Threads of one phase that meet in a bank at different words.
struct BankCollision {
  struct Thread {
    std::int64_t number = 0;  // in the block
    std::int64_t word = 0;    // from the tensor's base
    Point point = {};         // of all loops but Vectorize
  };
  std::int64_t warp = 0, phase = 0;  // the phase in the warp's access
  std::int64_t bank = 0;             // the first of those they meet in, the base lying in bank 0
  std::vector<Thread> threads;       // one for each word
};

// How one side of a tensor's traffic meets the banks: the maximum over phases, warps and all values
// of serial and block loops.
struct BankAccess {
  std::optional<std::int64_t> degree;  // nothing: not known
  std::string by = {};                 // how it is known: "rank over GF(2)", "exact enumeration"
  std::string why_unknown = {};        // the rest of "it is not known, for ..."
  std::optional<BankCollision> collision = {};  // where the degree is more than 1
};

// Exact or unknown, never a guess.
//
// Terms of the address that add the same whole units for all threads of a phase shift the banks and
// change no degree: they are dropped. If what is left is affine over GF(2) in the bits of the
// thread's number, the degree without guards is 2^(rank of unit bits - rank of bank bits);
// doc/theory.md has the proof. Otherwise the degree is counted, over the loops that matter, each up
// to its period. Guards only take threads away, so the degree without guards is an upper bound, and
// a point that reaches it decides.
BankAccess bank_degree(const WarpAccess& access, const Facts& ranges);

}  // namespace selvage
