#pragma once

#include <array>
#include <cstdint>

namespace selvage {

// Random numbers that any thread can compute by itself, in any order: each is a function of a
// counter and a key (Philox4x32-10 of Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As
// Easy as 1, 2, 3, 2011).
using PhiloxWords = std::array<std::uint32_t, 4>;
PhiloxWords philox(PhiloxWords counter, std::array<std::uint32_t, 2> key);

// Number n of the sequence of a seed, each as 64 bits: word n % 4 of philox(n / 4, seed), the same
// as word n of cuRAND's curand_init(seed, 0, 0).
std::uint32_t random_bits(std::uint64_t seed, std::uint64_t n);
// Such a number as a float in [0, 1): one of 2^24 equally likely multiples of 2^-24.
float uniform_of(std::uint32_t bits);
// The same as a normally distributed float of mean 0 and variance 1: the point x below which lies
// a share of (w + 0.5) / 2^32 of that distribution, w being `bits` in another order. Between -6.4
// and 6.4, off by at most 1e-6 of itself. It is made of additions, products, quotients and roots
// alone, which round alike on all machines.
float normal_of(std::uint32_t bits);

}  // namespace selvage
