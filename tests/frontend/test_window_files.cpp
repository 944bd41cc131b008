// Windows in files, folds over so many of an index, beside plain loops.
#include <selvage/emulate/reference.h>
#include <selvage/frontend/schedule_writer.h>
#include <tests/frontend/schedule_files.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace selvage {
namespace {

using namespace schedule_files;

constexpr std::int64_t kRowsOfBlocks = 13, kColumns = 9;

// x[i, j] = 100 * i + j, of int32.
Array rows_and_columns() {
  Array x(DataType::Int32, {kRowsOfBlocks, kColumns});
  for (std::int64_t k = 0; k < x.size(); ++k) x.set_int(k, k / kColumns * 100 + k % kColumns);
  return x;
}

// The 6 by 7 items that a statement makes of x and the size K; the file that is written of it, too.
std::vector<std::int64_t> items_of(const std::string& statement,
                                   std::optional<std::int64_t> k = {}) {
  const ScheduleFile file = read(
      "symbols: {K: {min: 1, max: 3}}\ninputs: {x: {shape: [13, 9], dtype: int32}}\n"
      "compute:\n  - " +
      statement + "\noutputs: {y: {shape: [6, 7]}}\n");
  Sizes sizes;
  if (k) sizes["K"] = *k;
  std::vector<std::vector<std::int64_t>> made;
  const ScheduleFile again = read(to_schedule_file(*file.fusion, *file.schedule));
  for (const ScheduleFile* f : {&file, &again}) {
    const Array y = run_reference(*f->fusion, sizes, {{"x", rows_and_columns()}}).at(0);
    std::vector<std::int64_t>& items = made.emplace_back();
    for (std::int64_t i = 0; i < y.size(); ++i) items.push_back(y.get_int(i));
  }
  EXPECT_EQ(made[0], made[1]) << to_schedule_file(*file.fusion, *file.schedule);
  return made[0];
}

// The same of `item`, called for every i and j.
template <class Item>
std::vector<std::int64_t> all_items(Item item) {
  std::vector<std::int64_t> items;
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 7; ++j) items.push_back(item(i, j));
  }
  return items;
}

TEST(WindowFiles, FoldOverSoManyOfAnIndex) {
  EXPECT_EQ(items_of("y[i, j] = sum[p < 2](x[2 * i + p, j + 1])"),
            all_items([](auto i, auto j) { return 200 * (2 * i) + 100 + 2 * j + 2; }));
  EXPECT_EQ(items_of("y[i, j] = max[p < 3, q < 2](x[2 * i + p, j + q] - 7 * p)"),
            all_items([](auto i, auto j) { return 200 * i + 200 + j + 1 - 14; }));
  EXPECT_EQ(items_of("y[i, j] = argmin[p < 3](x[clamped(1 - p - i), j + 1])"),
            all_items([](auto i, auto) { return i == 0 ? 1 : 0; }));
}

TEST(WindowFiles, TakeAsManyAsSizesSay) {
  for (std::int64_t k = 1; k <= 3; ++k) {
    EXPECT_EQ(items_of("y[i, j] = sum[p < 2 * K + 1](x[mirror(i + p - K), j + 1])", k),
              all_items([k](auto i, auto j) {
                std::int64_t sum = 0;
                for (std::int64_t p = -k; p <= k; ++p) sum += (i + p < 0 ? -1 - i - p : i + p);
                return 100 * sum + (2 * k + 1) * (j + 1);
              }));
  }
}

TEST(WindowFiles, MayStandInLargerValues) {
  EXPECT_EQ(items_of("y[i, j] = 3 * sum[n < 3](x[i + 1, j + n]) + j"),
            all_items([](auto i, auto j) { return 3 * (300 * i + 300 + 3 * j + 3) + j; }));
}

TEST(WindowFiles, HaveAMedian) {
  const auto median = [](std::vector<std::int64_t> items) {
    std::ranges::sort(items);
    return items[(items.size() - 1) / 2];
  };
  const auto x = [](std::int64_t i, std::int64_t j) { return 100 * i + j; };
  EXPECT_EQ(items_of("y[i, j] = median[p < 3](x[2 * i + p, j + 1] * (p - 1))"),
            all_items([&](auto i, auto j) {
              return median({-x(2 * i, j + 1), 0, x(2 * i + 2, j + 1)});
            }));
  // Of four items the second one, and one median inside of another value, and of another fold.
  EXPECT_EQ(
      items_of("y[i, j] = 2 * median[p < 2, q < 2](x[i + p, j + q] % 7) + 1"),
      all_items([&](auto i, auto j) {
        return 2 * median({x(i, j) % 7, x(i, j + 1) % 7, x(i + 1, j) % 7, x(i + 1, j + 1) % 7}) + 1;
      }));
  EXPECT_EQ(items_of("y[i, j] = median[p < 3](sum[q < 2](x[i + q, j + 1] * (p - q)))"),
            all_items([&](auto i, auto j) { return x(i, j + 1); }));
}

TEST(WindowFiles, AMedianSaysOfWhat) {
  const auto refused = [](const std::string& statement) {
    return schedule_files::refusal(
        "inputs: {x: {shape: [9], dtype: float}}\noutputs: {y: {shape: "
        "[4]}}\ncompute:\n  - \"" +
        statement + "\"\n");
  };
  EXPECT_EQ(refused("y[i] = median(x[i])"),
            "a.yaml:4:13: error[E314]: median does not say of what in the statement 'y[i] = "
            "median(x[i])'; help: name what it goes over, such as median[p < 3](x[mirror(i + p - "
            "1)])\n");
  EXPECT_EQ(refused("y[i] = median[i](x[i])"),
            "a.yaml:4:20: error[E314]: the index i of median[...] stands on the left in the "
            "statement 'y[i] = median[i](x[i])'; help: fold over an index that is not on the "
            "left\n");
}

// y[i] = x[mode(i - 3)], four items padded by three on both sides: what a gradient of ones makes of
// each item is how often it is read. A gather adds it up, in the same order every time.
TEST(WindowFiles, HaveGradientsThatAreGathers) {
  const auto gradient = [](const std::string& statement) {
    const ScheduleFile file = schedule_files::read(
        "sizes: {N: 4}\ninputs: {dy: {shape: [10], dtype: int32}}\noutputs: {dx: {shape: [N]}}\n"
        "compute:\n  - \"" +
        statement + "\"\n");
    Array dy(DataType::Int32, {10});
    for (std::int64_t k = 0; k < 10; ++k) dy.set_int(k, 1);
    const Array dx = run_reference(*file.fusion, {}, {{"dy", dy}})[0];
    std::vector<std::int64_t> items;
    for (std::int64_t k = 0; k < dx.size(); ++k) items.push_back(dx.get_int(k));
    return items;
  };
  using Items = std::vector<std::int64_t>;
  EXPECT_EQ(gradient("dx[k] = dy[k + 3] + safe(dy[2 - k]) + safe(dy[2 * N + 2 - k])"),
            Items({2, 3, 3, 2}));  // mirror
  EXPECT_EQ(gradient("dx[k] = dy[k + 3] + select(k > 0, safe(dy[3 - k]), 0) + "
                     "select(k < N - 1, safe(dy[2 * N + 1 - k]), 0)"),
            Items({2, 3, 3, 2}));  // reflect
  EXPECT_EQ(gradient("dx[k] = dy[k + 3] + safe(dy[k - N + 3]) + safe(dy[k + N + 3])"),
            Items({2, 3, 3, 2}));  // circular
  EXPECT_EQ(gradient("dx[k] = dy[k + 3] + select(k == 0, sum[p < 3](safe(dy[p])), 0) + "
                     "select(k == N - 1, sum[p < 3](dy[N + 3 + p]), 0)"),
            Items({4, 1, 1, 4}));  // clamped
}

}  // namespace
}  // namespace selvage
