#include <selvage/base/philox.h>

#include <bit>
#include <cmath>

namespace selvage {

namespace {

constexpr int kRounds = 10;

// -log((t + 0.5) / 2^32): t + 0.5 is z * 2^e with z from 0.707 to 1.414, and the logarithm of z
// a polynomial (Cephes, logf).
float minus_log(std::uint32_t t) {
  const float y = float(std::int32_t(t)) + 0.5F;
  const auto bits = std::bit_cast<std::int32_t>(y);
  const std::int32_t e = (bits - 0x3f3504f3) >> 23;
  const float f = std::bit_cast<float>(std::uint32_t(bits) - (std::uint32_t(e) << 23)) - 1.0F;
  float p = 7.0376836292e-2F;
  for (float c : {-1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
                  -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F}) {
    p = p * f + c;
  }
  const float log_z = f - 0.5F * (f * f) + f * (f * f) * p;
  return float(32 - e) * 0.69314718056F - log_z;
}

}  // namespace

PhiloxWords philox(PhiloxWords counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t q = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {std::uint32_t(q >> 32) ^ counter[1] ^ key[0], std::uint32_t(q),
               std::uint32_t(p >> 32) ^ counter[3] ^ key[1], std::uint32_t(p)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

std::uint32_t random_bits(std::uint64_t seed, std::uint64_t n) {
  const PhiloxWords words = philox({std::uint32_t(n >> 2), std::uint32_t(n >> 34), 0, 0},
                                   {std::uint32_t(seed), std::uint32_t(seed >> 32)});
  return words[n % 4];
}

float uniform_of(std::uint32_t bits) { return float(bits >> 8) * 0x1p-24F; }

// Wichura, Algorithm AS 241 (PPND7), 1988. The first bit is the sign; the others, m, say how far
// from 0: a share of (m + 0.5) / 2^32 lies between 0 and x, and (t + 0.5) / 2^32 beyond x.
float normal_of(std::uint32_t bits) {
  const std::uint32_t m = bits & 0x7fffffff, t = 0x7fffffff - m;
  float x;
  if (m <= 1825361100) {  // a share of 0.425
    const float q = (float(std::int32_t(m)) + 0.5F) * 0x1p-32F, r = 0.180625F - q * q;
    const float above =
        ((59.109374720F * r + 159.29113202F) * r + 50.434271938F) * r + 3.3871327179F;
    const float below = ((67.187563600F * r + 78.757757664F) * r + 17.895169469F) * r + 1.0F;
    x = q * above / below;
  } else {
    const float r = std::sqrt(minus_log(t)) - 1.6F;
    const float above =
        ((0.17023821103F * r + 1.3067284816F) * r + 2.7568153900F) * r + 1.4234372777F;
    const float below = (0.12021132975F * r + 0.73700164250F) * r + 1.0F;
    x = above / below;
  }
  return bits >> 31 != 0 ? -x : x;
}

}  // namespace selvage
