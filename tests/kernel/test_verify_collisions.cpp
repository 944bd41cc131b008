// Which threads can meet, by what their addresses tell of them.
#include <selvage/kernel/verify_collisions.h>

#include <gtest/gtest.h>

#include "tests/kernel/verify_case.h"

namespace selvage {
namespace {

using namespace test;

TEST(CollisionsOfSignatures, AreWithinAWarpOrAcrossWarps) {
  VerifyCase c(64);
  const AccessMap map(c.with({}));
  const Expr t = map.threads()[0];
  const auto met = [&](Expr signature, std::vector<Expr> first, std::vector<Expr> second) {
    const Expr signatures[] = {signature};
    const Collisions found = collisions_of_signatures(map, {64, 1, 1}, signatures, first, second);
    EXPECT_TRUE(found.is_known);
    return std::pair(found.across.has_value(), found.within.has_value());
  };
  EXPECT_EQ(met(t, {}, {}), std::pair(false, false));
  EXPECT_EQ(met(t / 32, {}, {}), std::pair(false, true));
  EXPECT_EQ(met(t % 32, {}, {}), std::pair(true, false));
  EXPECT_EQ(met(t % 16, {}, {}), std::pair(true, true));
  EXPECT_EQ(met(t % 16, {t < 32}, {t < 32}), std::pair(false, true));
  EXPECT_EQ(met(t % 16, {t < 16}, {31 < t}), std::pair(true, false));
}

}  // namespace
}  // namespace selvage
