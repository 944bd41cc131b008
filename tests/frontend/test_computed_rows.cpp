// Files whose rows are told by what the file computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>

namespace selvage {

namespace {

namespace computed_rows {

using namespace schedule_files;
using testing::HasSubstr;

// Each row of x, and behind it that of y.
const std::string kJoined = R"yaml(
inputs:
  len_x: {shape: [B], dtype: int32}
  len_y: {shape: [B], dtype: int32}
  x: {shape: [B, ragged(off_x)], dtype: int32}
  y: {shape: [B, ragged(off_y)], dtype: int32}
symbols: {B: {min: 0}}
outputs:
  off_x: {shape: [B + 1]}
  off_y: {shape: [B + 1]}
  off_z: {shape: [B + 1]}
  z: {shape: [B, ragged(off_z)]}
  s: {}
compute:
  - ends_x[b] = cumsum[b](len_x[b])
  - ends_y[b] = cumsum[b](len_y[b])
  - off_x[b] = fill(ends_x[b - 1], 0)
  - off_y[b] = fill(ends_y[b - 1], 0)
  - off_z[b] = off_x[b] + off_y[b]
  - n[b] = int64(len_x[b])
  - z[b, j] = select(j < n[b], fill(x[b, j], 0), fill(y[b, j - n[b]], 0))
  - s[b] = sum[j](x[b, j])
)yaml";

Array numbers(const std::vector<std::int64_t>& values) {
  Array made(DataType::Int32, {std::int64_t(values.size())});
  for (std::size_t k = 0; k < values.size(); ++k) made.set_int(std::int64_t(k), values[k]);
  return made;
}

TEST(ComputedRows, JoinTwoBatches) {
  const ScheduleFile file = read(kJoined);
  ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
  const Program program = lower(*file.schedule);
  EXPECT_TRUE(prove(program.steps).is_complete());
  SplitMix64 random(3);
  for (int i = 0; i < count(6, 200) && !HasFailure(); ++i) {
    const std::size_t rows = i == 0 ? 0 : random.next() % 20;
    std::vector<std::int64_t> length_x, length_y, x, y, z, sums;
    const auto add_row = [&](std::vector<std::int64_t>& lengths, std::vector<std::int64_t>& items) {
      lengths.push_back(random.next() % 2 == 0 ? 0 : std::int64_t(random.next() % 7));
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < lengths.back(); ++k) {
        items.push_back(std::int64_t(random.next() % 100));
        z.push_back(items.back());
        sum += items.back();
      }
      return sum;
    };
    for (std::size_t r = 0; r < rows; ++r) {
      sums.push_back(add_row(length_x, x));
      add_row(length_y, y);
    }
    // How many items z has is told by its offsets, which are computed.
    const RunResult result = run(*file.fusion, program,
                                 {.inputs = {{"len_x", numbers(length_x)},
                                             {"len_y", numbers(length_y)},
                                             {"x", numbers(x)},
                                             {"y", numbers(y)}},
                                  .on = Machine::Emulate,
                                  .on_all = true});
    EXPECT_TRUE(result.passed());
    const Array &made = result.outputs.at("z"), &s = result.outputs.at("s");
    ASSERT_EQ(made.size(), std::int64_t(z.size()));
    for (std::size_t k = 0; k < z.size(); ++k) EXPECT_EQ(made.get_int(std::int64_t(k)), z[k]);
    for (std::size_t r = 0; r < rows; ++r) EXPECT_EQ(s.get_int(std::int64_t(r)), sums[r]);
  }
}

// What is computed promises the same as what is given.
TEST(ComputedRows, MustKeepWhatOffsetsPromise) {
  const ScheduleFile file = read(kJoined);
  const Program program = lower(*file.schedule);
  RunRequest request{.inputs = {{"len_x", numbers({2, 3})},
                                {"len_y", numbers({0, 1})},
                                {"x", numbers({1, 2, 3, 4, 5, 6})},
                                {"y", numbers({7})}},
                     .on = Machine::Emulate};
  const auto said = [&] {
    try {
      run(*file.fusion, program, request);
      return std::string("accepted");
    } catch (const BadInput& refused) {
      return to_text(refused.diagnostic());
    }
  };
  EXPECT_THAT(said(), HasSubstr("error[E634]: off_x[2] is 5, and there are 6 items"));
  request.inputs["len_x"] = numbers({8, -2});
  EXPECT_THAT(said(), HasSubstr("error[E634]: off_x[2] is 6, and off_x[1] is 8: row 1 would end"));
  request.trusts_offsets = true;
  EXPECT_EQ(run(*file.fusion, program, request).faults, std::vector<std::string>());
}

TEST(ComputedRows, SayWhatIsWrong) {
  const auto with = [](const std::string& outputs, const std::string& statements) {
    return refusal(
        "inputs:\n  len: {shape: [B], dtype: int32}\n"
        "  x: {shape: [B, ragged(off)], dtype: float}\noutputs: {" +
        outputs + "}\ncompute:\n" + statements);
  };
  const std::string off = "  - off[b] = sum[k](select(k < b, int64(len[k]), 0))\n",
                    y = "  - y[b, j] = 2 * x[b, j]\n";
  EXPECT_EQ(with("off: {shape: [B + 1]}, y: {}", off + y), "accepted");
  EXPECT_THAT(with("off: {shape: [B + 1]}, y: {}", y + off),
              HasSubstr("a.yaml:6:19: error[E318]: x is read before off, which tells its rows, is "
                        "computed; help: move the statement of off up"));
  EXPECT_THAT(
      with("off: {shape: [B + 2]}, y: {}", off + y),
      HasSubstr("error[E501]: off has one offset more than there are rows, which is not so"));
  EXPECT_THAT(
      with("off: {shape: [B + 1]}, y: {shape: [B, ragged(of)]}", off + y),
      HasSubstr("error[E205]: shape: there are no offsets 'of'; help: did you mean 'off'?"));
  EXPECT_THAT(with("off: {shape: [B + 1]}, y: {shape: [ragged(off), B]}", off + y),
              HasSubstr("error[E520]: the items of a row stand on no second axis"));
  EXPECT_THAT(with("off: {shape: [B + 1]}, y: {}",
                   "  - off[b] = sum[k](select(k < b, float(len[k]), 0))\n" + y),
              HasSubstr("error[E519]: off tells no rows"));
  EXPECT_THAT(with("off: {shape: [B + 1]}, y: {}", off + "  - y[b] = fill(x[len[b], 0], 0)\n"),
              HasSubstr("error[E520]: the row at which x is read is a number that is loaded"));
}

}  // namespace computed_rows

}  // namespace

}  // namespace selvage
