// Scatters in statements: y[idx[i], j] += x[i, j].
#include <selvage/emulate/reference.h>
#include <selvage/frontend/schedule_writer.h>
#include <tests/frontend/schedule_files.h>

#include <gmock/gmock.h>

namespace selvage {
namespace {

using namespace schedule_files;

std::string scatter_file(const std::string& statement, const std::string& shape) {
  return "inputs:\n  x: {shape: [N, D], dtype: int32}\n  idx: {shape: [N], dtype: int32}\n"
         "  at: {shape: [N], dtype: int64}\noutputs: {y: {shape: " +
         shape + "}}\ncompute:\n  - \"" + statement + "\"\n";
}

Array integers_of(DataType type, std::vector<std::int64_t> shape,
                  const std::vector<std::int64_t>& items) {
  Array array(type, std::move(shape));
  for (std::size_t k = 0; k < items.size(); ++k) array.set_int(std::int64_t(k), items[k]);
  return array;
}

std::vector<std::int64_t> scattered(const std::string& statement, const std::string& shape) {
  const ScheduleFile file = read(scatter_file(statement, shape));
  const Array y = run_reference(
      *file.fusion, {{"N", 4}, {"D", 2}, {"V", 3}},
      {{"x", integers_of(DataType::Int32, {4, 2}, {1, 2, 10, 20, 100, 200, 1000, 2000})},
       {"idx", integers_of(DataType::Int32, {4}, {2, 0, 2, 3})},
       {"at", integers_of(DataType::Int64, {4}, {1, 1, 0, 0})}})[0];
  std::vector<std::int64_t> list;
  for (std::int64_t k = 0; k < y.size(); ++k) list.push_back(y.get_int(k));
  return list;
}

TEST(ScatterFiles, EachItemIsAddedWhereItsIndexSays) {
  using testing::ElementsAre;
  EXPECT_THAT(scattered("y[idx[i], j] += x[i, j]", "[V, D]"), ElementsAre(10, 20, 0, 0, 101, 202));
  EXPECT_THAT(scattered("y[j, idx[i]] += x[i, j]", "[D, V]"), ElementsAre(10, 0, 101, 20, 0, 202));
  EXPECT_THAT(scattered("y[min(idx[i], 2), j] += x[i, j]", "[V, D]"),
              ElementsAre(10, 20, 0, 0, 1101, 2202));
  EXPECT_THAT(scattered("y[idx[i]] += 1", "[V]"), ElementsAre(1, 0, 2));  // a histogram
  EXPECT_THAT(scattered("y[idx[i], at[i]] += x[i, j]", "[V, 2]"), ElementsAre(0, 30, 0, 0, 300, 3));
}

TEST(ScatterFiles, IsTheFoldThatItIsWrittenAs) {
  const ScheduleFile file = read(scatter_file("y[idx[i], j] += x[i, j]", "[V, D]"));
  const std::string text = to_schedule_file(*file.fusion, *file.schedule);
  EXPECT_THAT(text, testing::HasSubstr("sum[i](select("));
  EXPECT_EQ(read(text).fusion->size(), file.fusion->size());
}

TEST(ScatterFiles, RefusesWhatHasNoMeaning) {
  EXPECT_EQ(refusal(scatter_file("y[idx[i], j, j] += x[i, j]", "[V, D, D]")),
            "a.yaml:7:19: error[E314]: the index j stands twice on the left in the statement "
            "'y[idx[i], j, j] += x[i, j]'; help: give every axis an index of its own\n");
  EXPECT_EQ(
      refusal(scatter_file("y[idx[i]] += sum[j](x[i, j])", "[V]")),
      "a.yaml:7:19: error[E314]: a fold stands in what is scattered in the statement "
      "'y[idx[i]] += sum[j](x[i, j])'; help: make it a tensor of its own, in a statement before\n");
  EXPECT_THAT(refusal(scatter_file("y[idx[i], j] = x[i, j]", "[V, D]")),
              testing::HasSubstr("error[E314]: expected ',' or ']' after the index idx"));
}

}  // namespace
}  // namespace selvage
