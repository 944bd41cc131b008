// Random accesses for the property tests of legality. Each is built to be legal, as people
// schedule; then, in three of four, one number is changed by little. About half of all are illegal,
// and near misses are common on both sides.
#pragma once

#include <random>

#include "tests/oracle/access_case.h"

namespace selvage::oracle {

// One to four axes, contiguous from some axis inwards, strides outside of it padded or not, axes of
// extent 1 anywhere; neighbours merged, split by a tile, then by the vector; what is left split,
// resized and swizzled. Sometimes a view, or any graph and layout at all.
AccessCase random_vector_case(std::mt19937_64& rng);

// A tile in shared memory, with a reader that goes through it in another order: rows padded, or
// columns permuted by the row (xor or cyclic), or plain; with and without vectors.
AccessCase random_bank_case(std::mt19937_64& rng);

// A buffer whose allocation domain is split, padded and merged from its logical domain, so that it
// has holes; a writer over the one, a reader over the other or over the same, guarded or not.
AccessCase random_fill_case(std::mt19937_64& rng);

// A tensor copied in tiles by TMA: axes merged into dimensions, each bound whole, or split by its
// box, or split again by the element stride, or stepped through; other loops cut up and merged.
AccessCase random_tma_case(std::mt19937_64& rng);

// The case with one number changed: by at most 4, doubled or halved, an alignment to any power of
// two up to 32. Returns the case itself if no well-formed change was found.
AccessCase near_miss(std::mt19937_64& rng, const AccessCase& access);

}  // namespace selvage::oracle
