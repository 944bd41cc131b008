// Random predicates on random levels, against every thread asked by itself.
#include <selvage/base/diagnostic.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "random_masks.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using test::Draw;
using test::Drawn;
using test::RandomMask;
using test::read_product;
using test::Threads;
using test::threads_of;
using test::Values;

TEST(ThreadMaskRandom, IsWhatEveryThreadSays) {
  SplitMix64 random(7);
  int defined = 0, products = 0, undefined = 0;
  for (int n = 0; n < count(600, 10'000); ++n) {
    RandomMask r(random);
    Draw draw(r.pool, random, r.symbols);
    const Drawn predicate = draw.truth(int(draw.below(4)));
    const auto expected = r.asked(predicate);
    SCOPED_TRACE(to_string(predicate.e) + " for " + std::to_string(n));
    if (!expected) {
      ++undefined;
      std::string thread;
      for (std::size_t k = 0; k < r.symbols.size(); ++k) {
        thread += (k == 0 ? "" : ", ") + std::string(r.symbols[k].name()) + " = " +
                  std::to_string((*r.first_undefined)[k]);
      }
      try {
        (void)ThreadMask::of(predicate.e, r.levels, r.facts);
        ADD_FAILURE() << "accepted";
      } catch (const BadInput& refusal) {
        EXPECT_EQ(refusal.diagnostic().code, "E342");
        EXPECT_THAT(refusal.what(), testing::HasSubstr("for the thread " + thread + ": "));
      }
      continue;
    }
    ++defined;
    const auto mask = ThreadMask::of(predicate.e, r.levels, r.facts);
    ASSERT_TRUE(mask);
    ASSERT_EQ(threads_of(*mask), *expected);
    EXPECT_EQ(mask->size(), r.size);
    EXPECT_EQ(mask->count(), std::int64_t(expected->size()));
    EXPECT_EQ(mask->is_none(), expected->empty());
    EXPECT_EQ(mask->is_all(), std::int64_t(expected->size()) == r.size);
    EXPECT_EQ(mask->first().value_or(-1), expected->empty() ? -1 : *expected->begin());
    r.each([&](std::int64_t t, const Values& v) {
      EXPECT_EQ(mask->contains(std::span<const std::int64_t>(v)), expected->contains(t));
    });
    EXPECT_EQ(mask->is_product(), r.is_product(*expected));
    if (mask->is_product()) {
      ++products;
      EXPECT_EQ(read_product(mask->text()), *expected);
    }
    Threads of_rows;
    const auto rows = mask->rows();
    EXPECT_EQ(std::int64_t(rows.size()), mask->row_count());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::string& bits = rows[row];
      for (std::size_t x = 0; x < bits.size(); ++x) {
        if (bits[bits.size() - 1 - x] == '1') {
          of_rows.insert(std::int64_t(row * bits.size() + x));
        }
      }
    }
    EXPECT_EQ(of_rows, *expected);
  }
  EXPECT_GT(defined, more_than(400));
  EXPECT_GT(products, more_than(100));
  EXPECT_GT(undefined, more_than(10));
}

TEST(ThreadMaskRandom, SetsArePutTogetherAsSets) {
  SplitMix64 random(8);
  for (int n = 0; n < count(200, 5'000); ++n) {
    RandomMask r(random);
    Draw draw(r.pool, random, r.symbols);
    std::vector<ThreadMask> masks;
    std::vector<Threads> sets;
    while (masks.size() < 2) {
      const Drawn predicate = draw.truth(2);
      const auto set = r.asked(predicate);
      if (!set) continue;
      masks.push_back(*ThreadMask::of(predicate.e, r.levels, r.facts));
      sets.push_back(*set);
    }
    Threads both, either, rest, other;
    for (std::int64_t t = 0; t < r.size; ++t) {
      const bool a = sets[0].contains(t), b = sets[1].contains(t);
      if (a && b) both.insert(t);
      if (a || b) either.insert(t);
      if (a && !b) rest.insert(t);
      if (!a) other.insert(t);
    }
    EXPECT_EQ(threads_of(masks[0] & masks[1]), both);
    EXPECT_EQ(threads_of(masks[0] | masks[1]), either);
    EXPECT_EQ(threads_of(masks[0] - masks[1]), rest);
    EXPECT_EQ(threads_of(~masks[0]), other);
    EXPECT_EQ(disjoint(masks[0], masks[1]), both.empty());
    EXPECT_EQ(is_subset(masks[0], masks[1]), rest.empty());
    EXPECT_EQ(masks[0] == masks[1], sets[0] == sets[1]);
    // One set is one value, whatever it was made of.
    EXPECT_TRUE((masks[0] | masks[1]) == ~(~masks[0] & ~masks[1]));
    EXPECT_TRUE(((masks[0] - masks[1]) | (masks[0] & masks[1])) == masks[0]);
    EXPECT_TRUE((masks[0] | ~masks[0]) == ThreadMask::all(r.levels));
    EXPECT_TRUE((masks[0] - masks[0]) == ThreadMask::none(r.levels));
  }
}

TEST(ThreadMaskRandom, WarpsAreThoseThatAreCounted) {
  SplitMix64 random(9);
  int shared = 0;
  for (int n = 0; n < count(200, 5'000); ++n) {
    RandomMask r(random);
    Draw draw(r.pool, random, r.symbols);
    const Drawn predicate = draw.truth(2);
    const auto set = r.asked(predicate);
    if (!set) continue;
    const ThreadMask mask = *ThreadMask::of(predicate.e, r.levels, r.facts);
    std::int64_t threads = 1;
    for (std::size_t k = r.outside; k < r.levels.size(); ++k) threads *= r.levels[k].extent();
    ASSERT_EQ(mask.block_threads(), threads);
    ASSERT_EQ(mask.blocks(), r.size / threads);
    const auto counted = [&](std::int64_t block, std::int64_t unit) {
      ActiveUnits units;
      for (std::int64_t begin = 0; begin < threads; begin += unit) {
        std::int64_t active = 0, there = 0;
        for (std::int64_t t = begin; t < std::min(begin + unit, threads); ++t, ++there) {
          active += set->contains(block * threads + t) ? 1 : 0;
        }
        if (active == there) {
          ++units.full;
        } else if (active > 0) {
          ++units.partial;
        } else {
          ++units.idle;
        }
      }
      return units;
    };
    ActiveUnits warps, groups;
    std::map<std::vector<std::uint32_t>, std::int64_t> shapes;
    std::vector<std::vector<std::uint32_t>> in_order;
    for (std::int64_t block = 0; block < mask.blocks(); ++block) {
      for (const auto& [sum, unit] : {std::pair(&warps, 32), std::pair(&groups, 128)}) {
        const ActiveUnits more = counted(block, unit);
        sum->full += more.full;
        sum->partial += more.partial;
        sum->idle += more.idle;
      }
      std::vector<std::uint32_t> lanes(std::size_t((threads + 31) / 32));
      for (std::int64_t t = 0; t < threads; ++t) {
        if (set->contains(block * threads + t)) lanes[std::size_t(t / 32)] |= 1u << (t % 32);
      }
      ASSERT_EQ(mask.lanes(block), lanes);
      if (++shapes[lanes] == 1) in_order.push_back(lanes);
    }
    EXPECT_EQ(mask.warps(), warps);
    EXPECT_EQ(mask.warpgroups(), groups);
    EXPECT_EQ(mask.same_in_every_block(), shapes.size() == 1);
    const auto told = mask.block_masks();
    ASSERT_EQ(told.size(), shapes.size());
    shared += told.size() > 1 ? 1 : 0;
    for (std::size_t i = 0; i < told.size(); ++i) {
      EXPECT_EQ(told[i].lanes, in_order[i]);
      EXPECT_EQ(told[i].blocks, shapes[in_order[i]]);
      EXPECT_EQ(mask.lanes(told[i].first_block), in_order[i]);
      EXPECT_EQ(told[i].warps, counted(told[i].first_block, 32));
      EXPECT_EQ(told[i].warpgroups, counted(told[i].first_block, 128));
      std::int64_t active = 0;
      for (std::uint32_t word : in_order[i]) active += std::popcount(word);
      EXPECT_EQ(told[i].active, active);
    }
  }
  EXPECT_GT(shared, more_than(20));
}

}  // namespace
}  // namespace selvage
