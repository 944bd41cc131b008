// Rows, what their items hold, and programs over them: what the tests of operations on items of
// rows share.
#pragma once

#include <selvage/driver/run.h>
#include <selvage/ir/ragged_ops.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <selvage/scheduler/automatic.h>
#include <tests/support/lowered.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace selvage::test {

using RowLengths = std::vector<std::int64_t>;
using ItemNumbers = std::vector<double>;

// Rows some of which are empty, one row, rows that are all empty, no rows, one long row, and many.
inline const std::vector<RowLengths> kLengthLists = {
    {3, 0, 0, 7, 1, 15, 0, 4}, {5}, {0, 0, 0}, {}, {0, 700, 1}, RowLengths(300, 2)};
inline constexpr std::int64_t kInner = 3, kVocabulary = 11, kColumns = 4;

inline double made_digit(std::uint64_t k, std::uint64_t salt) {
  return double((k * 2654435761u + salt * 40503u) >> 7 & 15) - 8;
}

// Rows, and the arrays that tests give: dense x of kInner numbers an item, v of one, and so on.
struct RowData {
  explicit RowData(RowLengths of, std::uint64_t salt = 0) : lengths(std::move(of)) {
    for (std::int64_t n : lengths) begins.push_back(begins.back() + n);
    for (std::int64_t p = 0; p < items() * kInner; ++p)
      x.push_back(made_digit(std::uint64_t(p), salt));
    for (std::int64_t p = 0; p < items(); ++p) {
      v.push_back(made_digit(std::uint64_t(p), salt + 7));
      // Some of them out of bounds.
      words.push_back(std::int64_t(std::uint64_t(p) * 7 % (kVocabulary + 4)) - 2);
    }
  }
  std::int64_t count() const { return std::int64_t(lengths.size()); }
  std::int64_t items() const { return begins.back(); }
  // Calls `visit` with each row and each position in it.
  double at(std::int64_t row, std::int64_t item, std::int64_t d) const {
    return x[std::size_t((begins[std::size_t(row)] + item) * kInner + d)];
  }
  std::int64_t length(std::int64_t row) const { return lengths[std::size_t(row)]; }

  RowLengths lengths, begins = {0}, words;
  ItemNumbers x, v;
};

inline Array row_array(DataType type, RowLengths shape, const ItemNumbers& numbers) {
  Array a(type, std::move(shape));
  for (std::size_t k = 0; k < numbers.size(); ++k) a.set(std::int64_t(k), numbers[k]);
  return a;
}
inline ItemNumbers as_numbers(const RowLengths& integers) {
  return {integers.begin(), integers.end()};
}

// A fusion with rows and tensors of their items; `tag` distinguishes two in one fusion.
struct RaggedInputs {
  RaggedInputs(Fusion& f, const std::string& tag, DataType offsets, Expr count) : tag(tag) {
    rows = add_rows(f.input("off" + tag, {count + 1}, offsets));
    x = ragged_input(f, "x" + tag, rows, {f.constant(kInner)}, DataType::Float);
    v = ragged_input(f, "v" + tag, rows, {}, DataType::Int32);
    words = ragged_input(f, "words" + tag, rows, {}, offsets);
  }
  void give(RunRequest& request, const RowData& data) const {
    const DataType type = words.type();
    request.inputs["off" + tag] = row_array(type, {data.count() + 1}, as_numbers(data.begins));
    request.inputs["x" + tag] = row_array(DataType::Float, {data.items(), kInner}, data.x);
    request.inputs["v" + tag] = row_array(DataType::Int32, {data.items()}, data.v);
    request.inputs["words" + tag] = row_array(type, {data.items()}, as_numbers(data.words));
  }

  std::string tag;
  RowsId rows{};
  Tensor x, v, words;
};

// Lowers automatically, with everything proved; and, unless it scans, with no barrier too many.
inline Program proved_program(const Fusion& f, bool has_scan = false) {
  Program program = lower(auto_schedule(f));
  if (!has_scan) expect_verified(program);
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  return program;
}

using LoopOutputs = std::map<std::string, ItemNumbers>;

// Runs by emulation and on the virtual device beside the unscheduled program; and expects of both
// what plain loops give.
inline void expect_outputs(const Fusion& f, const Program& program, RunRequest request,
                           const LoopOutputs& wanted, double tolerance = 0) {
  request.on = Machine::Emulate;
  request.on_all = true;
  const RunResult result = run(f, program, request);
  for (const std::string& fault : result.faults) ADD_FAILURE() << fault;
  for (const Comparison& c : result.comparisons) EXPECT_EQ(c.failures, 0) << c.first;
  for (const auto& [name, numbers] : wanted) {
    const Array& made = result.outputs.at(name);
    ASSERT_EQ(made.size(), std::int64_t(numbers.size())) << name;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const double own = made.get(std::int64_t(k));
      const bool is_equal = own == numbers[k] || std::abs(own - numbers[k]) <= tolerance;
      ASSERT_TRUE(is_equal) << name << "[" << k << "] is " << own << ", not " << numbers[k];
    }
  }
}

// Builds once for either type of offsets, and runs on all lists.
inline void expect_on_all_rows(const std::function<void(Fusion&, const RaggedInputs&)>& build,
                               const std::function<LoopOutputs(const RowData&)>& loops,
                               const std::function<void(RunRequest&, const RowData&)>& more = {},
                               double tolerance = 0, bool has_scan = false) {
  for (const DataType offsets : {DataType::Int64, DataType::Int32}) {
    Fusion f;
    const Expr count = f.extent("B", 0);
    const RaggedInputs inputs(f, "", offsets, count);
    build(f, inputs);
    const Program program = proved_program(f, has_scan);
    for (const RowLengths& lengths : some_of(kLengthLists)) {
      SCOPED_TRACE(testing::PrintToString(lengths.size()) + " rows");
      const RowData data(lengths);
      RunRequest request{.sizes = {{"B", data.count()}}};
      inputs.give(request, data);
      if (more) more(request, data);
      expect_outputs(f, program, request, loops(data), tolerance);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// One number for each row and each inner index, from the items of the row at that index.
inline ItemNumbers each_row(const RowData& data,
                            const std::function<double(const ItemNumbers&)>& fold) {
  ItemNumbers made;
  for (std::int64_t b = 0; b < data.count(); ++b) {
    for (std::int64_t d = 0; d < kInner; ++d) {
      ItemNumbers own;
      for (std::int64_t j = 0; j < data.length(b); ++j) own.push_back(data.at(b, j, d));
      made.push_back(fold(own));
    }
  }
  return made;
}
inline double total_of(const ItemNumbers& numbers) {
  double sum = 0;
  for (double n : numbers) sum += n;
  return sum;
}
inline double greatest_of(const ItemNumbers& numbers, double none) {
  return numbers.empty() ? none : *std::ranges::max_element(numbers);
}

}  // namespace selvage::test
