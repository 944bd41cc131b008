// Copies that end later, as text: the virtual device makes each as late as it may, or at once.
#include <selvage/base/shuffle.h>
#include <selvage/kernel/verify.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <set>

#include "run.h"
#include "tests/support/copy_rings.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using namespace test;
using Part = CopyRing::Part;

constexpr std::int64_t kThreads = 4;

CopyRing::Parts drawn_parts(SplitMix64& random) {
  CopyRing::Parts parts = {Part::Wait, Part::Copy, Part::Close, Part::Use};
  for (std::uint64_t m = random.next() % 3; m > 0; --m) parts.push_back(Part::Meet);
  selvage::shuffle(parts, random);
  return parts;
}

// What a run of the text leaves in y, where each tile is to be reversed.
bool is_right(const Kernel& kernel, std::int64_t tiles, VirtualOrder order) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  run_text(kernel, {}, arrays, default_virtual_compiler(), order);
  for (std::int64_t i = 0; i < tiles * kThreads; ++i) {
    const std::int64_t from = i / kThreads * kThreads + kThreads - 1 - i % kThreads;
    if (arrays[1].get(i) != arrays[0].get(from)) return false;
  }
  return true;
}

TEST(CopyText, IsMadeAsLateAsAWaitAllows) {
  CopyRing ring(kThreads);
  ring.tiles = 7;
  const Kernel& kernel = ring.make();
  for (std::uint64_t seed = 0; seed < 8; ++seed) EXPECT_TRUE(is_right(kernel, 7, seed));
  std::vector<Array> arrays = arrays_for(kernel, {});
  run_text_checked(kernel, {}, arrays);
  CopyRing early(kThreads);
  early.tiles = 7;
  early.pending = 2;
  EXPECT_FALSE(is_right(early.make(), 7, {}));
}

// Rings of any make, some of them wrong: what the verifier finds nothing in is right in every order
// that is drawn, and in what it finds something some order goes wrong.
TEST(CopyText, GoesWrongInSomeOrderWhereTheVerifierFindsAFault) {
  SplitMix64 random(20261130);
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  int right = 0, wrong = 0, shown = 0;
  for (int k = 0; k < count(120, 3'000); ++k) {
    CopyRing ring(kThreads);
    ring.stages = 1 + below(3);
    ring.ahead = below(3);
    ring.pending = below(3);
    ring.parts = drawn_parts(random);
    ring.tiles = 1 + below(8);
    const Kernel& kernel = ring.make();
    const bool is_legal = verify(kernel).is_legal();
    bool goes_wrong = !is_right(kernel, *ring.tiles, {});
    for (int order = 0; order < count(20, 200) && !goes_wrong; ++order) {
      goes_wrong = !is_right(kernel, *ring.tiles, random.next());
    }
    EXPECT_FALSE(is_legal && goes_wrong) << k << "\n" << cuda(kernel).text;
    right += is_legal;
    wrong += !is_legal;
    shown += !is_legal && goes_wrong;
  }
  std::printf(
      "[FIGURE] copies as late as they may: %d rings right, %d wrong, %d of these go wrong\n",
      right, wrong, shown);
  EXPECT_LE((wrong - shown) * 100, at_most(15 * wrong));
}

}  // namespace
}  // namespace selvage
