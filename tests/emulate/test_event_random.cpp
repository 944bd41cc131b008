// Random kernels whose threads go at their own pace: the verifier, emulation and an oracle that
// knows no clocks say the same of each.
#include <selvage/emulate/emulate.h>
#include <selvage/kernel/print.h>
#include <selvage/kernel/verify.h>

#include <gtest/gtest.h>

#include <iostream>

#include "tests/emulate/hand_run.h"
#include "tests/kernel/happens_before.h"
#include "tests/support/counts.h"
#include "tests/support/event_kernels.h"
#include "tests/support/part_kernels.h"

namespace selvage {
namespace {

using namespace test;

struct Told {
  int right = 0, diverging = 0, racing = 0, unwritten = 0;
};
void compare(const Kernel& k, Told& told) {
  const HappensBefore judge(k);
  const Verification v = verify(k);
  SCOPED_TRACE(loop_nest(k));
  // What is refuted is so, and what is not is proved by the run.
  ASSERT_EQ(is_refuted(v.of(Hazard::Divergence)), judge.diverges());
  ASSERT_EQ(is_proved(v.of(Hazard::Divergence)), !judge.diverges());
  told.diverging += judge.diverges();
  for (std::uint64_t seed : {0, 1, 2}) {
    const Emulation e = run(k, seed);
    ASSERT_EQ(e.counts.count(FaultKind::DivergentBarrier) > 0, judge.diverges());
    if (judge.diverges()) continue;
    ASSERT_EQ(e.counts.count(FaultKind::Race) > 0, judge.races()) << "order " << seed;
    if (judge.races()) continue;
    ASSERT_EQ(e.fault_count > 0, judge.reads_uninitialised());
  }
  if (judge.diverges()) return;
  ASSERT_EQ(is_refuted(v.of(Hazard::Race)), judge.races());
  ASSERT_EQ(is_proved(v.of(Hazard::Race)), !judge.races());
  told.racing += judge.races();
  if (judge.races()) return;
  ASSERT_EQ(is_proved(v.of(Hazard::Lifetime)), !judge.reads_uninitialised());
  told.unwritten += judge.reads_uninitialised();
  told.right += !judge.reads_uninitialised();
}

// Threads that meet at barriers of parts of the block, each followed by itself.
TEST(EventRandom, ARegionOfAllThreadsIsWhatItHolds) {
  Told told;
  for (int n = 0; n < count(150, 3000); ++n) {
    Kernel k = PartKernel(unsigned(n)).kernel();
    auto& threads = std::get<Loop>(k.body[0].node);
    threads.body = {region("all", {kAll, kAll, kAll}, std::move(threads.body))};
    compare(k, told);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "kernel " << n;
  }
  EXPECT_GT(std::min({told.right, told.diverging, told.racing}), more_than(0));
}

TEST(EventRandom, CopiesThatEndLaterComeBeforeWhatWaitsForThem) {
  Told told;
  for (int n = 0; n < count(150, 3000); ++n) {
    compare(PartKernel(unsigned(n), 64, true).kernel(), told);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "kernel " << n;
  }
  std::cout << "[FIGURE] kernels with copies: " << told.right << " right, " << told.racing
            << " race, " << told.diverging << " diverge, " << told.unwritten
            << " read what is not written\n";
  EXPECT_GT(std::min({told.right, told.diverging, told.racing}), more_than(0));
}

}  // namespace
}  // namespace selvage
