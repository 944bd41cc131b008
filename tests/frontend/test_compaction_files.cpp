// Compaction in statements, lists of tensors, by the reference interpreter, and what is refused of
// them; functions of the host.
#include <gtest/gtest.h>
#include <selvage/emulate/reference.h>
#include <selvage/frontend/schedule_writer.h>
#include <tests/frontend/schedule_files.h>

namespace selvage {
namespace {

using namespace schedule_files;
using Kept = std::vector<std::int64_t>;

// x[2, 4] = 3 1 -4 1 / 5 -9 2 6
const std::string kHead = "inputs: {x: {shape: [M, N], dtype: int32}}\n";

std::vector<Kept> of(const std::string& text) {
  const ScheduleFile file = read(kHead + text);
  Array x(DataType::Int32, {2, 4});
  const Kept values = {3, 1, -4, 1, 5, -9, 2, 6};
  for (std::size_t k = 0; k < values.size(); ++k) x.set_int(std::int64_t(k), values[k]);
  std::vector<Kept> all;
  for (const Array& y : run_reference(*file.fusion, {{"M", 2}, {"N", 4}}, {{"x", x}})) {
    Kept& list = all.emplace_back();
    for (std::int64_t k = 0; k < y.size(); ++k) list.push_back(y.get_int(k));
  }
  return all;
}

TEST(CompactionFiles, KeepItemsInOrderAndCountThem) {
  EXPECT_EQ(of("compute:\n"
               "  - b[k] = compact(x[i, j], x[i, j] > 1)\n"
               "  - n = b_count\n"),
            (std::vector<Kept>{{3, 5, 2, 6, 0, 0, 0, 0}, {4}}));
  EXPECT_EQ(of("compute: [\"b[k] = compact[j, i](x[i, j] + i, x[i, j] > 1)\"]\n"),
            (std::vector<Kept>{{3, 6, 3, 7, 0, 0, 0, 0}}));
  // As long as the output; what does not fit is counted all the same.
  EXPECT_EQ(of("outputs: {b: {shape: [3]}, n: {}}\n"
               "compute:\n"
               "  - b[k] = compact(x[1, j], x[0, j] < 2)\n"
               "  - n = b_count\n"),
            (std::vector<Kept>{{-9, 2, 6}, {3}}));
  EXPECT_EQ(of("compute:\n"
               "  - b[k] = compact(2 * x[0, j], true)\n"
               "  - y[i] = sum(b[k] * i)\n"
               "outputs: {y: {shape: [2]}}\n"),
            (std::vector<Kept>{{0, 2}}));
  // A tensor may have that name.
  EXPECT_EQ(of("compute: [\"compact[j] = x[0, j]\", \"y[j] = compact[j] + 1\"]\n"),
            (std::vector<Kept>{{4, 2, -3, 2}}));
}

TEST(CompactionFiles, WhatIsNoCompactionIsRefused) {
  const Refused cases[] = {
      {"b[k] = 1 + compact(x[0, j], true)",
       "a.yaml:3:16: error[E314]: compact stands inside of a value in the statement 'b[k] = 1 + "
       "compact(x[0, j], true)'; help: give it a statement of its own, such as kept[k] = "
       "compact(x[i], x[i] > 0)\n"},
      {"b[k] = compact(x[0, j])",
       "a.yaml:3:12: error[E315]: compact takes 2 operands, not 1 in the statement 'b[k] = "
       "compact(x[0, j])'; help: write compact(x[i], x[i] > 0): the items, and which of them are "
       "kept\n"},
      {"b[j] = compact(x[0, j], x[0, j] > 0)",
       "a.yaml:3:25: error[E314]: j counts what is kept, and stands in what may be kept, too; "
       "help: name the index of b otherwise\n"},
      {"b[k, l] = compact(x[i, j], x[i, j] > 0)",
       "a.yaml:3:5: error[E314]: b has 2 indices, and what is kept lies along one axis; help: "
       "write b[k] = compact(...)\n"},
      {"b[k] = compact(x[0, 1], x[1, 0] > 0)",
       "a.yaml:3:12: error[E314]: compact goes over no index; help: read a tensor at one, such as "
       "compact(x[i], x[i] > 0)\n"},
      {"b[k] = compact(x[0, i + 1], true)",
       "a.yaml:3:25: error[E317]: the extent of the index i, over which compact folds, is not "
       "known; help: read a tensor at [i] inside compact(...), or write compact[i < 3](...) for as "
       "many\n"},
      {"b[k] = print(x[0, k])",
       "a.yaml:3:12: error[E315]: print is a function of the host, and no kernel has it in the "
       "statement 'b[k] = print(x[0, k])'; help: compute it, and show it by schedule_inspect FILE "
       "--run --print NAME\n"},
      {"b[k] = imread(x[0, k])",
       "a.yaml:3:12: error[E315]: imread is a function of the host, and no kernel has it in the "
       "statement 'b[k] = imread(x[0, k])'; help: declare an input, and give it by --input "
       "NAME=FILE.npy\n"},
  };
  for (const Refused& c : cases) {
    EXPECT_EQ(refusal(kHead + "compute:\n  - " + c.text + "\n"), c.message) << c.text;
  }
}

// A list of tensors is as many inputs, each read by its number.
TEST(TensorLists, AreReadByNumber) {
  const std::string text =
      "inputs: {d: {list: 2, shape: [3], dtype: int32}}\n"
      "outputs: {y: {in_place: d_0}}\n"
      "compute: [\"y[i] = d[0][i] + 10 * d[1][2 - i]\"]\n";
  const ScheduleFile file = read(text);
  Array a(DataType::Int32, {3}), b(DataType::Int32, {3});
  for (int k = 0; k < 3; ++k) {
    a.set_int(k, k);
    b.set_int(k, k + 1);
  }
  const Array y = run_reference(*file.fusion, {}, {{"d_0", a}, {"d_1", b}}).back();
  EXPECT_EQ(Kept({y.get_int(0), y.get_int(1), y.get_int(2)}), Kept({30, 21, 12}));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    return refusal(other.replace(other.find(from), from.size(), to));
  };
  EXPECT_EQ(changed("d[1]", "d[2]"),
            "a.yaml:3:34: error[E205]: there is no tensor 'd_2'; help: did you mean 'd_0'?\n");
  EXPECT_EQ(changed("d[1]", "d[i]"),
            "a.yaml:3:34: error[E314]: what stands in the first brackets of d[...][...] is no "
            "number in the statement 'y[i] = d[0][i] + 10 * d[i][2 - i]'; help: write the number "
            "of a tensor in a list, such as d[0][i]; or all subscripts of one tensor in one pair, "
            "d[i, j]\n");
  EXPECT_EQ(changed("inputs: {", "inputs: {d_1: {shape: [3], dtype: int32}, "),
            "a.yaml:1:43: error[E204]: there is a tensor d_1 already; the first is at a.yaml:1:10; "
            "help: rename one of the two\n");
  EXPECT_EQ(changed("inputs:", "symbols: {d_1: {}}\ninputs:"),
            "a.yaml:2:10: error[E204]: the tensor d_1 has the name of a symbol; the symbol is "
            "declared at a.yaml:1:11; help: rename one of the two\n");
  EXPECT_TRUE(changed("list: 2", "list: 0")
                  .starts_with("a.yaml:1:20: error[E305]: inputs.d.list is 0; help: it is at least "
                               "1\n"));
}

}  // namespace
}  // namespace selvage
