// Kernels that replace what they read: no element is read behind its store.
#include <selvage/emulate/emulate.h>
#include <selvage/kernel/verify.h>

#include <gtest/gtest.h>

#include "tests/support/hand_kernel.h"

namespace selvage {
namespace {

using namespace test;

// for i in 8 { y[i] = x[i + shift] } by one thread, where y replaces x; where the element does not
// exist, y[i] = x[i].
struct Shifted {
  explicit Shifted(std::int64_t shift) : k("shift") {
    const BufferId x = k.input("x", DataType::Float, k.c(8));
    const BufferId y = k.output("y", DataType::Float, k.c(8));
    k.kernel.buffers[y].replaces = x;
    const Expr i = k.variable("i", k.c(8));
    const Expr at = min(max(i + shift, k.c(0)), k.c(7));
    k.kernel.body = {loop(i, k.c(8), {store(y, i, k.read(x, at))})};
  }
  Emulation emulated() {
    Array a(DataType::Float, {8});
    for (std::int64_t n = 0; n < 8; ++n) a.set(n, double(n));
    std::vector<Array*> arrays = {&a, &a};
    return emulate(k.kernel, {}, arrays);
  }
  HandKernel k;
};

TEST(VerifyReplaced, AReadOfTheSameElementIsProved) {
  Shifted s(0);
  EXPECT_TRUE(verify(s.k.kernel).is_legal());
  EXPECT_EQ(s.emulated().fault_count, 0);
}

TEST(VerifyReplaced, AReadBehindTheStoreIsRefutedAndAFault) {
  Shifted s(-1);
  const Verification v = verify(s.k.kernel);
  ASSERT_TRUE(is_refuted(v.of(Hazard::Lifetime)));
  EXPECT_EQ(v.findings[0].text,
            "x[0] is read behind a store to y, which takes its place: block (0, 0, 0), thread "
            "(0, 0, 0), i = 1");
  const Emulation e = s.emulated();
  ASSERT_EQ(e.fault_count, 7);
  EXPECT_EQ(e.faults[0].kind, FaultKind::Overwritten);
}

// Each element is read an iteration before it is stored: no proof knows that, a whole run does.
TEST(VerifyReplaced, AReadAheadIsDecidedByARun) {
  Shifted s(1);
  EXPECT_TRUE(verify(s.k.kernel).is_legal());
  EXPECT_EQ(s.emulated().fault_count, 0);
}

TEST(VerifyReplaced, AnotherThreadsReadIsARace) {
  Shifted s(1);
  std::get<Loop>(s.k.kernel.body[0].node).parallel = ParallelType::TIDx;
  s.k.kernel.launch.block[0] = s.k.c(8);
  EXPECT_TRUE(is_refuted(verify(s.k.kernel).of(Hazard::Race)));
  EXPECT_GT(s.emulated().counts[FaultKind::Race], 0);
}

}  // namespace
}  // namespace selvage
