// Files with items of rows and sparse matrices: what they mean, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/driver/run.h>
#include <selvage/lower/program.h>
#include <tests/frontend/schedule_files.h>
#include <tests/frontend/seed_matrix.h>

#include <cmath>

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

// A result at a matrix's items has its columns: a softmax of each row, times a vector.
TEST(SparseFiles, AResultHasTheColumnsOfItsItems) {
  const ScheduleFile file = read(R"yaml(
inputs:
  A: {shape: [I, J], dtype: float, format: csr}
  B: {shape: [J], dtype: float}
compute:
  - M[i] = max[j](A[i, j])
  - S[i] = sum[j](exp(A[i, j] - M[i]))
  - P[i, j] = exp(A[i, j] - M[i]) / S[i]
  - Z[i] = sum[j](P[i, j] * B[j] + 0 * A[i, j])
outputs: {P: {}, Z: {}}
)yaml");
  RunRequest request{.inputs = inputs(), .on = Machine::Emulate};
  request.on_all = true;
  const RunResult result = run(*file.fusion, lower(*file.schedule), request);
  EXPECT_TRUE(result.passed());
  const auto in = inputs();
  const Array &a = in.at("A"), &b = in.at("B"), &off = in.at("A_offsets"), &c = in.at("A_columns");
  for (std::int64_t i = 0; i < 8; ++i) {
    double sum = 0, product = 0;
    for (std::int64_t k = off.get_int(i); k < off.get_int(i + 1); ++k) sum += std::exp(a.get(k));
    for (std::int64_t k = off.get_int(i); k < off.get_int(i + 1); ++k) {
      const double p = std::exp(a.get(k)) / sum;
      EXPECT_NEAR(result.outputs.at("P").get(k), p, 1e-6);
      product += p * b.get(c.get_int(k));
    }
    EXPECT_NEAR(result.outputs.at("Z").get(i), product, 1e-5) << i;
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
  EXPECT_EQ(with("Z[i] = sum[j](A[i, j] * C[i, j])"), "accepted");
  EXPECT_THAT(with("Z[i] = sum[j](A[i, j] + C[i, j])"), HasSubstr("E520"));
  EXPECT_EQ(with("Z[i] = sum[j](A[i, j] * fill(B[j + 1], 0))"), "accepted");
  EXPECT_THAT(
      refusal("inputs:\n  off: {shape: [I + 1], dtype: int32}\n"
              "  x: {shape: [I, ragged(off)], dtype: float}\n  w: {shape: [J], dtype: float}\n"
              "compute: [\"s[i] = sum[j](x[i, j] * w[j])\"]\n"),
      HasSubstr("error[E501]: the index j runs over the items of a row of off, which differ in "
                "number, and over the J of w; help: read w at a number that an input"));
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
