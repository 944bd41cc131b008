#include <selvage/base/random.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

// The numbers published for these seeds.
TEST(SplitMix64, DrawsThePublishedNumbers) {
  SplitMix64 zero(0), other(1234567);
  for (const std::uint64_t expected :
       {0xE220A8397B1DCDAFu, 0x6E789E6AA1B965F4u, 0x06C45D188009454Fu, 0xF88BB8A8724C81ECu}) {
    EXPECT_EQ(zero.next(), expected);
  }
  for (const std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u}) {
    EXPECT_EQ(other.next(), expected);
  }
}

}  // namespace
}  // namespace selvage
