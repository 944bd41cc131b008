// Scans in statements, by the reference interpreter, and what is refused of them; scans in parts.
#include <selvage/emulate/reference.h>
#include <selvage/frontend/schedule_writer.h>
#include <tests/frontend/schedule_files.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

using namespace schedule_files;
using IntegerList = std::vector<std::int64_t>;

// x[2, 4] = 3 1 -4 1 / 5 -9 2 6
const std::string kHead = "inputs: {x: {shape: [M, N], dtype: int32}}\ncompute:\n";

IntegerList of(const std::string& statements) {
  const ScheduleFile file = read(kHead + statements);
  Array x(DataType::Int32, {2, 4});
  const IntegerList values = {3, 1, -4, 1, 5, -9, 2, 6};
  for (std::size_t k = 0; k < values.size(); ++k) x.set_int(std::int64_t(k), values[k]);
  const Array y = run_reference(*file.fusion, {{"M", 2}, {"N", 4}}, {{"x", x}}).back();
  IntegerList list;
  for (std::int64_t k = 0; k < y.size(); ++k) list.push_back(y.get_int(k));
  return list;
}

TEST(ScanFiles, AnIndexSaysAlongWhichAxis) {
  EXPECT_EQ(of("  - y[i, j] = cumsum[j](x[i, j])\n"), IntegerList({3, 4, 0, 1, 5, -4, -2, 4}));
  EXPECT_EQ(of("  - y[i, j] = cumsum[i](x[i, j])\n"), IntegerList({3, 1, -4, 1, 8, -8, -2, 7}));
  EXPECT_EQ(of("  - y[i, j] = cumprod[j](x[i, j])\n"),
            IntegerList({3, 3, -12, -12, 5, -45, -90, -540}));
  EXPECT_EQ(of("  - y[i, j] = cummax[j](x[i, j])\n"), IntegerList({3, 3, 3, 3, 5, 5, 5, 6}));
  EXPECT_EQ(of("  - y[j, i] = cummin[j](x[i, j])\n"), IntegerList({3, 5, 1, -9, -4, -9, -4, -9}));
}

// The index is one on the left, or of the fold around it.
TEST(ScanFiles, AScanStandsInsideOfExpressionsAndFolds) {
  EXPECT_EQ(of("  - y[i, j] = cumsum[j](x[i, j]) - x[i, j]\n"),
            IntegerList({0, 3, 4, 0, 0, 5, -4, -2}));
  EXPECT_EQ(of("  - y[i] = max(cumsum[j](x[i, j]))\n"), IntegerList({4, 5}));
  EXPECT_EQ(of("  - y[i] = argmin[k](cumsum[k](x[i, k] * 2))\n"), IntegerList({2, 1}));
  EXPECT_EQ(of("  - y[i, j] = cumsum[i](cumsum[j](x[i, j]))\n"),
            IntegerList({3, 4, 0, 1, 8, 0, -2, 5}));
}

TEST(ScanFiles, WhatIsNoScanIsRefused) {
  const Refused cases[] = {
      {"y[i, j] = cumsum(x[i, j])",
       "a.yaml:3:15: error[E314]: cumsum does not say along which index it runs in the "
       "statement 'y[i, j] = cumsum(x[i, j])'; help: name an index of the result, such as "
       "cumsum[n](x[m, n])\n"},
      {"y[i, j] = cumsum[i, j](x[i, j])",
       "a.yaml:3:15: error[E314]: cumsum runs along one index, not 2 in the statement 'y[i, j] "
       "= cumsum[i, j](x[i, j])'; help: name one index of the result, such as cumsum[n](x[m, "
       "n])\n"},
      {"y[i, j] = cumsum[j](x[i, j], 1)",
       "a.yaml:3:15: error[E315]: cumsum takes 1 operand, not 2 in the statement 'y[i, j] "
       "= cumsum[j](x[i, j], 1)'; help: give it as many\n"},
      {"y[i, j] = x[i, j] + cumsum[k](x[i, j])",
       "a.yaml:3:32: error[E314]: cumsum runs along k, which is no index around it; help: name an "
       "index on the left, or one that a reduction around it folds over\n"},
      {"y[i, j] = x[i, j] + cumsum[j](x[i, 0])",
       "a.yaml:3:32: error[E314]: cumsum runs along j, at which nothing in it is read; help: name "
       "an index of what it takes in\n"},
  };
  for (const Refused& c : cases) {
    EXPECT_EQ(refusal(kHead + "  - " + c.text + "\n"), c.message) << c.text;
  }
}

TEST(ScanFiles, AreWrittenAndReadAgain) {
  const std::string text = R"yaml(symbols:
  M: {}
  N: {}
inputs:
  x: {shape: [M, N], dtype: float}
outputs:
  y: {dtype: float}
compute:
  - "y[i, j] = cumsum[j](x[i, j])"
schedule:
  y:
    - split: {in: j, factor: 1024, out: [part, item]}
    - scan_in_parts: {in: item, sums: y_sums, before: y_before, own: y_own}
    - split: {in: item, factor: 4, out: [thread, v]}
    - bind: {i: BIDy, part: BIDx, thread: TIDx, v: Vectorize}
  y_sums:
    - split: {in: item, factor: 4, out: [thread, v]}
    - bind: {i: BIDy, part: BIDx, thread: TIDx, v: Vectorize}
    - memory: global
  y_before:
    - split: {in: part, factor: 256, out: [step, thread]}
    - bind: {i: BIDx, thread: TIDx}
    - memory: global
  y_own:
    - split: {in: item, factor: 4, out: [thread, v]}
    - bind: {i: BIDy, part: BIDx, thread: TIDx, v: Vectorize}
    - memory: local
    - inline: {into: y, at: part}
)yaml";
  const ScheduleFile file = read(text);
  EXPECT_EQ(to_schedule_file(*file.fusion, *file.schedule), text);
}

}  // namespace
}  // namespace selvage
