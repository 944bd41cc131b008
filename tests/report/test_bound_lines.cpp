// What page, JSON and diagnostics say of accesses.
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/json.h>
#include <selvage/report/tensor_lines.h>
#include <tests/support/json_value.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

std::string lines(const Report& report) {
  Lines out;
  print_bounds(report.tensors.at(0), out);
  return out.take();
}

std::string bounds_json(const Report& report) {
  const auto all = test::JsonValue::parse(to_json(report));
  return all["tensors"][report.tensors.at(0).name()]["bounds"].dump();
}

TEST(BoundLines, ListTheStoreAndEveryRead) {
  const ScheduleFile file = read_schedule_text(
      "inputs: {a: {shape: [9], dtype: float}}\ncompute: ['y[i] = a[i] + a[i]']\n", "a.yaml");
  const Report report = inspect(file);
  EXPECT_EQ(lines(report),
            "Accesses\n  every store is inside y (proved: guard)\n"
            "  every read of a in y is inside it (proved: the same index)\n");
  EXPECT_EQ(bounds_json(report),
            R"([{"access":"store","tensor":"y","verdict":"proved","rules":["guard"]},)"
            R"({"access":"read","tensor":"a","in":"y","verdict":"proved",)"
            R"("rules":["the same index"]}])");
}

TEST(BoundLines, AReadThatIsOutsideComesWithItsPoint) {
  const ScheduleFile file = read_schedule_text(
      "inputs: {a: {shape: [8], dtype: float}, b: {shape: [8], dtype: float}}\n"
      "compute: ['y[i] = a[i + 1] + b[i]']\nschedule: none\n",
      "a.yaml");
  const Report report = inspect(file);
  EXPECT_EQ(lines(report),
            "Accesses\n  every store is inside y (proved: guard)\n"
            "  every read of a in y is inside it, but at i = 7 (refuted)\n"
            "  every read of b in y is inside it (proved: the same index)\n");
  EXPECT_EQ(bounds_json(report),
            R"([{"access":"store","tensor":"y","verdict":"proved","rules":["guard"]},)"
            R"({"access":"read","tensor":"a","in":"y","verdict":"refuted",)"
            R"("witness":{"i":7}},)"
            R"({"access":"read","tensor":"b","in":"y","verdict":"proved",)"
            R"("rules":["the same index"]}])");
}

TEST(BoundRefuses, AnItemWithoutAPlace) {
  const auto diagnostics = [](const std::string& right) {
    const ScheduleFile file = read_schedule_text(
        "tensors:\n  T0:\n    dtype: float\n    memory: shared\n    root: {i: 8}\n"
        "    view: [{resize: {in: i, left: 0, right: " +
            right + ", out: w}}]\n    logical: [w]\n    allocation: [i]\n    loop: [w]\n",
        "a.yaml");
    return to_text(inspect(file).diagnostics);
  };
  EXPECT_EQ(diagnostics("2"),
            "a.yaml:2:3: error[E443]: an item of T0 has no place in its allocation; at w = 9; "
            "help: leave allocation out\n");
  EXPECT_EQ(diagnostics("0"), "");
}

}  // namespace
}  // namespace selvage
