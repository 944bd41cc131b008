// Files with items of rows and sparse matrices: what they mean, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/driver/run.h>
#include <selvage/lower/program.h>
#include <tests/frontend/schedule_files.h>
#include <tests/frontend/seed_matrix.h>

namespace selvage {

namespace {

using namespace schedule_files;
using namespace seed_matrix;
using testing::HasSubstr;

const std::string kProduct = R"yaml(
inputs:
  A: {shape: [I, J], dtype: float, format: csr}
  B: {shape: [J], dtype: float}
compute: ["Z[i] = sum[j](A[i, j] * B[j])"]
)yaml";

const std::vector<std::pair<std::string, std::string>> kSchedules = {{"a thread a row", R"(
    - split: {in: i, factor: 4, out: [i1, i0]}
    - bind: {i0: TIDx}
)"},
                                                                     {"a warp a row", R"(
    - split: {in: j, factor: 32, out: [step, lane]}
    - bind: {i: BIDx, lane: TIDx}
)"},
                                                                     {"a group of four a row", R"(
    - split: {in: i, factor: 8, out: [block, row]}
    - split: {in: j, factor: 4, out: [step, lane]}
    - bind: {block: BIDx, row: TIDy, lane: TIDx}
)"},
                                                                     {"positions", R"(
    - merge: {in: [i, j], out: p}
    - split: {in: p, factor: 8, out: [tile, k]}
    - bind: {tile: TIDx}
)"},
                                                                     {"a merge path", R"(
    - resize: {in: j, left: 0, right: 1, out: e}
    - merge: {in: [i, e], out: path}
    - split: {in: path, factor: 10, out: [tile, k]}
    - bind: {tile: TIDx}
)"}};

TEST(SparseFiles, TheSeedsMatrixUnderEverySchedule) {
  std::vector<std::string> texts = {kProduct};
  for (const auto& [name, steps] : kSchedules)
    texts.push_back(kProduct + "schedule:\n  Z:" + steps);
  for (const std::string& text : texts) {
    const ScheduleFile file = read(text);
    ASSERT_TRUE(file.illegal.empty()) << text << file.illegal[0].message;
    RunRequest request{.inputs = inputs(), .on = Machine::Emulate, .on_all = true};
    const RunResult result = run(*file.fusion, lower(*file.fusion, *file.schedule), request);
    EXPECT_TRUE(result.passed()) << text;
    for (std::size_t i = 0; i < kSeedResult.size(); ++i) {
      EXPECT_EQ(result.outputs.at("Z").get(std::int64_t(i)), kSeedResult[i]) << text;
    }
  }
}

// Columns that are out of range are read at the nearest one, never past an array.
TEST(SparseFiles, ColumnsOutOfRangeAreReadWithinBounds) {
  for (const auto& [name, steps] : kSchedules) {
    const ScheduleFile file = read(kProduct + "schedule:\n  Z:" + steps);
    RunRequest request{.inputs = inputs(), .on = Machine::Emulate};
    request.inputs["A_columns"].set(3, -7);
    request.inputs["A_columns"].set(20, 1e9);
    request.trusts_offsets = true;
    const RunResult result = run(*file.fusion, lower(*file.fusion, *file.schedule), request);
    EXPECT_EQ(result.faults, std::vector<std::string>()) << name;
  }
}

TEST(SparseFiles, SayWhatIsWrong) {
  const auto with = [](const std::string& statement) {
    return refusal(R"(
inputs:
  A: {shape: [I, J], dtype: float, format: csr}
  C: {shape: [I, J], dtype: float, format: csr}
  B: {shape: [J], dtype: float}
  D: {shape: [9], dtype: float}
compute: [")" + statement +
                   "\"]\n");
  };
  EXPECT_EQ(with("Z[i] = sum[j](A[i, j] * B[j])"), "accepted");
  EXPECT_EQ(with("Z[i, j] = 2 * A[i, j] + B[j]"), "accepted");
  EXPECT_THAT(with("Z[i] = sum[j](A[i, j + 1] * B[j])"), HasSubstr("E520"));
  EXPECT_THAT(with("Z[i] = sum[j](A[i, j] * C[i, j])"), HasSubstr("E520"));
  EXPECT_EQ(with("Z[i] = sum[j](A[i, j] * fill(B[j + 1], 0))"), "accepted");
  EXPECT_THAT(refusal("inputs: {A: {shape: [I], dtype: float, format: csr}}\n"
                      "compute: [\"Z[i] = A[i]\"]\n"),
              HasSubstr("E520"));
}

// What is read at columns has an item for each: known to differ, or tested at launch.
TEST(SparseFiles, ColumnsAreThoseOfWhatIsReadThere) {
  const auto with = [](const std::string& columns, const std::string& items) {
    return "inputs:\n  A: {shape: [I, " + columns +
           "], dtype: float, format: csr}\n  B: {shape: [" + items +
           "], dtype: float}\ncompute: [\"Z[i] = sum[j](A[i, j] * B[j])\"]\n";
  };
  EXPECT_EQ(refusal(with("8", "8")), "accepted");
  EXPECT_THAT(refusal(with("8", "9")), HasSubstr("E501"));
  const ScheduleFile file = read(with("J", "N"));
  EXPECT_EQ(file.fusion->launch_checks().size(), 1u);
}

}  // namespace

}  // namespace selvage
