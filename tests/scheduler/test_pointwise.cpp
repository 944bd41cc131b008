#include <selvage/ir/ops.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/scheduler/pointwise.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

std::string loops(const Schedule& s, Tensor t) {
  std::string text;
  for (ScheduledLoop l : s.loops(t.id())) {
    text +=
        s.name(t.id(), l.domain) + " " + std::string(to_string(s.parallel(t.id(), l.domain))) + " ";
  }
  return text;
}

TEST(SchedulePointwise, BindsOneThreadToEachElement) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor a = f.input("a", {n, f.constant(3), n}, DataType::Float);
  const Tensor y = f.output("y", relu(a));
  Schedule s(f);
  schedule_pointwise(s, y.id());
  EXPECT_EQ(loops(s, y), "block BIDx thread TIDx ");
}

TEST(SchedulePointwise, TakesNoNameOfASize) {
  Fusion f;
  const Expr block = f.extent("block");
  const Tensor y = f.output("y", relu(f.input("a", {block}, DataType::Float)));
  Schedule s(f);
  schedule_pointwise(s, y.id());
  EXPECT_EQ(loops(s, y), "block_ BIDx thread TIDx ");
}

TEST(SchedulePointwise, LeavesAScalarAlone) {
  Fusion f;
  const Tensor y = f.output("y", relu(f.input("a", {}, DataType::Float)));
  Schedule s(f);
  schedule_pointwise(s, y.id());
  EXPECT_EQ(loops(s, y), "");
}

// Else it would follow its reader, whose blocks would then have to meet.
TEST(SchedulePointwise, LeavesAScalarThatFoldsToOneThread) {
  Fusion f;
  const Tensor a = f.input("a", {f.extent("N")}, DataType::Float);
  const Tensor s = sum(a), y = f.output("y", a / s);
  Schedule schedule(f);
  schedule_pointwise(schedule, y.id());
  schedule_pointwise(schedule, s.id());
  EXPECT_EQ(loops(with_defaults(schedule), s), "i0 Serial ");
}

}  // namespace
}  // namespace selvage
