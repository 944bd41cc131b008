#include <selvage/base/diagnostic.h>
#include <selvage/runtime/launch_shape.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

std::string refusal(const LaunchShape& shape) {
  return refusal_by<Error>([&] { check_launch(shape); });
}

TEST(LaunchShape, TheLargestShapeOfEachKindIsAccepted) {
  EXPECT_EQ(refusal({.grid = {2147483647, 65535, 65535}, .block = {1024, 1, 1}}), "accepted");
  EXPECT_EQ(refusal({.block = {1, 1024, 1}}), "accepted");
  EXPECT_EQ(refusal({.block = {16, 1, 64}, .shared_bytes = 232448}), "accepted");
  EXPECT_EQ(refusal({.grid = {0, 1, 1}}), "accepted");
}

TEST(LaunchShape, EachLimitIsRefusedByName) {
  EXPECT_EQ(refusal({.block = {2048, 1, 1}}),
            "selvage: error[E703]: block.x is 2048; CUDA allows 1 to 1024; "
            "help: bind a loop of at most 1024 to TIDx");
  EXPECT_EQ(refusal({.block = {1, 1, 65}}),
            "selvage: error[E703]: block.z is 65; CUDA allows 1 to 64; "
            "help: bind a loop of at most 64 to TIDz");
  EXPECT_EQ(refusal({.block = {32, 33, 1}}),
            "selvage: error[E703]: a block of 32 x 33 x 1 has 1056 threads; CUDA allows 1024; "
            "help: split the loops bound to threads by smaller factors");
  EXPECT_EQ(refusal({.grid = {2147483648, 1, 1}}),
            "selvage: error[E703]: grid.x is 2147483648; CUDA allows 0 to 2147483647; "
            "help: give each thread more items: split, and leave the inner loop serial");
  EXPECT_EQ(refusal({.grid = {1, 65536, 1}}),
            "selvage: error[E703]: grid.y is 65536; CUDA allows 0 to 65535; "
            "help: bind the long loop to BIDx, or merge it into the loop bound there");
  EXPECT_EQ(refusal({.grid = {1, 1, 65536}}),
            "selvage: error[E703]: grid.z is 65536; CUDA allows 0 to 65535; "
            "help: bind the long loop to BIDx, or merge it into the loop bound there");
  EXPECT_EQ(refusal({.shared_bytes = 232449}),
            "selvage: error[E703]: a block asks for 232449 bytes of shared memory; "
            "CUDA allows 0 to 232448; help: use a smaller tile");
}

TEST(LaunchShape, NoExtentBelowItsLeastIsAccepted) {
  EXPECT_EQ(refusal({.block = {0, 1, 1}}),
            "selvage: error[E703]: block.x is 0; CUDA allows 1 to 1024; "
            "help: bind a loop of at most 1024 to TIDx");
  EXPECT_NE(refusal({.grid = {-1, 1, 1}}), "accepted");
  EXPECT_NE(refusal({.shared_bytes = -1}), "accepted");
}

}  // namespace
}  // namespace selvage
