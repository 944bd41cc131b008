// Random kernels whose threads wait for one another in parts and leave loops: the verifier,
// emulation, the virtual device and an oracle that knows no clocks say the same of each.
#include <selvage/kernel/print.h>
#include <selvage/kernel/verify_parts.h>

#include <gtest/gtest.h>

#include <iostream>

#include "../kernel/happens_before.h"
#include "../support/counts.h"
#include "../support/part_kernels.h"
#include "run.h"

namespace selvage {
namespace {

using namespace test;

std::string explain(const Kernel& kernel, const Verification& v) {
  std::string text = loop_nest(kernel);
  for (const KernelFinding& f : v.findings) {
    text += std::string(to_string(f.hazard)) + " " + std::string(to_string(f.verdict)) + ": " +
            f.text + "\n";
  }
  return text;
}

TEST(PartRandom, VerifierEmulationDeviceAndOracleAgree) {
  int diverging = 0, racing = 0, unwritten = 0, right = 0, proved_at_once = 0, with_parts = 0;
  for (int n = 0; n < count(300, 5000); ++n) {
    const Kernel k = PartKernel(unsigned(n)).kernel();
    const HappensBefore judge(k);
    const Verification v = verify(k);
    SCOPED_TRACE("kernel " + std::to_string(n) + "\n" + explain(k, v));
    ASSERT_EQ(is_refuted(v.of(Hazard::Divergence)), judge.diverges());
    ASSERT_EQ(is_proved(v.of(Hazard::Divergence)), !judge.diverges());
    const AccessMap map(k);
    with_parts += map.has_partial_barrier();
    ASSERT_FALSE(divergence_findings(map).open.empty() && judge.diverges());

    const std::vector<Array> start = arrays_for(k, {});
    std::vector<Array> first;
    for (std::uint64_t seed : {0, 1, 2}) {
      std::vector<Array> arrays = start;
      const Emulation e = run_emulated(k, {}, arrays, seed);
      ASSERT_EQ(e.counts.count(FaultKind::DivergentBarrier) > 0, judge.diverges());
      if (judge.diverges()) continue;
      ASSERT_EQ(e.counts.count(FaultKind::Race) > 0, judge.races()) << "order " << seed;
      if (judge.races()) continue;
      ASSERT_EQ(e.counts.count(FaultKind::Uninitialised) > 0, judge.reads_uninitialised());
      ASSERT_EQ(e.fault_count > 0, judge.reads_uninitialised());
      if (seed == 0) first = arrays;
      ASSERT_EQ(arrays[1], first[1]);
    }
    if (judge.diverges()) {
      ++diverging;
      continue;
    }
    ItemProofs items(map);
    ASSERT_FALSE(race_findings(map, items).open.empty() && judge.races());
    ASSERT_EQ(is_refuted(v.of(Hazard::Race)), judge.races());
    ASSERT_EQ(is_proved(v.of(Hazard::Race)), !judge.races());
    if (judge.races()) {
      ++racing;
      continue;
    }
    ASSERT_FALSE(lifetime_findings(map).open.empty() && judge.reads_uninitialised());
    ASSERT_EQ(is_proved(v.of(Hazard::Lifetime)), !judge.reads_uninitialised());
    if (judge.reads_uninitialised()) {
      ++unwritten;
      continue;
    }
    ++right;
    proved_at_once +=
        race_findings(map, items).open.empty() && divergence_findings(map).open.empty();
    for (const VirtualOrder& order : {VirtualOrder(0, 1), VirtualOrder(1), VirtualOrder(2)}) {
      std::vector<Array> arrays = start;
      ASSERT_NO_THROW(run_text(k, {}, arrays, default_virtual_compiler(), order)) << cuda(k).text;
      ASSERT_EQ(arrays[1], first[1]) << cuda(k).text;
    }
  }
  std::cout << "[FIGURE] of " << count(300, 5000) << " random kernels in parts, " << with_parts
            << " with a partial barrier: " << right << " right, " << diverging << " diverge, "
            << racing << " race, " << unwritten << " read what nobody wrote; " << proved_at_once
            << " proved without a run\n";
  EXPECT_GT(right, more_than(30));
  EXPECT_GT(diverging, more_than(30));
  EXPECT_GT(racing, more_than(30));
}

TEST(PartRandom, NvrtcCompilesAll) {
  std::vector<Kernel> kernels;
  for (unsigned n = 0; n < unsigned(count(12, 200)); ++n) kernels.push_back(PartKernel(n).kernel());
  expect_gpu_code(kernels);
}

}  // namespace
}  // namespace selvage
