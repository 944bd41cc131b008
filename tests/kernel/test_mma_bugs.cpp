// A matrix multiplication that ends later, right and with the bugs that users have met: refuted
// with the thread and the iteration that it happens at.
#include <selvage/kernel/verify.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/codegen/run.h"
#include "tests/kernel/verify_case.h"
#include "tests/support/event_kernels.h"

namespace selvage::mma_bugs {
namespace {

using namespace test;
using testing::HasSubstr;

// A warpgroup multiplies tiles of 64 x 16 from registers, which it loads again for every other one,
// by one tile of 8 x 16 in shared memory.
struct Multiplications : EventKernel {
  Multiplications() : EventKernel("multiplications", 128) {}
  std::int64_t pending = 1, slots = 2;
  bool is_drained = true, has_fence = true;
  std::int64_t first = 0;  // of the tile in shared memory
  const Kernel& make() {
    const Expr n = size("n");
    kernel.facts.bound(n, c(1), c(600));
    const Expr k = variable("k", n), v = variable("v", c(8)), u = variable("u", c(4));
    const BufferId x = input("x", DataType::Half, n * 1024), w = input("w", DataType::Half, c(128)),
                   y = output("y", DataType::Float, c(512)),
                   ws = shared("ws", DataType::Half, 128 + first),
                   sums = local("sums", DataType::Float, 4),
                   a = local("a", DataType::Half, 8 * slots);
    Mma mma{};
    mma.sums = sums;
    mma.a = a;
    mma.b = ws;
    mma.is_a_shared = false;
    mma.sums_address = c(0);
    mma.b_address = c(first);
    mma.a_address = k % slots * 8;
    const auto wait_for = [](std::int64_t groups) {
      Wait wait;
      wait.pending = groups;
      wait.queue = ThreadQueue::Products;
      return Statement{wait};
    };
    Body body = {store(ws, t + first, read(w, t))};
    if (has_fence) body.push_back({ProxyFence{}});
    body.push_back(barrier());
    const ValueId zero = kernel.values.constant(DataType::Float, 0.0, false);
    body.push_back(loop(u, c(4), {store(sums, u, zero)}));
    body.push_back(
        loop(k, n,
             {loop(v, c(8), {store(a, k % slots * 8 + v, read(x, k * 1024 + t * 8 + v))}),
              {mma},
              {Arrive{.queue = ThreadQueue::Products}},
              wait_for(pending)}));
    if (is_drained) body.push_back(wait_for(0));
    body.push_back(loop(u, c(4), {store(y, t * 4 + u, read(sums, u))}));
    return with(std::move(body));
  }
};

std::string verdict(Multiplications& k) { return first_text(verify(k.make()), Hazard::Race); }
std::string refuted_by(const std::function<void(Multiplications&)>& change) {
  Multiplications k;
  change(k);
  return verdict(k);
}

// The registers of a matrix multiplication are loaded again while it reads them (DeepGEMM #449).
TEST(MmaBugs, RegistersAreReloadedWhileTheyAreRead) {
  for (const std::int64_t slots : {1, 2, 3}) {
    Multiplications right;
    right.slots = slots;
    right.pending = slots - 1;
    EXPECT_EQ(verdict(right), "proved");
  }
  EXPECT_THAT(
      refuted_by([](Multiplications& k) { k.pending = 2; }),
      HasSubstr("refuted: a[0] is written where a matrix multiplication that accesses it may "
                "not have ended: block (0, 0, 0), thread (0, 0, 0), k = 0; and block (0, 0, "
                "0), thread (0, 0, 0), k = 2, v = 0"));
  EXPECT_THAT(refuted_by([](Multiplications& k) { k.slots = 1; }),
              HasSubstr("k = 0; and block (0, 0, 0), thread (0, 0, 0), k = 1, v = 0"));
  EXPECT_THAT(refuted_by([](Multiplications& k) { k.is_drained = false; }),
              HasSubstr("refuted: sums[0] is read where a matrix multiplication that accesses it"));
  EXPECT_THAT(
      refuted_by([](Multiplications& k) { k.has_fence = false; }),
      HasSubstr("refuted: ws[0] is accessed by a thread and then by a matrix multiplication "
                "with no proxy fence between"));
}

// The emulator says what has been done to the element meanwhile.
TEST(MmaBugs, ResultsAreReadBeforeTheyAreThere) {
  Multiplications k;
  k.is_drained = false;
  const Kernel& kernel = k.make();
  std::vector<Array> arrays = arrays_for(kernel, {{"n", 3}});
  const Emulation run = run_emulated(kernel, {{"n", 3}}, arrays);
  ASSERT_FALSE(run.faults.empty());
  EXPECT_THAT(run.faults.front().text,
              HasSubstr("sums[0] is read after a matrix multiplication of thread (0, 0, 0) has "
                        "written it, with no wait between for its end"));
}

// A tile that begins off a multiple of 16 bytes, which the hardware cannot address.
TEST(MmaBugs, ATileBeginsOffAMultipleOf16Bytes) {
  Multiplications k;
  k.first = 4;
  const Kernel& kernel = k.make();
  EXPECT_THAT(first_text(verify(kernel), Hazard::Bounds),
              HasSubstr("ws[4] begins an access of 128 elements and is no multiple of 8"));
  std::map<std::string, std::int64_t> sizes = {{"n", 3}};
  std::vector<Array> arrays = arrays_for(kernel, sizes);
  const Emulation run = run_emulated(kernel, sizes, arrays);
  EXPECT_GT(run.counts.at(FaultKind::Misaligned), 0);
}

}  // namespace
}  // namespace selvage::mma_bugs
