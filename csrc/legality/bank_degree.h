#pragma once

#include <selvage/legality/bank_phase.h>
#include <selvage/legality/warp_access.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace selvage {

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
