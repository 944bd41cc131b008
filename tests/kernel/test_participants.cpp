// Which of the hardware's numbers sets of threads wait at.
#include <selvage/kernel/participants.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace selvage {

namespace {

// Of a block of 32 warps, those whose bits are set.
Participants warps(std::uint32_t which) {
  Participants members{.threads = 1024, .active = 0, .lanes = {}};
  for (int w = 0; w < 32; ++w) {
    const bool is_in = ((which >> w) & 1) != 0;
    members.lanes.push_back(is_in ? Barrier::kAllLanes : 0);
    members.active += is_in ? 32 : 0;
  }
  return members;
}
constexpr std::uint32_t kLow = 0x3, kHigh = 0xc;

TEST(Participants, AnotherSetTakesANumberOverBehindABarrierOfTheBlock) {
  BarrierNumbers points;
  EXPECT_EQ(points.barrier_of(warps(kLow))->id, 1);
  EXPECT_EQ(points.barrier_of(warps(kHigh))->id, 2);
  EXPECT_EQ(points.barrier_of(warps(kLow))->id, 1);
  points.block_has_joined();
  EXPECT_EQ(points.barrier_of(warps(0x30))->id, 1);
}

// A late barrier may stand anywhere, so also where its number still was another's.
TEST(Participants, NoLateBarrierHasANumberThatWasGivenAgain) {
  BarrierNumbers points;
  ASSERT_EQ(points.barrier_of(warps(kLow))->id, 1);
  points.block_has_joined();
  ASSERT_EQ(points.barrier_of(warps(kHigh))->id, 1);
  EXPECT_FALSE(points.late_barrier_of(warps(kHigh)).has_value());
  EXPECT_FALSE(points.late_barrier_of(warps(kLow)).has_value());
  // Those of one warp, and the whole block, need none.
  EXPECT_EQ(points.late_barrier_of(warps(0x1))->scope, Barrier::Scope::Warp);
  EXPECT_EQ(points.late_barrier_of(warps(~0u))->scope, Barrier::Scope::Block);
}

TEST(Participants, ALateBarrierHasItsOwnNumberOrANewOne) {
  BarrierNumbers points;
  ASSERT_EQ(points.barrier_of(warps(kLow))->id, 1);
  points.block_has_joined();
  EXPECT_EQ(points.late_barrier_of(warps(kLow))->id, 1);
  EXPECT_EQ(points.late_barrier_of(warps(kHigh))->id, 2);
  EXPECT_EQ(points.late_barrier_of(warps(0x30))->id, 3);
}

TEST(Participants, ALateBarrierWithoutANumberIsNone) {
  BarrierNumbers points;
  for (std::uint32_t k = 0; k < 15; ++k) {
    ASSERT_EQ(points.barrier_of(warps(kLow << (2 * k)))->id, int(k) + 1);
  }
  EXPECT_FALSE(points.late_barrier_of(warps(0x7)).has_value());
  EXPECT_EQ(points.late_barrier_of(warps(kHigh))->id, 2);
  points.block_has_joined();
  EXPECT_FALSE(points.late_barrier_of(warps(0x7)).has_value()) << "whose numbers are they earlier?";
}

// Of two barriers one after the other, that which joins all whom the other joins is enough.
TEST(RepeatedBarriers, OnlyThoseThatJoinNobodyElseAreDropped) {
  using Scope = Barrier::Scope;
  const auto left = [](Barrier a, Barrier b) {
    Body body = {{a}, {b}};
    drop_repeated_barriers(body);
    std::vector<Scope> scopes;
    for (const Statement& s : body) scopes.push_back(std::get<Barrier>(s.node).scope);
    return scopes;
  };
  const Barrier block, warp{.scope = Scope::Warp};
  const Barrier low{.scope = Scope::Warp, .lanes = 0x3}, high{.scope = Scope::Warp, .lanes = 0xc};
  using testing::ElementsAre;
  EXPECT_THAT(left(warp, block), ElementsAre(Scope::Block));
  EXPECT_THAT(left(block, warp), ElementsAre(Scope::Block));
  EXPECT_THAT(left(low, low), ElementsAre(Scope::Warp));
  EXPECT_THAT(left(low, high), ElementsAre(Scope::Warp, Scope::Warp));
}

}  // namespace

}  // namespace selvage
