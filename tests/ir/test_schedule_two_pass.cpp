#include <selvage/ir/ops.h>
#include <selvage/ir/schedule.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

// v[b] = var(x[b, h]) and, before it, a mean in which the test is interested.
struct Variance {
  explicit Variance(DataType type = DataType::Float) {
    x = f.input("x", {f.extent("B"), f.extent("H")}, type, {"b", "h"});
  }
  Tensor add() { return f.output("v", variance(x, {1})); }

  Fusion f;
  Tensor x;
};

TEST(ScheduleTwoPass, MakesAMeanAndTheSquaresOfDistancesFromIt) {
  Variance k;
  const Tensor v = k.add();
  Schedule s(k.f);
  const TensorId mean = s.two_pass(v);
  const TensorInfo &made = s.fusion()[mean], &whole = s.fusion()[v.id()];
  EXPECT_EQ(made.name, "v_mean");
  EXPECT_EQ(made.fold->how, Reduction::Mean);
  EXPECT_EQ(made.fold->correction, 0);
  EXPECT_EQ(whole.fold->how, Reduction::Mean);
  EXPECT_EQ(whole.fold->correction, 1);
  EXPECT_EQ(s.mean_of(v.id()), mean);
  EXPECT_TRUE(s.follows(mean));
  EXPECT_EQ(s.making(mean)->kind, Schedule::Making::Kind::Mean);
  EXPECT_EQ(k.f[v.id()].fold->how, Reduction::Variance);  // the fusion stays as it is
}

TEST(ScheduleTwoPass, SharesTheMeanOfTheSameItemsInTheSameType) {
  Variance same;
  const Tensor m = same.f.output("m", mean(same.x, {1}));
  const Tensor v = same.add();
  Schedule s(same.f);
  EXPECT_EQ(s.two_pass(v), m.id());
  EXPECT_EQ(s.fusion().size(), same.f.size());

  // It does not matter which of the two keeps the axis.
  Variance kept;
  const Tensor d = kept.f.output("d", mean(kept.x, {1}, keepdim));
  const Tensor e = kept.add();
  EXPECT_EQ(Schedule(kept.f).two_pass(e), d.id());

  Variance other;
  other.f.output("m", mean(other.x * 2, {1}));
  other.f.output("n", mean(other.x, {0}));
  const Tensor w = other.add();
  EXPECT_EQ(index_of(Schedule(other.f).two_pass(w)), other.f.size());

  // A mean of halves is rounded where it is stored alone.
  Variance half(DataType::Half);
  const Tensor h = half.f.output("m", mean(half.x, {1}));
  const Tensor u = half.add();
  EXPECT_EQ(Schedule(half.f).two_pass(u), h.id());
}

TEST(ScheduleTwoPass, Refusals) {
  Variance k;
  const Tensor m = k.f.output("m", mean(k.x, {1})), n = k.f.output("n", mean(k.x * 2, {1}));
  const Tensor v = k.add();
  Schedule s(k.f);
  EXPECT_EQ(refusal_by<Illegal>([&] { s.two_pass(m); }),
            "selvage: error[E421]: m is no variance; help: leave two_pass out: it takes tensors "
            "that are variances");
  EXPECT_EQ(refusal_by<Illegal>([&] { s.two_pass(v, "n"); }),
            "selvage: error[E421]: n is not the mean of what v folds, in the type and over the "
            "iterdomains of v; help: take a name that no tensor has: the mean is made");
  const auto [outer, inner] = s.split(s.loops<2>(v)[1], 4);
  EXPECT_EQ(refusal_by<Illegal>([&] { s.two_pass(v); }),
            "selvage: error[E421]: v is cut up already; help: let two_pass come first");
  s.rfactor(v, {outer}, "p");
  EXPECT_EQ(refusal_by<Illegal>([&] { s.two_pass(v); }),
            "selvage: error[E421]: v is in parts already; help: let two_pass come first");
  (void)inner;
  (void)n;
}

}  // namespace
}  // namespace selvage
