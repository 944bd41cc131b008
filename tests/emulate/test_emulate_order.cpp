// The log of accesses against every pair of them.
#include <selvage/emulate/memory_order.h>

#include <gtest/gtest.h>

#include <random>

#include "../support/counts.h"

namespace selvage {
namespace {

using Way = AccessLog::Way;

struct Access {
  Way way;
  std::int64_t block, thread;  // of the block
  int block_barriers, warp_barriers;
};

bool race(const Access& a, const Access& b) {
  if (a.block == b.block && a.thread == b.thread) return false;
  if (a.way == Way::Read && b.way == Way::Read) return false;
  // A repetition is of what the write before it has left.
  if (a.way == b.way && a.way != Way::Write) return false;
  if (a.way == Way::Write && b.way == Way::Repeat) return false;
  if (a.block != b.block) return true;
  if (a.block_barriers < b.block_barriers) return false;
  return a.thread / 32 != b.thread / 32 || a.warp_barriers == b.warp_barriers;
}

std::string text(const std::vector<Access>& all) {
  std::string lines;
  for (const Access& a : all) {
    lines += "\n" + std::string(1, "RWP+<>"[int(a.way)]) + " by thread " +
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
    const Way ways[] = {Way::Read, Way(draw(6)), Way(draw(6))};
    bool is_racing = false;
    for (int step = 0; step < 24 && !is_racing; ++step) {
      const std::int64_t what = draw(10);
      if (what == 0 && round % 4 == 0) {
        block += 3;  // none comes back
        clock.start_block(block);
        block_barriers = 0;
        warp_barriers.assign(3, 0);
      } else if (what < 3) {
        clock.meet_block();
        ++block_barriers;
      } else if (what < 5) {
        const std::int64_t warp = some[draw(5)] / 32;
        clock.meet_warp(warp);
        ++warp_barriers[std::size_t(warp)];
      } else {
        const std::int64_t thread = some[draw(5)];
        Way way = ways[draw(3)];
        if (way == Way::Repeat && log.cells()[0].write.is_none()) way = Way::Write;
        const Access now{way, block, thread, block_barriers,
                         warp_barriers[std::size_t(thread / 32)]};
        for (const Access& before : all) is_racing = is_racing || race(before, now);
        all.push_back(now);
        clock.run(thread);
        const auto found = log.access(0, way, 0, clock);
        ASSERT_EQ(found.has_value(), is_racing) << "round " << round << ": " << text(all);
        if (!found) continue;
        // It tells of one that there was.
        const auto is_it = [&](const Access& a) {
          return a.block * kThreads + a.thread == found->thread && race(a, now);
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
