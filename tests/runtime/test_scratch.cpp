// Memory between kernels: whose it is, told by addresses, since the stand-in runs at once.
#include <selvage/runtime/scratch.h>
#include <selvage/runtime/stream.h>

#include <cstring>

#include "stub_driver.h"

namespace selvage {
namespace {

using namespace test;

class Scratch : public StubbedDriver {};

TEST_F(Scratch, OfTwoStreamsIsApartAndOfOneTheSame) {
  const std::unique_ptr<const Driver> driver = Driver::open(kStub);
  {
    ScratchPool pool(driver.get());
    const Stream first(*driver), second(*driver);
    const ScratchPool::Wanted bytes[] = {{64}, {256}};
    const auto taken = [&](const Stream& stream) {
      std::vector<std::uint64_t> addresses;
      pool.take(bytes, stream.handle(), addresses);
      return addresses;
    };
    const auto a = taken(first), b = taken(second);
    ASSERT_EQ(a.size(), 2U);
    EXPECT_NE(a[0], a[1]);
    EXPECT_NE(a[0], b[0]);
    EXPECT_NE(a[1], b[1]);
    EXPECT_EQ(taken(first), a);
    EXPECT_EQ(taken(second), b);
  }
}

TEST_F(Scratch, ThatBeginsAtZeroStaysAsCallsLeaveIt) {
  const std::unique_ptr<const Driver> driver = Driver::open(kStub);
  for (const Driver* on : {driver.get(), static_cast<const Driver*>(nullptr)}) {
    ScratchPool pool(on);
    const ScratchPool::Wanted wanted[] = {{4096}, {4, true}};
    std::vector<std::uint64_t> addresses;
    pool.take(wanted, {}, addresses);
    int value = 1;
    std::memcpy(&value, reinterpret_cast<const void*>(addresses[1]), sizeof value);
    EXPECT_EQ(value, 0);
  }
}

TEST(ScratchOfTheVirtualDevice, IsOfOneCallAloneUntilItReturns) {
  ScratchPool pool(nullptr);
  const ScratchPool::Wanted bytes[] = {{64}};
  std::vector<std::uint64_t> addresses;
  {
    const auto a = pool.take(bytes, {}, addresses), b = pool.take(bytes, {}, addresses);
    EXPECT_NE(addresses[0], addresses[1]);
  }
  const auto again = pool.take(bytes, {}, addresses);
  EXPECT_TRUE(addresses[2] == addresses[0] || addresses[2] == addresses[1]);
}

}  // namespace
}  // namespace selvage
