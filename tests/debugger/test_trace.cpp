// The lines that --trace writes, beside what the run computes.
#include "tests/debugger/dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tests/support/text_files.h>
#include <nlohmann/json.hpp>

#include <map>
#include <vector>

namespace selvage::test {

namespace {

using Json = nlohmann::json;

std::vector<Json> trace_of(const std::string& file) {
  const TemporaryFolder folder;
  const std::string path = (folder / "trace.jsonl").string();
  int status = 1;
  EXPECT_EQ(dialogue(file, {"--trace", path}, "", &status), "");
  EXPECT_EQ(status, 0);
  std::vector<Json> lines;
  for (const std::string& line : lines_of(contents(path))) lines.push_back(Json::parse(line));
  return lines;
}

TEST(Trace, HasEachStoreWithItsItemAndItsThread) {
  const std::vector<Json> lines = trace_of(R"(
inputs: {x: {shape: [4, 6], dtype: int32}}
outputs: {y: {shape: [4, 6]}}
compute: ["y[i, j] = x[i, circular(j + 2)]"]
schedule:
  y: [{bind: {i: BIDx, j: TIDx}}]
)");
  ASSERT_EQ(lines.size(), 1U + 2 * 24);
  EXPECT_EQ(lines[0], Json({{"kernel", "kernel_y"}, {"grid", {4, 1, 1}}, {"block", {6, 1, 1}}}));
  std::map<std::vector<int>, int> x;
  std::size_t stores = 0;
  for (const Json& line : lines) {
    if (!line.contains("do")) continue;
    const std::vector<int> item = line["item"];
    EXPECT_EQ(line["address"], item[0] * 6 + item[1]);
    if (line["do"] == "load") {
      x[item] = line["value"];
      continue;
    }
    ++stores;
    EXPECT_EQ(line["block"], Json({item[0], 0, 0}));
    EXPECT_EQ(line["thread"], Json({item[1], 0, 0}));
    EXPECT_EQ(line["at"], Json({{"i", item[0]}, {"j", item[1]}}));
    EXPECT_EQ(line["value"], x.at({item[0], (item[1] + 2) % 6}));
  }
  EXPECT_EQ(stores, 24U);
}

TEST(Trace, HasMeetingsAndFaults) {
  const std::vector<Json> lines = trace_of(R"y(
arrays: {A: {shape: [4], dtype: float}, S: {shape: [4], dtype: float, memory: shared}}
parallel: [{b: 1}, {t: 4}]
body:
  - do: ["S[t] = 1 / float(t)"]
  - sync: shared
  - do: ["A[t] = S[t]"]
)y");
  EXPECT_EQ(lines[5], Json({{"do", "meet"}, {"block", {0, 0, 0}}, {"line", 4}, {"threads", 4}}));
  EXPECT_EQ(lines[1]["value"], "inf");
  const std::vector<Json> race = trace_of(R"y(
arrays: {A: {shape: [2], dtype: int32}, S: {shape: [2], dtype: int32, memory: shared}}
parallel: [{b: 1}, {t: 2}]
body:
  - do: ["S[t] = t", "A[t] = S[1 - t]"]
)y");
  EXPECT_EQ(race[2]["do"], "fault");
  EXPECT_EQ(race[2]["thread"], Json({0, 0, 0}));
}

TEST(Trace, IsRefusedWhereItCannotBeWritten) {
  int status = 0;
  EXPECT_THAT(
      dialogue("tensors: {T: {logical: {i: 4}}}", {"--trace", "/none/t.jsonl"}, "", &status),
      testing::HasSubstr("/none/t.jsonl: error[E802]: the trace cannot be written: No such "
                         "file or directory"));
  EXPECT_EQ(status, 2);
}

}  // namespace

}  // namespace selvage::test
