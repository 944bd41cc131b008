#include <selvage/base/diagnostic.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <string>

namespace selvage {
namespace {

std::string shape(Tensor t) {
  std::string text;
  for (Expr n : t.fusion().shape(t.id())) text += (text.empty() ? "" : ", ") + to_string(n);
  return "[" + text + "]";
}

class AxisOps : public testing::Test {
 protected:
  Fusion f;
  Expr M = f.extent("M"), N = f.extent("N");
  Tensor x = f.input("x", {M, f.constant(1), N}, DataType::Float);
};

TEST_F(AxisOps, BroadcastToRepeatsAxesOfExtent1AndNewOnes) {
  EXPECT_EQ(shape(broadcast_to(x, {M, 5, N})), "[M, 5, N]");
  EXPECT_EQ(shape(broadcast_to(x, {7, -1, N, -1})), "[7, M, N, N]");
  EXPECT_EQ(shape(expand(x, {-1, -1, -1})), "[M, 1, N]");
  EXPECT_TRUE(f.launch_checks().empty());
  broadcast_to(x, {M, 1, M});
  ASSERT_EQ(f.launch_checks().size(), 1U);
  EXPECT_EQ(to_string(f.launch_checks()[0]), "M == N");
}

TEST_F(AxisOps, BroadcastToRefusesShapesThatDoNotGoTogether) {
  EXPECT_EQ(bad_input([&] {
              broadcast_to(x, {M, N});
            }),
            "selvage: error[E511]: broadcast_to: x[M, 1, N] and the shape [M, N]: there are fewer "
            "extents than the 3 axes of the tensor; help: give at least one extent for each axis");
  EXPECT_EQ(bad_input([&] {
              broadcast_to(x, {-1, M, 1, N});
            }),
            "selvage: error[E511]: broadcast_to: x[M, 1, N] and the shape [-1, M, 1, N]: extent 0 "
            "keeps no axis; help: write a number or a size where an axis is new");
  EXPECT_EQ(bad_input([&] {
              broadcast_to(x, {M, 1, N + 1});
            }),
            "selvage: error[E501]: broadcast_to: x[M, 1, N] and the shape [M, 1, N + 1]: N and N + "
            "1 differ; help: only an axis of extent 1 is repeated; axes are aligned at the last "
            "one");
  EXPECT_EQ(bad_input([&] {
              broadcast_to(x, {M, 1, N});
              broadcast_to(x, {2, M, 1, N});
            }),
            "accepted");
}

TEST_F(AxisOps, SqueezeLeavesOutAxesOfExtent1AndUnsqueezePutsThemIn) {
  EXPECT_EQ(shape(squeeze(x)), "[M, N]");
  EXPECT_EQ(shape(squeeze(x, {-2})), "[M, N]");
  EXPECT_EQ(shape(unsqueeze(squeeze(x), 1)), "[M, 1, N]");
  EXPECT_EQ(shape(unsqueeze(x, -1)), "[M, 1, N, 1]");
  EXPECT_EQ(shape(unsqueeze(x, 0)), "[1, M, 1, N]");
  EXPECT_EQ(bad_input([&] { squeeze(x, {0}); }),
            "selvage: error[E511]: squeeze: axis 0 of x[M, 1, N] has extent M, not 1; help: name "
            "axes whose extent is the number 1");
  EXPECT_EQ(
      bad_input([&] { unsqueeze(x, 4); }),
      "selvage: error[E510]: unsqueeze: no axis of x[M, 1, N] can become axis 4; help: name a "
      "place from -4 to 3");
  EXPECT_EQ(bad_input([&] {
              squeeze(x, {1});
              unsqueeze(x, 3);
            }),
            "accepted");
}

}  // namespace
}  // namespace selvage
