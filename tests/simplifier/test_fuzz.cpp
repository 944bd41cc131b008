// What the fuzzer checks, on bytes of a fixed seed.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/fuzz/faults.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

TEST(Fuzz, RandomBytesAreSimplifiedSoundlyAndEnd) {
  constexpr int kMost = 5;  // faults that are shrunk and told
  std::mt19937_64 rng(11);
  int found = 0;
  for (int k = 0; k < count(3000, 100000) && found < kMost; ++k) {
    std::vector<unsigned char> bytes(16 + rng() % 150);
    for (unsigned char& b : bytes) b = static_cast<unsigned char>(rng() >> 32);
    const std::string fault = fuzz::fault_of_bytes(bytes.data(), bytes.size());
    if (fault.empty()) continue;
    ++found;
    ADD_FAILURE() << "bytes " << k << ": " << fault;
  }
}

}  // namespace
}  // namespace selvage
