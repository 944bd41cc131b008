#include <selvage/kernel/warp_request.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(WarpRequest, TakesAWavefrontForEachPhaseAndConflict) {
  WarpRequest request;
  for (int lane = 0; lane < kWarp; ++lane) request.add(lane, 4 * lane);
  EXPECT_EQ(wavefronts_of(request).all, 1);
  for (int lane = 0; lane < kWarp; ++lane) request.add(lane, 128 * lane);
  EXPECT_EQ(wavefronts_of(request).all, 32);
  EXPECT_EQ(wavefronts_of(request).conflicts, 31);
}

// Of bulk copies each fills whole lines, however long it is.
TEST(WarpRequest, OfBulkCopiesTakesWholeLines) {
  for (const std::int64_t bytes : {32, 128, 4096}) {
    WarpRequest request;
    request.bytes = bytes;
    request.add(0, 0);
    request.add(7, 1 << 20);
    EXPECT_EQ(wavefronts_of(request).all, 2 * ((bytes + 127) / 128)) << bytes;
    EXPECT_EQ(wavefronts_of(request).conflicts, 0);
  }
}

}  // namespace
}  // namespace selvage
