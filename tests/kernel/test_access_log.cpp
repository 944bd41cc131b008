// The log of accesses against every pair of them.
#include <selvage/kernel/access_log.h>

#include <gtest/gtest.h>

#include <random>

#include "../support/counts.h"

namespace selvage {
namespace {

struct Access {
  Effect effect;
  std::int64_t block, thread;  // of the block
  int block_barriers, warp_barriers;
};

bool race(const Access& a, const Access& b) {
  if (a.block == b.block && a.thread == b.thread) return false;
  if (a.effect == Effect::Read && b.effect == Effect::Read) return false;
  // A repetition is of what the write before it has left.
  if (a.effect == b.effect && a.effect != Effect::Write) return false;
  if (a.effect == Effect::Write && b.effect == Effect::Repeat) return false;
  if (a.block != b.block) return true;
  if (a.block_barriers < b.block_barriers) return false;
  return a.thread / 32 != b.thread / 32 || a.warp_barriers == b.warp_barriers;
}

std::string text(const std::vector<Access>& all) {
  std::string lines;
  for (const Access& a : all) {
    lines += "\n" + std::string(1, "RWPD+<>"[int(a.effect)]) + " by thread " +
             std::to_string(a.thread) + " of block " + std::to_string(a.block) + " after " +
             std::to_string(a.block_barriers) + " and " + std::to_string(a.warp_barriers) +
             " barriers";
  }
  return lines;
}

TEST(AccessLog, TellsTheFirstRaceAndNoOther) {
  constexpr std::int64_t kThreads = 70;
  std::mt19937_64 random(5);
  const auto draw = [&](std::int64_t n) { return std::int64_t(random() % std::uint64_t(n)); };
  int races = 0, clean = 0;
  for (int round = 0; round < count(4000, 200000); ++round) {
    BarrierClock clock(kThreads);
    AccessLog log(1);
    std::vector<Access> all;
    std::int64_t block = draw(3);
    int block_barriers = 0;
    std::vector<int> warp_barriers(3);
    clock.start_block(block);
    // Few threads, and one or two ways, so that not all at once is wrong.
    const std::int64_t some[] = {draw(kThreads), draw(kThreads), draw(kThreads), draw(kThreads),
                                 draw(kThreads)};
    const Effect effects[] = {Effect::Read, Effect(draw(7)), Effect(draw(7))};
    bool is_racing = false;
    for (int step = 0; step < 24 && !is_racing; ++step) {
      const std::int64_t what = draw(10);
      if (what == 0 && round % 4 == 0) {
        block += 3;  // none comes back
        clock.start_block(block);
        block_barriers = 0;
        warp_barriers.assign(3, 0);
      } else if (what < 3) {
        clock.meet(Barrier::Scope::Block, {});
        ++block_barriers;
      } else if (what < 5) {
        const std::int64_t warp = some[draw(5)] / 32;
        clock.meet(Barrier::Scope::Warp, std::vector{std::uint32_t(warp * 32)});
        ++warp_barriers[std::size_t(warp)];
      } else {
        const std::int64_t thread = some[draw(5)];
        Effect effect = effects[draw(3)];
        if (effect == Effect::Repeat && log.elements()[0].write.is_none()) effect = Effect::Write;
        const Access now{effect, block, thread, block_barriers,
                         warp_barriers[std::size_t(thread / 32)]};
        for (const Access& before : all) is_racing = is_racing || race(before, now);
        all.push_back(now);
        clock.run(thread);
        const auto found = log.access(0, effect, 0, clock);
        ASSERT_EQ(found.has_value(), is_racing) << "round " << round << ": " << text(all);
        if (!found) continue;
        // It tells of one that there was.
        const auto is_it = [&](const Access& a) {
          return a.block * kThreads + a.thread == found->other.thread && race(a, now);
        };
        EXPECT_TRUE(std::any_of(all.begin(), all.end() - 1, is_it));
      }
    }
    ++(is_racing ? races : clean);
  }
  EXPECT_GT(races, more_than(100));
  EXPECT_GT(clean, more_than(100));
}

}  // namespace
}  // namespace selvage
