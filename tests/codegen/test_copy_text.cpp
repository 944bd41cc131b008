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

// y after a run in which every copy is made where it is begun, one thread after the other.
Array made_at_once(const Kernel& kernel) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  run_emulated(kernel, {}, arrays);
  return arrays[1];
}
TEST(CopyText, IsMadeAsLateAsAWaitAllows) {
  CopyRing ring(kThreads);
  ring.tiles = 7;
  const Kernel& kernel = ring.make();
  std::vector<Array> arrays = arrays_for(kernel, {});
  Array reversed(DataType::Float, {7 * kThreads});
  for (std::int64_t i = 0; i < reversed.size(); ++i) {
    reversed.set(i, arrays[0].get(i / kThreads * kThreads + kThreads - 1 - i % kThreads));
  }
  for (std::uint64_t seed = 0; seed < 8; ++seed) EXPECT_TRUE(gives(kernel, reversed, seed));
  run_text_checked(kernel, {}, arrays);
  CopyRing early(kThreads);
  early.tiles = 7;
  early.pending = 2;
  EXPECT_FALSE(gives(early.make(), reversed, {}));
}

// Rings of any make, some of them wrong: where the verifier finds nothing, every order that is
// drawn comes to the same; where it finds something, some order comes to something else. (A ring
// may use another tile than is meant, in every order: that is what it says.)
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
    const Array expected = made_at_once(kernel);
    bool goes_wrong = !gives(kernel, expected, {});
    for (int order = 0; order < count(20, 200) && !goes_wrong; ++order) {
      goes_wrong = !gives(kernel, expected, random.next());
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
