// Bugs of copies that end later which users of other frameworks have met, each as a kernel, right
// and with the bug: it is refuted with the thread and the iteration that it happens at.
#include <selvage/kernel/verify.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernel/verify_case.h"
#include "tests/support/bulk_rings.h"
#include "tests/support/copy_rings.h"

namespace selvage::copy_bugs {
namespace {

using namespace test;
using testing::HasSubstr;

template <class K>
VerifyCase::Verified verified(K& k) {
  return {verify(k.make()), k.pool};
}
template <class K, class Change>
std::string refuted_by(Hazard h, Change change, K k = K{}) {
  change(k);
  return first_text(verified(k), h);
}

// The leader of two consumers frees a slot for both (Triton #10035): the other one may still read.
TEST(CopyBugs, ALeaderFreesASlotForOthers) {
  const auto released = [](RolePipeline& k) {
    k.empty_arrivals = 1;
    k.frees_by_leader = true;
  };
  EXPECT_THAT(
      refuted_by<RolePipeline>(Hazard::Race, released),
      HasSubstr("refuted: s[0] is read by one thread and accessed by another with no barrier "
                "between: block (0, 0, 0), thread (0, 0, 0), k = 2; and block (0, 0, 0), thread "
                "(95, 0, 0), k#2 = 0"));
}

// A slot is released before what uses it has been done (nvFuser #3561, #3863).
TEST(CopyBugs, ASlotIsReleasedTooEarly) {
  EXPECT_THAT(refuted_by<RolePipeline>(Hazard::Race, [](auto& k) { k.frees_early = true; }),
              HasSubstr("refuted: s["));
}

// No barrier on the way back of the loop (TileLang #2613).
TEST(CopyBugs, NoBarrierOnTheWayBack) {
  EXPECT_THAT(refuted_by<CopyRing>(Hazard::Race,
                                   [](CopyRing& k) {
                                     k.tiles = 5;
                                     std::erase(k.parts, CopyRing::Part::Meet);
                                   }),
              HasSubstr("refuted: s["));
  EXPECT_THAT(refuted_by<BulkRing>(Hazard::Race,
                                   [](BulkRing& k) {
                                     k.tiles = 5;
                                     std::erase(k.parts, BulkRing::Part::Meet);
                                   }),
              HasSubstr("refuted: s["));
}

// A copy out of shared memory reads what threads have stored there, with no fence between (nvFuser
// #1962, cudnn-frontend #784).
TEST(CopyBugs, ACopyReadsWhatIsNotFenced) {
  const auto verdict = [](bool has_fence) {
    EventKernel k("out", 32);
    const BufferId y = k.output("y", DataType::Float, k.c(32)),
                   x = k.input("x", DataType::Float, k.c(32)),
                   s = k.shared("s", DataType::Float, 32);
    const BarrierObject done{k.objects("done", 1, 1), k.c(0)};
    Statement copy = k.begin(y, k.c(0), s, k.c(0), 32, 4, done);
    std::get<AsyncCopy>(copy.node).announces = true;
    Body body = {store(s, k.t, k.read(x, k.t))};
    if (has_fence) body.push_back({ProxyFence{}});
    body.push_back(barrier());
    body.push_back(guard(k.t <= 0, {std::move(copy), arrive(done)}));
    body.push_back(wait(done, k.c(0)));
    return first_text(verify(k.with(std::move(body))), Hazard::Race);
  };
  EXPECT_EQ(verdict(true), "proved");
  EXPECT_THAT(verdict(false), HasSubstr("is accessed by a thread and then by a copy with no proxy "
                                        "fence between: block (0, 0, 0), thread (0, 0, 0)"));
}

// A slot is read, and refilled by a copy, with no fence between (DeepEP #642).
TEST(CopyBugs, ARefillPassesReads) {
  EXPECT_THAT(refuted_by<BulkRing>(Hazard::Race,
                                   [](BulkRing& k) {
                                     k.tiles = 5;
                                     std::erase(k.parts, BulkRing::Part::Fence);
                                   }),
              HasSubstr("with no proxy fence between"));
}

// Results go out by copies from two slots, and too many copies are left under way when a slot is
// written again (DeepEP #657); or nobody waits before the loop has ended (nvFuser #5448).
TEST(CopyBugs, AResultIsOverwrittenOnItsWayOut) {
  const auto verdict = [](std::optional<std::int64_t> pending) {
    EventKernel k("out", 32);
    const Expr i = k.variable("i", k.c(6));
    const BufferId x = k.input("x", DataType::Float, k.c(192)),
                   y = k.output("y", DataType::Float, k.c(192)),
                   s = k.shared("s", DataType::Float, 64);
    Body body;
    if (pending) body.push_back(wait_for_groups(*pending));
    body.push_back(store(s, i % 2 * 32 + k.t, k.read(x, i * 32 + k.t)));
    body.push_back(k.begin(y, i * 32 + k.t, s, i % 2 * 32 + k.t));
    body.push_back(end_group());
    return first_text(verify(k.with({loop(i, k.c(6), std::move(body)), wait_for_groups(0)})),
                      Hazard::Race);
  };
  EXPECT_EQ(verdict(1), "proved");
  EXPECT_THAT(verdict(2), HasSubstr("is written where a copy that accesses it may not have ended"));
  EXPECT_THAT(verdict({}), HasSubstr("i = 2"));
}

// Copies land where the epilogue keeps something else (CUTLASS #1326, nvFuser #2000).
TEST(CopyBugs, TheRingIsNotDrained) {
  EXPECT_THAT(refuted_by<CopyRing>(Hazard::Race,
                                   [](CopyRing& k) {
                                     k.tiles = 5;
                                     k.drained = 1;
                                     k.has_epilogue = true;
                                   }),
              HasSubstr("where a copy that accesses it may not have ended"));
}

// Bytes are announced, and nobody arrives (TileLang #2566); fewer are announced than are copied
// (mirage #705), or more.
TEST(CopyBugs, AnnouncementsAndArrivalsDoNotMatch) {
  EXPECT_THAT(refuted_by<BulkRing>(Hazard::Divergence,
                                   [](BulkRing& k) {
                                     k.tiles = 1;
                                     std::erase(k.parts, BulkRing::Part::Arrive);
                                   }),
              HasSubstr("a wait for phase 0 that never ends: 0 of 32 arrivals and 512 of 512 "
                        "bytes have come"));
  EXPECT_THAT(refuted_by<RolePipeline>(Hazard::Divergence, [](auto& k) { k.bytes = 128; }),
              HasSubstr("refuted: more bytes are copied than arrivals have said"));
  EXPECT_THAT(refuted_by<RolePipeline>(Hazard::Divergence, [](auto& k) { k.bytes = 512; }),
              HasSubstr("refuted: a wait for phase 0 that never ends"));
}

// A copy that begins off a multiple of 16 bytes (TileLang #2527), or goes past the end (nvFuser
// #3917).
TEST(CopyBugs, ACopyIsNotAlignedOrNotInBounds) {
  const auto verdict = [](std::int64_t first, std::int64_t elements,
                          std::optional<std::int64_t> offset = {}) {
    EventKernel k("bulk", 32);
    const BufferId x = k.input("x", DataType::Float, k.c(elements)),
                   s = k.shared("s", DataType::Float, 32, offset);
    const BarrierObject full{k.objects("full", 1, 1), k.c(0)};
    Statement copy = k.begin(s, k.c(0), x, k.c(first), 32, 4, full);
    std::get<AsyncCopy>(copy.node).announces = true;
    return first_text(
        verify(k.with({guard(k.t <= 0, {std::move(copy), arrive(full)}), wait(full, k.c(0))})),
        Hazard::Bounds);
  };
  EXPECT_EQ(verdict(4, 36), "proved");
  EXPECT_THAT(verdict(2, 36), HasSubstr("refuted: x[2]"));
  EXPECT_THAT(verdict(4, 35), HasSubstr("refuted: x[4] is out of bounds: there are 35 elements"));
  // The tile itself begins off a multiple of 16 bytes (nvFuser #3602, #4096).
  EXPECT_THAT(verdict(4, 36, 8), HasSubstr("s begins at byte 8, no multiple of the 16 bytes"));
}

// The copies of the last iteration are left out, and the wait for them is not (nvFuser #4524).
TEST(CopyBugs, ACopyIsPredicatedAndItsWaitIsNot) {
  EXPECT_THAT(refuted_by<BulkRing>(Hazard::Divergence,
                                   [](BulkRing& k) {
                                     k.tiles = 5;
                                     k.left_out = 1;
                                   }),
              HasSubstr("refuted: a wait for phase 1 that never ends: 0 of 32 arrivals have come"));
}

// More copies under way than there are barrier objects (nvFuser #5862).
TEST(CopyBugs, TooFewBarrierObjects) {
  EXPECT_FALSE(verified(*std::make_unique<BulkRing>([] {
                 BulkRing k;
                 k.tiles = 6;
                 k.stages = 4;
                 k.ahead = k.waits_for = 3;
                 k.objects = 1;
                 return k;
               }()))
                   .is_legal());
}

// Each warp elects a thread that copies and arrives, where one of the block was meant
// (facebookexperimental/triton #1538).
TEST(CopyBugs, EachWarpElectsOne) {
  EXPECT_THAT(refuted_by<BulkRing>(
                  Hazard::Divergence,
                  [](BulkRing& k) {
                    k.tiles = 3;
                    k.by_one = k.by_each_warp = true;
                    k.arrivals = 1;
                  },
                  BulkRing(64)),
              HasSubstr("refuted: "));
}

// A barrier of the block in the body of one role (Triton #9456, #9786).
TEST(CopyBugs, ABarrierOfTheBlockInsideOfARole) {
  EventKernel k("role", 64);
  EXPECT_THAT(
      first_text(verify(k.with({region("producer", {~0U}, {barrier()})})), Hazard::Divergence),
      HasSubstr("a barrier that one thread reaches and another does not"));
}

// Roles take more registers than the block has, so that some wait for ever (CUTLASS #2007, 24 and
// 232 of 128 and 256 threads; TileLang #2567), or are no warpgroups (TileLang #359).
TEST(CopyBugs, RolesTakeMoreRegistersThanThereAre) {
  const auto verdict = [](std::int64_t given, std::int64_t taken, std::size_t warps = 4) {
    EventKernel k("registers", 384);
    std::vector<std::uint32_t> load(warps, ~0U), compute(warps, 0U);
    compute.resize(12, ~0U);
    Statement giving = region("load", load, {}), taking = region("compute", compute, {});
    std::get<Region>(giving.node).registers = given;
    std::get<Region>(taking.node).registers = taken;
    for (Statement* s : {&giving, &taking}) std::get<Region>(s->node).usual_registers = 168;
    return first_text(verify(k.with({std::move(giving), std::move(taking)})), Hazard::Divergence);
  };
  EXPECT_EQ(verdict(24, 240), "proved");
  EXPECT_EQ(verdict(40, 240),
            "refuted: 384 threads ask for 66560 registers together, and the block has 64512: who "
            "takes more waits for ever");
  EXPECT_THAT(verdict(24, 236), HasSubstr("a thread would have 236 registers"));
  EXPECT_THAT(verdict(24, 200, 3), HasSubstr("threads 0 to 95 take or give registers"));
}

// Clusters of two blocks of 32 threads, of which each leaves a number for the other.
struct Cluster : EventKernel {
  Cluster() : EventKernel("cluster", 32) {
    rank = variable("rank", c(2));
    kernel.launch.block[2] = c(2);
    kernel.launch.is_cluster = true;
  }
  Barrier::Scope scope = Barrier::Scope::Block;
  bool meets_at_end = true, meets_in_rank_0 = false;
  const Kernel& make() {
    const BufferId x = input("x", DataType::Float, c(64)), y = output("y", DataType::Float, c(64)),
                   s = shared("s", DataType::Float, 64);
    Body body = {store(s, rank * 32 + t, read(x, rank * 32 + t))};
    Statement meet{Barrier{.scope = scope}};
    body.push_back(meets_in_rank_0 ? guard(rank <= 0, {std::move(meet)}) : std::move(meet));
    body.push_back(store(y, rank * 32 + t, read(s, (1 - rank) * 32 + t)));
    if (meets_at_end) body.push_back(barrier());
    kernel.body = {loop(rank, c(2), {loop(t, c(32), std::move(body), ParallelType::TIDx)},
                        ParallelType::TIDz)};
    return kernel;
  }
  Expr rank;
};

// A block ends while others read its memory (Triton #10656).
TEST(CopyBugs, ABlockOfAClusterEndsTooEarly) {
  Cluster right;
  EXPECT_TRUE(verified(right).is_legal()) << first_text(verified(right), Hazard::Race);
  EXPECT_THAT(refuted_by<Cluster>(Hazard::Race, [](Cluster& k) { k.meets_at_end = false; }),
              HasSubstr("refuted: s is read in the memory of another block of the cluster, and no "
                        "barrier of the cluster behind it"));
}

// What orders a block alone is to order a cluster (CUTLASS #3324).
TEST(CopyBugs, ABarrierOfABlockIsToOrderACluster) {
  EXPECT_THAT(refuted_by<Cluster>(Hazard::Race, [](Cluster& k) { k.scope = Barrier::Scope::Rank; }),
              HasSubstr("refuted: s["));
}

// Only some blocks of a cluster come to its barrier (DeepGEMM #415, #429).
TEST(CopyBugs, OneBlockOfAClusterDoesNotCome) {
  EXPECT_THAT(refuted_by<Cluster>(Hazard::Divergence, [](Cluster& k) { k.meets_in_rank_0 = true; }),
              HasSubstr("a barrier that one thread reaches and another does not"));
}

// Clusters of two blocks of 32 threads: tile k of some, of which the first block copies the first
// half for both and the second block the second one. Each block adds up its own.
struct SharedTiles : PairKernel {
  SharedTiles() : PairKernel("multicast", 32) {}
  Barrier::Scope scope = Barrier::Scope::Block;  // where a slot is free again
  bool announces = true, announces_in_rank_0 = false;
  std::int64_t tiles_of_rank_1 = 5;
  const Kernel& make() {
    const Expr n = c(5), k = variable("k", c(6)), half = variable("half", c(2));
    const BufferId x = input("x", DataType::Float, n * 32),
                   y = output("y", DataType::Float, n * 64),
                   s = shared("s", DataType::Float, 2 * 64), full = objects("full", 2, 1);
    const BarrierObject own{full, rank};
    Statement copy =
        begin(s, rank * 64 + k % 2 * 32 + half * 16, x, k * 32 + half * 16, 16, 4, own);
    auto& begun = std::get<AsyncCopy>(copy.node);
    begun.announces = announces;
    begun.by_rank = half;
    Statement arrival = arrive(own);
    if (announces_in_rank_0) {
      arrival = guard(rank <= 0, {arrive(own, c(128))}, {arrive(own)});
    }
    const Expr tiles = n - rank * (5 - tiles_of_rank_1);
    Body body;
    body.push_back(wait(own, k - 1));
    body.push_back({ProxyFence{}});
    body.push_back({Barrier{.scope = scope}});
    body.push_back(
        guard(tiles_of_rank_1 == 5 ? k < n : k < tiles,
              {guard(t <= 0, {loop(half, c(2), {std::move(copy)}), std::move(arrival)})}));
    body.push_back(guard(1 <= k, {store(y, ((k - 1) * 2 + rank) * 32 + t,
                                        read(s, rank * 64 + (k - 1) % 2 * 32 + (31 - t)))}));
    return with({loop(k, c(6), std::move(body))});
  }
};

// Only the first block of a cluster announces what comes to all (Triton #908).
TEST(CopyBugs, OneBlockAnnouncesWhatComesToAll) {
  SharedTiles right;
  EXPECT_TRUE(verified(right).is_legal()) << first_text(verified(right), Hazard::Race);
  EXPECT_THAT(refuted_by<SharedTiles>(Hazard::Race,
                                      [](SharedTiles& k) {
                                        k.announces = false;
                                        k.announces_in_rank_0 = true;
                                      }),
              HasSubstr("refuted: a copy of s to all ranks is announced by none"));
}

// What is copied for all overwrites what another block still reads (humming #56).
TEST(CopyBugs, AMulticastOverwritesWhatAnotherBlockReads) {
  EXPECT_THAT(
      refuted_by<SharedTiles>(Hazard::Race, [](SharedTiles& k) { k.scope = Barrier::Scope::Rank; }),
      HasSubstr("refuted: s["));
}

// The blocks of a cluster have different numbers of tiles (DeepGEMM #415, #429).
TEST(CopyBugs, BlocksOfAClusterHaveDifferentNumbersOfTiles) {
  EXPECT_NE(refuted_by<SharedTiles>(Hazard::Race, [](SharedTiles& k) { k.tiles_of_rank_1 = 4; }),
            "proved");
}

// Clusters of two blocks of 32 threads: a thread of each copies tiles of its own. Or two threads of
// the first block copy half a tile each.
struct TilesOfRanks : PairKernel {
  TilesOfRanks() : PairKernel("ranks", 32) {}
  bool by_rank_0 = false;
  const Kernel& make() {
    const Expr n = c(5), k = variable("k", c(6));
    const BufferId x = input("x", DataType::Float, n * 64),
                   y = output("y", DataType::Float, n * 64),
                   s = shared("s", DataType::Float, 2 * 64), full = objects("full", 2, 1);
    const BarrierObject own{full, rank};
    const std::int64_t width = by_rank_0 ? 16 : 32;
    Statement copy = begin(s, rank * 64 + k % 2 * 32 + t * width, x,
                           (k * 2 + rank) * 32 + t * width, width, 4, own);
    std::get<AsyncCopy>(copy.node).announces = true;
    Body by_some = {std::move(copy), arrive(own)};
    const Expr who = by_rank_0 ? rank <= 0 && t <= 1 : t <= 0;
    Body body;
    body.push_back(wait(own, k - 1));
    body.push_back({ProxyFence{}});
    body.push_back({Barrier{.scope = Barrier::Scope::Rank}});
    body.push_back(guard(k < n, {guard(who, std::move(by_some))}));
    body.push_back(guard(1 <= k, {store(y, ((k - 1) * 2 + rank) * 32 + t,
                                        read(s, rank * 64 + (k - 1) % 2 * 32 + (31 - t)))}));
    return with({loop(k, c(6), std::move(body))});
  }
};

// As many threads arrive as objects of the cluster expect, but two at that of one block.
TEST(CopyBugs, AllWhoArriveAreOfOneBlock) {
  TilesOfRanks right;
  EXPECT_TRUE(verified(right).is_legal()) << first_text(verified(right), Hazard::Divergence);
  EXPECT_THAT(
      refuted_by<TilesOfRanks>(Hazard::Divergence, [](TilesOfRanks& k) { k.by_rank_0 = true; }),
      HasSubstr("refuted: "));
}

// A thread of each of two blocks arrives at an object of each block.
struct ArrivalsAtBoth : PairKernel {
  ArrivalsAtBoth() : PairKernel("arrivals", 32) {}
  bool waits = true, meets = false;
  const Kernel& make() {
    const BufferId y = output("y", DataType::Int32, c(64)), ready = objects("ready", 2, 2);
    const Expr other = variable("other", c(2));
    Body by_one = {loop(other, c(2), {arrive({ready, other})})};
    if (waits) by_one.push_back(wait({ready, rank}, c(0)));
    Body body = {guard(t <= 0, std::move(by_one)), store(y, rank * 32 + t, number(7))};
    if (meets) body.push_back(barrier());
    return with(std::move(body));
  }
};

// A block has ended when another one arrives at its object (what CUTLASS's producer_tail is for).
TEST(CopyBugs, ABlockEndsBeforeOthersArriveThere) {
  ArrivalsAtBoth right;
  EXPECT_TRUE(verified(right).is_legal()) << first_text(verified(right), Hazard::Divergence);
  ArrivalsAtBoth meeting;
  meeting.waits = false;
  meeting.meets = true;
  EXPECT_TRUE(verified(meeting).is_legal()) << first_text(verified(meeting), Hazard::Divergence);
  EXPECT_THAT(
      refuted_by<ArrivalsAtBoth>(Hazard::Divergence, [](ArrivalsAtBoth& k) { k.waits = false; }),
      HasSubstr("an arrival at an object of another block of the cluster, which may have ended"));
}

// A box is copied to shared memory that is aligned as vectors are (nvFuser #3602, #4096).
TEST(CopyBugs, ABoxLiesWhereNoBoxMay) {
  const auto verdict = [](std::int64_t offset, std::int64_t rows) {
    EventKernel k("box", 32);
    const BufferId x = k.input("x", DataType::Float, k.c(rows * 16)),
                   y = k.output("y", DataType::Float, k.c(32)),
                   s = k.shared("s", DataType::Float, 64);
    k.kernel.buffers[s].offset = offset;
    k.kernel.maps = {{.buffer = x,
                      .dims = {{.size = k.c(rows), .stride = k.c(16), .box = 4},
                               {.size = k.c(16), .stride = k.c(1), .box = 16}}}};
    const BarrierObject done{k.objects("done", 1, 1), k.c(0)};
    Statement copy = k.begin(s, k.c(0), x, k.c(0), 64, 32, done);
    AsyncCopy& own = std::get<AsyncCopy>(copy.node);
    own.announces = true;
    own.box = AsyncCopy::Box{.map = 0, .corner = {k.c(0), k.c(0)}};
    own.copy.from_address = {};
    k.kernel.buffers[x].elements = k.c(64);
    return first_text(verify(k.with({guard(k.t <= 0, {std::move(copy), arrive(done)}),
                                     wait(done, k.c(0)), store(y, k.t, k.read(s, k.t))})),
                      Hazard::Bounds);
  };
  EXPECT_EQ(verdict(128, 4), "proved");
  EXPECT_EQ(verdict(16, 4),
            "refuted: s begins at byte 16, no multiple of the 128 bytes of an access");
  // And the tensor map goes past the memory of the tensor.
  EXPECT_EQ(verdict(128, 5),
            "refuted: it is not so that the tensor map of x ends where its memory does");
}

}  // namespace
}  // namespace selvage::copy_bugs
