// Masks that are known: those of the pages on thread mapping, and what a large grid costs.
#include <selvage/expr/text.h>
#include <selvage/index/thread_mask.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "masks.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using test::levels_of;
using test::LevelSizes;
using test::Masks;
using test::spelled_out;
using testing::ElementsAre;

const LevelSizes kSix = {{{"p", 6}}}, kThreeByFour = {{{"p", 3}}, {{"q", 4}}};

TEST(ThreadMask, TheFirstThreadIsTheRightmostBit) {
  Masks m;
  EXPECT_EQ(m.of("p <= 2", kSix).text(), "000111");
  EXPECT_EQ(m.of("p > 2", kSix).text(), "111000");
  EXPECT_EQ(m.of("p < 2 && q == 0", kThreeByFour).text(), "011-0001");
  EXPECT_EQ(m.of("q == 1", kThreeByFour).text(), "111-0010");
  EXPECT_EQ(m.of("p > 3", {{{"p", 3}}}).text(), "000");
  EXPECT_EQ(m.of("q == 0", {{{"p", 6}}, {{"q", 2}}}).text(), "111111-01");
  EXPECT_EQ(m.of("true", {{{"p", 6}}, {{"q", 2}}}).text(), "111111-11");
  EXPECT_EQ(m.of("p > 3 && q == 1", kThreeByFour).text(), "000-0000");
}

TEST(ThreadMask, TwoRegionsShareOutTheThreads) {
  Masks m;
  const ThreadMask low = m.of("p <= 2", kSix), high = m.of("p > 2", kSix);
  EXPECT_TRUE(disjoint(low, high));
  EXPECT_TRUE((low | high).is_all());
  EXPECT_TRUE(~low == high);
  EXPECT_FALSE(disjoint(low, m.of("p >= 2", kSix)));
  EXPECT_TRUE(is_subset(m.of("p == 1", kSix), low));
  EXPECT_FALSE(is_subset(low, m.of("p == 1", kSix)));
}

TEST(ThreadMask, ThirteenChunksOnFourThreadsLeaveOneForThreadZero) {
  Masks m;
  const MaskIndex loop = {m.pool.symbol("i"), 4};
  std::string text;
  for (const auto& mask :
       masks_by_iteration(parse_expr(m.pool, "i * 4 + p < 13"), levels_of(m.pool, {{{"p", 4}}}),
                          std::span(&loop, 1), m.facts)) {
    text += mask.value().text() + " ";
  }
  EXPECT_EQ(text, "1111 1111 1111 0001 ");
}

TEST(ThreadMask, IterationsGoOnInLexicographicOrderUpToTheLimit) {
  Masks m;
  const MaskIndex loops[] = {{m.pool.symbol("i"), 2}, {m.pool.symbol("k"), 3}};
  const Expr e = parse_expr(m.pool, "p == i * 3 + k || i == 1 && p < N");
  const auto masks = masks_by_iteration(e, levels_of(m.pool, kSix), loops, m.facts, 5);
  ASSERT_EQ(masks.size(), 5u);
  EXPECT_EQ(masks[0]->text(), "000001");
  EXPECT_EQ(masks[2]->text(), "000100");
  EXPECT_FALSE(masks[3]);
  EXPECT_FALSE(masks[4]);
  EXPECT_TRUE(masks_by_iteration(e, levels_of(m.pool, kSix), loops, m.facts, 0).empty());
}

TEST(ThreadMask, WhatIsNoProductIsToldInRows) {
  Masks m;
  const ThreadMask mask = m.of("p == 0 || q == 3", kThreeByFour);
  EXPECT_FALSE(mask.is_product());
  EXPECT_THAT(mask.rows(), ElementsAre("1111", "1000", "1000"));
  EXPECT_EQ(mask.row_count(), 3);
  EXPECT_EQ(mask.count(), 6);
  EXPECT_THAT(mask.rows(2), ElementsAre("1111", "1000"));
  EXPECT_THAT(m.of("p < 2 && q == 0", kThreeByFour).rows(), ElementsAre("0001", "0001", "0000"));
}

TEST(ThreadMask, OfSeveralIndicesTheFirstIsTheMostSignificant) {
  Masks m;
  const LevelSizes level = {{{"x", 2}, {"y", 3}}};
  EXPECT_EQ(m.of("x == 1", level).text(), "111000");
  EXPECT_EQ(m.of("y == 1", level).text(), "010010");
  EXPECT_EQ(m.of("x == 1 || y == 1", level).text(), "111010");  // within a level
  EXPECT_EQ(m.of("x == 1 && y == 1", level).first(), 4);
  EXPECT_EQ(m.of("x > 1", level).first(), std::nullopt);
}

TEST(ThreadMask, WarpsAreFullPartlyActiveOrIdle) {
  Masks m;
  const ThreadMask lanes = m.of("t >= 32 && t < 72", {{{"b", 3}}, {{"t", 100}}}, 1);
  EXPECT_TRUE(lanes.same_in_every_block());
  EXPECT_EQ(lanes.warps(), (ActiveUnits{3, 3, 6}));
  EXPECT_FALSE(lanes.warps().is_uniform());
  EXPECT_EQ(lanes.warpgroups(), (ActiveUnits{0, 3, 0}));
  EXPECT_THAT(lanes.lanes(2), ElementsAre(0u, 0xFFFFFFFFu, 0xFFu, 0u));
  // The last warp of 100 threads has four.
  EXPECT_EQ(m.of("t >= 96", {{{"t", 100}}}).warps(), (ActiveUnits{1, 0, 3}));
  EXPECT_EQ(m.of("t / 128 == 1", {{{"t", 256}}}).warpgroups(), (ActiveUnits{1, 0, 1}));
}

TEST(ThreadMask, BlocksOfOneShapeAreToldOnce) {
  Masks m;
  const ThreadMask tail = m.of("b * 64 + t < 1000", {{{"b", 20}}, {{"t", 64}}}, 1);
  const auto shapes = tail.block_masks();
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].blocks, 15);
  EXPECT_EQ(shapes[0].warps, (ActiveUnits{2, 0, 0}));
  EXPECT_EQ(shapes[1].blocks, 1);
  EXPECT_EQ(shapes[1].first_block, 15);
  EXPECT_EQ(shapes[1].active, 40);
  EXPECT_THAT(shapes[1].lanes, ElementsAre(0xFFFFFFFFu, 0xFFu));
  EXPECT_EQ(shapes[2].blocks, 4);
  EXPECT_EQ(shapes[2].active, 0);
  EXPECT_FALSE(tail.same_in_every_block());
  EXPECT_EQ(tail.count(), 1000);
  EXPECT_EQ(tail.warps(), (ActiveUnits{31, 1, 8}));
}

// 2^31 blocks, of which nothing is enumerated: not those that a condition leaves out, and not those
// that comparisons tell apart.
TEST(ThreadMask, LargeGridsCostNothing) {
  Masks m;
  const std::int64_t blocks = std::int64_t{1} << 31;
  const LevelSizes grid = {{{"b", blocks}}, {{"t", 1024}}};
  EXPECT_EQ(m.of("t % 2 == 0", grid, 1).count(), blocks * 512);
  EXPECT_EQ(m.of("t == 0", grid, 1).text().substr(0, 14), "1{2147483648}-");
  EXPECT_EQ(m.of("b == 7 && t < 3", grid, 1).text(), "0{2147483640}10000000-0{1021}111");
  EXPECT_EQ(m.of("t % 32 == 0", grid, 1).warps(), (ActiveUnits{0, blocks * 32, 0}));
  const ThreadMask tail = m.of("b * 1024 + t < 1000000", grid, 1);
  EXPECT_EQ(tail.count(), 1'000'000);
  EXPECT_EQ(tail.block_masks().size(), 3u);
  EXPECT_FALSE(tail.is_product());
  EXPECT_EQ(tail.row_count(), blocks);
  EXPECT_EQ(tail.rows(3).size(), 3u);
  EXPECT_EQ((~tail).count(), blocks * 1024 - 1'000'000);
  const LevelSizes three = {{{"z", 65'535}, {"y", 65'535}, {"x", 1 << 30}}, {{"t", 1}}};
  EXPECT_EQ(m.of("y == 1", three, 1).text(),
            "(0{70365522952192}1{1073741824}0{1073741824}){65535}-1");
}

TEST(ThreadMask, LongTextsCountEqualBits) {
  Masks m;
  EXPECT_EQ(m.of("p < 100", {{{"p", 4096}}}).text(),
            std::string(3996, '0') + std::string(100, '1'));
  EXPECT_EQ(m.of("p < 100", {{{"p", 4097}}}).text(), "0{3997}1{100}");
  EXPECT_EQ(m.of("p % 64 < 63", {{{"p", 8192}}}).text().size(), 8192u);
  const std::string rows = m.of("y < 2", {{{"x", 2000}, {"y", 4}}}).text();
  EXPECT_EQ(rows, "(0011){2000}");
  const std::string half = m.of("p % 2 == 0", {{{"p", 1 << 21}}}).text();
  EXPECT_EQ(half.size(), (1u << 20) + 3);
  EXPECT_EQ(half.substr(half.size() - 5), "01...");
}

std::string refusal_of(const std::string& predicate, const LevelSizes& sizes,
                       std::size_t outside_block = 0) {
  Masks m;
  return refusal_by<BadInput>([&] { m.of(predicate, sizes, outside_block); });
}

TEST(ThreadMask, WhatOnlyEnumerationWouldTellIsRefused) {
  const std::int64_t blocks = std::int64_t{1} << 32;
  EXPECT_EQ(
      refusal_of("b % 2 == 0", {{{"b", blocks}}, {{"t", 32}}}, 1),
      "selvage: error[E341]: the mask of 'b % 2 == 0' over b (4294967296) is too large to be "
      "worked out: it takes more than 67108864 instances to be asked one by one, or more than "
      "4194304 runs of threads to be kept; help: smaller extents, or a condition that "
      "compares the larger index with a number");
  EXPECT_EQ(refusal_of("b % 2 == 0", {{{"b", 1 << 20}}, {{"t", 32}}}, 1), "accepted");
  EXPECT_EQ(refusal_of("b < 2", {{{"b", blocks}}, {{"t", 32}}}, 1), "accepted");
}

TEST(ThreadMask, TooManyDifferentLargeBlocksAreRefused) {
  const auto warps_of = [](std::int64_t blocks) {
    Masks m;
    const ThreadMask mask = m.of("t < b", {{{"b", blocks}}, {{"t", 65'536}}}, 1);
    return refusal_by<BadInput>([&] { (void)mask.warps(); });
  };
  EXPECT_EQ(
      warps_of(8192),
      "selvage: error[E341]: the warps of 8192 different blocks of 65536 threads are too many "
      "to be told apart, past 268435456 threads in all; help: smaller blocks, or a condition "
      "that fewer blocks differ in");
  EXPECT_EQ(warps_of(512), "accepted");
}

TEST(ThreadMask, TwoMasksThatComeToTooManyRunsAreRefused) {
  const auto met = [](std::int64_t threads) {
    Masks m;
    const LevelSizes level = {{{"t", threads}}};
    const ThreadMask a = m.of("t % 4 < 2", level),
                     b = m.of("t < 8000000 && (t + 1) % 4 < 2", level);
    return refusal_by<BadInput>([&] { (void)(a & b); });
  };
  EXPECT_EQ(
      met(1 << 23),
      "selvage: error[E341]: a mask put together of two over t (8388608) is too large to be "
      "worked out: it takes more than 67108864 instances to be asked one by one, or more than "
      "4194304 runs of threads to be kept; help: smaller extents, or a condition that "
      "compares the larger index with a number");
  EXPECT_EQ(met(1 << 18), "accepted");
}

TEST(ThreadMask, AThreadThatDividesByZeroIsNamed) {
  EXPECT_EQ(refusal_of("p / q < 2", kThreeByFour),
            "selvage: error[E342]: 'p / q < 2' is undefined for the thread p = 0, q = 0: 'p / q' "
            "divides by 0; help: divide by what is never 0, such as max(q, 1)");
  EXPECT_EQ(refusal_of("p / max(q, 1) < 2", kThreeByFour), "accepted");
  EXPECT_EQ(refusal_of("N < 2 && 7 % (p - 1) == 0", kThreeByFour),
            "selvage: error[E342]: 'N < 2 && 7 % (p - 1) == 0' is undefined for the thread p = 1, "
            "q = 0: '7 % (p - 1)' divides by 0; help: divide by what is never 0, such as "
            "max(p - 1, 1)");
  EXPECT_EQ(
      refusal_of("p * 5000000000000000000 < 3", kThreeByFour),
      "selvage: error[E342]: 'p * 5000000000000000000 < 3' is undefined for the thread p = 2, "
      "q = 0: 'p * 5000000000000000000' does not fit 64 bits; help: smaller numbers");
  EXPECT_EQ(refusal_of("p * 4000000000000000000 < 3", kThreeByFour), "accepted");
}

TEST(ThreadMask, LevelsThatMakeNoSenseAreRefused) {
  const std::string e = "selvage: error[E343]: ";
  EXPECT_EQ(refusal_of("true", {}),
            e + "a mask has no level of threads; help: give it one, such as p with 32");
  EXPECT_EQ(refusal_of("true", {{}}),
            e + "a level of threads has no index; help: give it one to three, or leave the level "
                "out");
  EXPECT_EQ(refusal_of("true", {{{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}}}),
            e + "the level {a, b, c, d} has 4 indices, and three are the most; help: make two "
                "levels of it");
  EXPECT_EQ(refusal_of("true", {{{"a", 2}, {"b", 2}, {"c", 2}}, {{"d", 2}}}), "accepted");
  EXPECT_EQ(refusal_of("true", {{{"p", 0}}}),
            e + "the parallel index p has an extent of 0; help: an extent of at least 1");
  EXPECT_EQ(refusal_of("true", {{{"p", 1}}}), "accepted");
  EXPECT_EQ(refusal_of("true", {{{"p", 2}}, {{"p", 2}}}),
            e + "the parallel index p stands in two places; help: give one of the two another "
                "name");
  EXPECT_EQ(refusal_of("true", {{{"b", INT64_MAX}}, {{"t", 2}}}, 1),
            e + "64 bits do not count the threads of the levels up to t; help: smaller extents");
  EXPECT_EQ(refusal_of("true", {{{"t", (1 << 26) + 1}}}),
            e + "a block has 67108865 threads with the level t, and 67108864 are the most that a "
                "mask tells apart; help: smaller extents; CUDA's own limit is 1024");
  EXPECT_EQ(refusal_of("t == 3", {{{"t", 1 << 26}}}), "accepted");
  Masks m;
  ThreadMask::Levels levels = levels_of(m.pool, {{{"t", 2}}, {{"b", 2}}});
  levels[1].is_in_block = false;
  EXPECT_EQ(refusal_by<BadInput>([&] { ThreadMask::all(levels); }),
            e + "the blocks b stand inside of the threads t; help: put b before t");
  const auto looped = [&](const char* name) {
    const MaskIndex loop = {m.pool.symbol(name), 3};
    return refusal_by<BadInput>([&] {
      masks_by_iteration(m.pool.truth(true), levels_of(m.pool, kSix), std::span(&loop, 1), m.facts);
    });
  };
  EXPECT_EQ(looped("p"), e + "the loop index p stands in two places; help: give one of the two "
                             "another name");
  EXPECT_EQ(looped("i"), "accepted");
  std::swap(levels[0], levels[1]);
  EXPECT_TRUE(ThreadMask::all(levels).is_all());
  EXPECT_TRUE(ThreadMask::none(levels).is_none());
}

}  // namespace
}  // namespace selvage
