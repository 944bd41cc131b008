// Bulk copies and their barrier objects, as text: the virtual device makes each copy as late as it
// may, or at once.
#include <selvage/base/diagnostic.h>
#include <selvage/base/shuffle.h>
#include <selvage/codegen/cuda.h>
#include <selvage/kernel/verify.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "run.h"
#include "tests/support/bulk_rings.h"
#include "tests/support/counts.h"
#include "tests/support/refusal.h"

namespace selvage::bulk_text {
namespace {

using namespace test;
using Part = BulkRing::Part;

constexpr std::int64_t kThreads = 4;

// What y holds where each tile is used when it is there.
Array used_tiles(const Kernel& kernel, std::int64_t tiles) {
  const std::vector<Array> arrays = arrays_for(kernel, {});
  Array expected(DataType::Float, {tiles * kThreads});
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const std::int64_t tile = i / kThreads, t = i % kThreads;
    expected.set(i, arrays[0].get(tile * 4 * kThreads + 4 * kThreads - 1 - 4 * t));
  }
  return expected;
}
// False, too, for an order in which it hangs.
bool goes_right(const Kernel& kernel, const Array& expected, VirtualOrder order) {
  try {
    return gives(kernel, expected, order);
  } catch (const Error&) {
    return false;
  }
}

TEST(BulkText, IsMadeAsLateAsAPhaseAllows) {
  for (const bool by_one : {false, true}) {
    BulkRing ring(kThreads);
    ring.tiles = 7;
    ring.by_one = by_one;
    if (by_one) ring.arrivals = 1;
    const Kernel& kernel = ring.make();
    const Array expected = used_tiles(kernel, 7);
    EXPECT_TRUE(gives(kernel, expected, {}));
    for (std::uint64_t seed = 0; seed < 8; ++seed) EXPECT_TRUE(gives(kernel, expected, seed));
    std::vector<Array> arrays = arrays_for(kernel, {});
    run_text_checked(kernel, {}, arrays);
  }
  BulkRing early(kThreads);
  early.tiles = 7;
  early.waits_for = 3;
  const Kernel& kernel = early.make();
  EXPECT_FALSE(gives(kernel, used_tiles(kernel, 7), {}));
}

TEST(BulkText, HangsWithTheLineAtWhichThreadsWait) {
  BulkRing ring(kThreads);
  ring.tiles = 7;
  ring.arrivals = kThreads + 1;
  const Kernel& kernel = ring.make();
  std::vector<Array> arrays = arrays_for(kernel, {});
  EXPECT_THAT(error_of([&] { run_text(kernel, {}, arrays); }),
              testing::AllOf(testing::HasSubstr("E702"),
                             testing::HasSubstr("wait for a phase that never ends"),
                             testing::HasSubstr("wait_for_phase(")));
}

// One warp copies and the others use, each at its own pace.
TEST(BulkText, RunsRoles) {
  RolePipeline roles;
  const Kernel& kernel = roles.make();
  const std::vector<Array> given = arrays_for(kernel, {});
  Array expected(DataType::Float, {64 * roles.tiles});
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    expected.set(i, given[0].get(i / 64 * 64 + 63 - i % 64));
  }
  EXPECT_TRUE(gives(kernel, expected, {}));
  for (std::uint64_t seed = 0; seed < 8; ++seed) EXPECT_TRUE(gives(kernel, expected, seed));
  EXPECT_THAT(cuda(kernel).text, testing::HasSubstr("if (threadIdx.x < 1) {  // producer\n"));
  EXPECT_THAT(cuda(kernel).text, testing::HasSubstr("if (32 <= threadIdx.x) {  // consumer\n"));
  // Each fault of a role that is more than a missing fence shows in some order.
  const auto goes_wrong = [&](auto change) {
    RolePipeline other;
    change(other);
    const Kernel& faulty = other.make();
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      if (!goes_right(faulty, expected, seed)) return true;
    }
    return !goes_right(faulty, expected, {});
  };
  EXPECT_FALSE(goes_wrong([](RolePipeline&) {}));
  EXPECT_TRUE(goes_wrong([](RolePipeline& k) { k.waits_for_full = false; }));
  EXPECT_TRUE(goes_wrong([](RolePipeline& k) { k.waits_for_empty = false; }));
  EXPECT_TRUE(goes_wrong([](RolePipeline& k) { k.frees = false; }));
  EXPECT_TRUE(goes_wrong([](RolePipeline& k) { k.bytes = 512; }));
  EXPECT_TRUE(goes_wrong([](RolePipeline& k) { k.empty_arrivals = 65; }));
  EXPECT_TRUE(goes_wrong([](RolePipeline& k) { k.full_phase = 1; }));
}

TEST(BulkText, IsWhatTheCompilerTakes) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  RolePipeline roles;
  const KernelSource source = source_of(cuda(roles.make()));
  for (const char* architecture : {"sm_90a", "sm_100a"}) {
    EXPECT_FALSE(nvrtc->compile(source, {.arch = architecture}).cubin.empty()) << architecture;
  }
}

// Rings of any make, some of them wrong: where the verifier finds nothing, every order that is
// drawn comes to the same.
TEST(BulkText, GoesWrongInSomeOrderWhereTheVerifierFindsAFault) {
  SplitMix64 random(20261202);
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  int right = 0, wrong = 0, shown = 0;
  for (int k = 0; k < count(120, 3'000); ++k) {
    BulkRing ring(kThreads);
    ring.stages = 1 + below(3);
    ring.ahead = below(3);
    ring.objects = std::max<std::int64_t>(1, ring.ahead + below(2));
    ring.waits_for = below(4) == 0 ? below(3) : ring.ahead;
    ring.waits_for = std::min(ring.waits_for, 2 * ring.objects);
    ring.by_one = below(2) == 0;
    ring.arrivals = ring.by_one ? 1 : kThreads;
    // A fence is nothing that the virtual device can do without.
    if (below(2) == 0) {
      const auto part = std::size_t(below(std::int64_t(ring.parts.size())));
      const Part moved = ring.parts[part];
      ring.parts.erase(ring.parts.begin() + std::ptrdiff_t(part));
      if (moved == Part::Fence || below(3) != 0) {
        ring.parts.insert(ring.parts.begin() + below(std::int64_t(ring.parts.size()) + 1), moved);
      }
    }
    ring.tiles = 1 + below(8);
    const Kernel& kernel = ring.make();
    const bool is_legal = verify(kernel).is_legal();
    // A ring may use another tile than is meant, in every order: that is what it says.
    std::vector<Array> at_once = arrays_for(kernel, {});
    run_emulated(kernel, {}, at_once);
    const Array& expected = at_once[1];
    bool goes_wrong = !goes_right(kernel, expected, {});
    for (int order = 0; order < count(20, 200) && !goes_wrong; ++order) {
      goes_wrong = !goes_right(kernel, expected, random.next());
    }
    EXPECT_FALSE(is_legal && goes_wrong) << k << "\n" << cuda(kernel).text;
    right += is_legal;
    wrong += !is_legal;
    shown += !is_legal && goes_wrong;
  }
  std::printf(
      "[FIGURE] bulk copies as late as they may: %d rings right, %d wrong, %d of these go "
      "wrong or hang\n",
      right, wrong, shown);
}

}  // namespace
}  // namespace selvage::bulk_text
