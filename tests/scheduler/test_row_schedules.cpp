// How folds over the items of rows are scheduled where nobody says how, and by which feature.
#include <selvage/driver/run.h>
#include <selvage/ir/ragged.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/scheduler/row_schedules.h>

#include <gtest/gtest.h>

#include "tests/support/loops_order.h"
#include "tests/support/lowered.h"

namespace selvage {

namespace {

using test::expect_agreement;
using test::SizeList;

// A row of y is the sum of rows of x, each times an item; `lanes`: dense axes.
struct RowsTimesMatrix {
  explicit RowsTimesMatrix(int lanes) {
    const Expr B = f.extent("B", 0), b = f.fresh_index("b"), j = f.fresh_index("j");
    rows = add_rows(f.input("off", {B + 1}, DataType::Int64));
    std::vector<Expr> inner, at = {b, j}, indices = {b}, shape = {B};
    for (int k = 0; k < lanes; ++k) {
      inner.push_back(f.extent("D" + std::to_string(k)));
      at.push_back(f.fresh_index("d"));
      indices.push_back(at.back());
      shape.push_back(inner.back());
    }
    const Tensor x = ragged_input(f, "x", rows, inner, DataType::Int32);
    y = f.output("y",
                 f.compute_fold("", indices, shape, {.indices = {j}, .shape = {length(f, rows)}},
                                item(x, rows, at) * Element(j + 1)));
  }
  Fusion f;
  RowsId rows{};
  Tensor y;
};

TEST(RowSchedules, EachIsRight) {
  using enum RowSchedule::Kind;
  for (int lanes = 0; lanes < 3; ++lanes) {
    const RowsTimesMatrix r(lanes);
    for (const RowSchedule how :
         {RowSchedule{ThreadARow, 1}, RowSchedule{GroupARow, 8}, RowSchedule{GroupARow, 32},
          RowSchedule{MergePath, 8}, RowSchedule{MergePath, 3}}) {
      SCOPED_TRACE(how.text() + ", " + std::to_string(lanes));
      Schedule s(r.f);
      schedule_rows(s, r.y.id(), how);
      SizeList sizes = {{{"B", 8}, {"off_items", 30}},
                        {{"B", 1}, {"off_items", 7}},
                        {{"B", 40}, {"off_items", 3}},
                        {{"B", 3}, {"off_items", 0}},
                        {{"B", 300}, {"off_items", 900}}};
      for (auto& at : sizes) {
        for (int k = 0; k < lanes; ++k) at["D" + std::to_string(k)] = k == 0 ? 5 : 2;
      }
      expect_agreement(r.f, s, sizes);
    }
  }
}

// The number of the first class that holds; the number of classes: none.
std::size_t class_of(const RowsTimesMatrix& r, std::int64_t count, std::int64_t items,
                     std::int64_t longest, const Device& device = usual_device()) {
  SizeValues told;
  told.add(r.f.domains()[r.rows].count, count);
  told.add(r.f.domains()[r.rows].items, items);
  told.add(longest_of(r.f, r.rows), longest);
  const std::vector<RowClass> classes = row_classes(r.f, r.rows, device);
  std::size_t k = 0;
  while (k < classes.size() && told(classes[k].condition) != 1) ++k;
  return k;
}

// Matrices for which times of both ways were published: a thread a row where it was the faster one,
// or as fast; else not.
TEST(RowSchedules, MatricesWithPublishedTimes) {
  struct Matrix {
    const char* name;
    std::int64_t rows, items, longest;
    double thread_by_path;  // times
  };
  const Matrix matrices[] = {{"mc2depi", 525'825, 2'100'225, 4, 0.68},
                             {"roadNet-CA", 1'971'281, 5'533'214, 12, 0.72},
                             {"mac_econ_fwd500", 206'500, 1'273'389, 44, 1.0},
                             {"cant", 62'451, 4'007'383, 78, 2.4},
                             {"webbase-1M", 1'000'005, 3'105'536, 4'700, 4.2},
                             {"mip1", 66'463, 10'352'819, 66'395, 35},
                             {"circuit5M", 5'558'326, 59'524'291, 1'290'501, 111},
                             {"FullChip", 2'987'012, 26'621'990, 2'312'481, 337}};
  const RowsTimesMatrix r(0);
  for (const Matrix& m : matrices) {
    const bool is_thread = class_of(r, m.rows, m.items, m.longest) == 0;
    EXPECT_EQ(is_thread, m.thread_by_path <= 1) << m.name;
    const bool on_v100 = class_of(r, m.rows, m.items, m.longest, test::v100()) == 0;
    EXPECT_TRUE(on_v100 == (m.thread_by_path < 1) || m.thread_by_path == 1) << m.name;
  }
}

TEST(RowSchedules, Thresholds) {
  const RowsTimesMatrix r(0);
  EXPECT_EQ(class_of(r, 100, 800, kLongestOfThread), 0u);
  EXPECT_EQ(class_of(r, 100, 800, kLongestOfThread + 1), 1u);
  EXPECT_EQ(class_of(r, 100, 801, kLongestOfThread), 1u);
  EXPECT_EQ(class_of(r, 100, 3200, kLongestOfGroup), 1u);
  EXPECT_EQ(class_of(r, 100, 3200, kLongestOfGroup + 1), 3u);
  EXPECT_EQ(class_of(r, 100, 3201, kLongestOfWarp), 2u);
  EXPECT_EQ(class_of(r, 100, 3201, kLongestOfWarp + 1), 3u);
  // With less L1 a thread reads a row alone up to fewer items, where L2 does not hold them all.
  const Device small = test::v100();
  EXPECT_EQ(mean_in_l1(small), 4);
  const std::int64_t most = items_in_l2(small);
  EXPECT_EQ(class_of(r, most / 8, most / 8 * 8, kLongestOfThread, small), 0u);
  EXPECT_EQ(class_of(r, most / 4, most + 1, kLongestOfThread, small), 1u);
  EXPECT_EQ(class_of(r, most, 4 * most, kLongestOfThread, small), 0u);
  EXPECT_EQ(class_of(r, most, 4 * most + 1, kLongestOfThread, small), 1u);
}

Array offsets_of(const std::vector<std::int64_t>& lengths) {
  Array offsets(DataType::Int64, {std::int64_t(lengths.size()) + 1});
  std::int64_t at = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    at += lengths[k];
    offsets.set_int(std::int64_t(k) + 1, at);
  }
  return offsets;
}

// A run takes the kernels that its rows are for, and each gives what the unscheduled program gives.
TEST(RowSchedules, ARunChoosesByItsRows) {
  const RowsTimesMatrix r(0);
  const Program program = lower_automatically(r.f, {}, usual_device(), {});
  const auto launches = [&](const std::vector<std::int64_t>& lengths) {
    RunRequest request;
    request.inputs["off"] = offsets_of(lengths);
    const Array& offsets = request.inputs["off"];
    request.sizes["off_items"] = offsets.get_int(offsets.size() - 1);
    request.on = Machine::Virtual;
    const RunResult result = run(r.f, program, request);
    EXPECT_TRUE(result.passed());
    return result.launches;
  };
  EXPECT_EQ(launches(std::vector<std::int64_t>(100, 3)), 1);
  EXPECT_EQ(launches(std::vector<std::int64_t>(100, 20)), 1);
  EXPECT_EQ(launches(std::vector<std::int64_t>(20, 200)), 1);
  std::vector<std::int64_t> uneven(100, 1);
  uneven[7] = 9000;
  EXPECT_EQ(launches(uneven), 2);
}

// Folds over the same rows, and one over dense items, each in kernels of its own.
TEST(RowSchedules, SeveralFolds) {
  RowsTimesMatrix r(0);
  const Expr b = r.f.fresh_index("b"), j = r.f.fresh_index("j"), k = r.f.fresh_index("k");
  const Tensor x(&r.f, *r.f.find("x")), off(&r.f, *r.f.find("off"));
  const Expr B = r.f.shape(r.y.id())[0];
  r.f.output(
      "m", r.f.compute_fold("", {b}, {B},
                            {.how = Reduction::Max, .indices = {j}, .shape = {length(r.f, r.rows)}},
                            item(x, r.rows, {b, j})));
  r.f.output("n", r.f.compute_fold("", {}, {}, {.indices = {k}, .shape = {B + 1}}, off(k)));
  const Schedule s = filled_in(Schedule(r.f)).schedule;
  expect_agreement(r.f, s, {{{"B", 8}, {"off_items", 30}}, {{"B", 300}, {"off_items", 900}}});
}

// A fold that is read by others over the same items shares their kernel, row by row; and a choice
// of a plan is kept.
TEST(RowSchedules, WhatIsLeftToOtherPlans) {
  RowsTimesMatrix r(0);
  const auto rows_of = [](const AutomaticSchedule& made) {
    return made.kernels.size() == 1 && made.kernels[0].rows.has_value();
  };
  EXPECT_TRUE(rows_of(filled_in(Schedule(r.f))));
  EXPECT_FALSE(rows_of(filled_in(Schedule(r.f), {}, usual_device(), {{"y", {.threads = 64}}})));
  const Expr b = r.f.fresh_index("b"), j = r.f.fresh_index("j");
  r.f.output("z", compute_ragged(r.f, "", r.rows, {b, j}, {}, r.y(b) + Element(j)));
  EXPECT_FALSE(rows_of(filled_in(Schedule(r.f))));
}

// What folds over rows read is folded by threads of its own.
TEST(RowSchedules, WhatTheyReadIsShared) {
  Fusion f;
  const auto [B, D] = f.extents("B", "D");
  const RowsId rows = add_rows(f.input("off", {B + 1}, DataType::Int64));
  const Tensor x = ragged_input(f, "x", rows, {D}, DataType::Float);
  const Expr b = f.fresh_index("b"), j = f.fresh_index("j"), d = f.fresh_index("d");
  const Fusion::FoldRequest product{.indices = {d}, .shape = {D}};
  const Tensor score =
      compute_ragged(f, "score", rows, {b, j}, {}, item(x, rows, {b, j, d}), {}, &product);
  f.output("y", f.compute_fold("", {b}, {B}, {.indices = {j}, .shape = {length(f, rows)}},
                               item(score, rows, {b, j})));
  const Schedule s = filled_in(Schedule(f)).schedule;
  for (const ProgramStep& step : lower(f, s).steps) {
    const Launch& launch = step.variants[0].launch;
    EXPECT_FALSE(launch.grid[0].is_const(1) && launch.block[0].is_const(1))
        << step.variants[0].name;
  }
  expect_agreement(f, s, {{{"B", 8}, {"D", 5}, {"off_items", 30}}});
}

}  // namespace

}  // namespace selvage
