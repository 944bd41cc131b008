// Operations over matrices in every format, under schedules of each, on every target, beside a walk
// over what the words of the format say that it stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/base/stored_arrays.h>
#include <selvage/driver/run.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>
#include <tests/support/stored_items.h>

#include <functional>
#include <limits>

namespace selvage {

namespace {

// The other tests of matrices have names like these.
namespace sparse_formats {

using namespace schedule_files;
using testing::HasSubstr;

constexpr std::int64_t kLanes = 3;

// Dense operands, which any operation may read: values by their names, of the extents I and J.
struct Operands {
  std::vector<std::int64_t> X, B, C, D;  // [I], [J], [J, lanes], [I, lanes]
};

// A statement, what an item adds to it, and how that is folded; the result is at the row, at the
// column, or at the item itself.
struct Operation {
  enum class At : std::uint8_t { Row, Column, Item };
  const char* statement;
  At at = At::Row;
  bool has_lanes = false;
  std::int64_t none = 0;
  std::function<std::int64_t(std::int64_t, std::int64_t)> fold = std::plus<std::int64_t>();
  std::function<std::int64_t(const test::StoredItem&, const Operands&, std::int64_t lane)> item;
};
std::int64_t of(const test::StoredItem& a) { return std::int64_t(a.value); }
std::int64_t at(const std::vector<std::int64_t>& list, std::int64_t k) {
  return list[std::size_t(k)];
}

const std::vector<Operation>& operations() {
  using enum Operation::At;
  const auto least = [](auto a, auto b) { return std::min(a, b); };
  const auto most = [](auto a, auto b) { return std::max(a, b); };
  static const std::vector<Operation> all = {
      {"Z[i] = sum[j](A[i, j] * B[j])", Row, false, 0, std::plus<std::int64_t>(),
       [](auto& a, auto& in, auto) { return of(a) * at(in.B, a.column); }},
      {"Z[i] = sum[j](A[i, j] * B[j] * X[i]) * X[i]", Row, false, 0, std::plus<std::int64_t>(),
       [](auto& a, auto& in, auto) {
         return of(a) * at(in.B, a.column) * at(in.X, a.row) * at(in.X, a.row);
       }},
      {"Z[i] = min[j](A[i, j] + B[j])", Row, false, std::numeric_limits<std::int32_t>::max(), least,
       [](auto& a, auto& in, auto) { return of(a) + at(in.B, a.column); }},
      {"Z[i] = max[j](A[i, j] * B[j])", Row, false, std::numeric_limits<std::int32_t>::min(), most,
       [](auto& a, auto& in, auto) { return of(a) * at(in.B, a.column); }},
      {"Z[i] = any[j](A[i, j] > 4 && B[j] > 0)", Row, false, 0, most,
       [](auto& a, auto& in, auto) { return std::int64_t(of(a) > 4 && at(in.B, a.column) > 0); }},
      {"Z[i, d] = sum[j](A[i, j] * C[j, d])", Row, true, 0, std::plus<std::int64_t>(),
       [](auto& a, auto& in, auto d) { return of(a) * at(in.C, a.column * kLanes + d); }},
      {"Z[j] = sum[i](A[i, j] * X[i])", Column, false, 0, std::plus<std::int64_t>(),
       [](auto& a, auto& in, auto) { return of(a) * at(in.X, a.row); }},
      {"Z[j, d] = sum[i](A[i, j] * D[i, d])", Column, true, 0, std::plus<std::int64_t>(),
       [](auto& a, auto& in, auto d) { return of(a) * at(in.D, a.row * kLanes + d); }},
      {"Z[i, j] = A[i, j] * B[j] + X[i]", Item, false, 0, std::plus<std::int64_t>(),
       [](auto& a, auto& in, auto) { return of(a) * at(in.B, a.column) + at(in.X, a.row); }},
      {"Z[i, j] = sum[d](A[i, j] * D[i, d] * C[j, d])", Item, false, 0, std::plus<std::int64_t>(),
       [](auto& a, auto& in, auto) {
         std::int64_t sum = 0;
         for (std::int64_t d = 0; d < kLanes; ++d) {
           sum += of(a) * at(in.D, a.row * kLanes + d) * at(in.C, a.column * kLanes + d);
         }
         return sum;
       }}};
  return all;
}

// Lists of schedule items by the format, of an operation whose result is at rows or columns. All
// but the first are for the tensor `of`.
struct Lists {
  const char* of;
  std::vector<std::string> lists;
};
Lists lists_of(const StorageFormat& format, bool has_lanes) {
  const std::string by_rows = "split: {in: i, factor: 8, out: [o, t]}}, {bind: {o: BIDx, t: TIDx}";
  const std::string lanes = has_lanes ? ", d: TIDy" : "";
  const std::string order = has_lanes ? "}, {reorder: [o, t, d, k]" : "";
  const auto path = [&](const std::string& line, const std::string& item, bool has_ends) {
    return (has_ends ? "resize: {in: " + item + ", left: 0, right: 1, out: e}}, {"
                     : std::string()) +
           "merge: {in: [" + line + ", " + (has_ends ? "e" : item) +
           "], out: p}}, {split: {in: p, factor: 5, out: [tile, k]}}, {split: {in: tile, factor: "
           "4, "
           "out: [o, t]}" +
           order + "}, {bind: {o: BIDx, t: TIDx" + lanes + "}";
  };
  switch (format.storage) {
    case StorageKind::Csr:
    case StorageKind::Coo: return {"Z", {by_rows, path("i", "j", true), path("i", "j", false)}};
    case StorageKind::Csc:
      return {"Z",
              {"split: {in: j, factor: 8, out: [o, t]}}, {bind: {o: BIDx, t: TIDx}",
               path("j", "i", true), path("j", "i", false)}};
    case StorageKind::Ell: {
      std::vector<std::string> lists = {by_rows};
      if (!has_lanes) {
        lists.push_back("split: {in: j, factor: 32, out: [s, g]}}, {bind: {i: BIDx, g: TIDx}");
      }
      return {"Z", std::move(lists)};
    }
    case StorageKind::Dia: return {"Z", {by_rows}};
    case StorageKind::Sell: return {"Z_slices", {"bind: {i_o: BIDx, i_i: TIDx}"}};
    case StorageKind::Bcsr:
      return {"Z_blocks",
              {"bind: {i_o: BIDx, i_i: TIDx}",
               "split: {in: i_o, factor: 8, out: [o, t]}}, {bind: {o: BIDx, t: TIDy, i_i: TIDx}"}};
  }
  return {"Z", {}};
}

const StorageFormat kFormats[] = {
    {StorageKind::Csr},     {StorageKind::Csc},        {StorageKind::Coo},       {StorageKind::Ell},
    {StorageKind::Sell, 4}, {StorageKind::Sell, 1},    {StorageKind::Sell, 7},   {StorageKind::Dia},
    {StorageKind::Bcsr},    {StorageKind::Bcsr, 2, 3}, {StorageKind::Bcsr, 4, 1}};

// Rows of random lengths, alike, skewed, or none; coordinates in any order, some of them twice.
CoordinateMatrix random_matrix(SplitMix64& random) {
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  CoordinateMatrix m;
  m.rows = below(12) == 0 ? below(2) : 2 + below(30);
  m.columns = 1 + below(24);
  const std::int64_t kind = below(4), items = kind == 0 || m.rows == 0 ? 0 : below(90);
  for (std::int64_t k = 0; k < items; ++k) {
    const std::int64_t row = kind == 1 ? below(m.rows) : below(m.rows) * below(m.rows) / m.rows;
    m.row.push_back(kind == 3 && below(2) == 0 ? m.rows - 1 : row);
    m.column.push_back(below(m.columns));
    m.value.push_back(double(below(19)) - 9);
  }
  return m;
}

Array numbers(SplitMix64& random, std::vector<std::int64_t> shape,
              std::vector<std::int64_t>& values) {
  Array made(DataType::Int32, std::move(shape));
  for (std::int64_t k = 0; k < made.size(); ++k) {
    values.push_back(std::int64_t(random.next() % 19) - 9);
    made.set_int(k, values.back());
  }
  return made;
}

// By place: of a row, a column, or an item, and the lane. Values that belong to no item are left
// out.
std::map<std::int64_t, std::int64_t> wanted(const StoredMatrix& m, const Operation& op,
                                            const Operands& in) {
  const std::int64_t lanes = op.has_lanes ? kLanes : 1;
  std::map<std::int64_t, std::int64_t> all;
  const std::int64_t lines = op.at == Operation::At::Row      ? m.rows
                             : op.at == Operation::At::Column ? m.columns
                                                              : 0;
  for (std::int64_t k = 0; k < lines * lanes; ++k) all[k] = op.none;
  for (const test::StoredItem& item : test::stored_items(m)) {
    for (std::int64_t d = 0; d < lanes; ++d) {
      if (op.at == Operation::At::Item) {
        all[std::int64_t(item.place)] = op.item(item, in, d);
        continue;
      }
      std::int64_t& state = all[(op.at == Operation::At::Row ? item.row : item.column) * lanes + d];
      state = op.fold(state, op.item(item, in, d));
    }
  }
  return all;
}

std::string file_of(const StorageFormat& format, const Operation& op, const std::string& list) {
  const Lists lists = lists_of(format, op.has_lanes);
  return "sizes: {E: 3}\nsymbols: {I: {min: 0}}\ninputs:\n  A: {shape: [I, J], dtype: int32, "
         "format: \"" +
         to_string(format) +
         "\"}\n  X: {shape: [I], dtype: int32}\n  B: {shape: [J], dtype: int32}\n"
         "  C: {shape: [J, E], dtype: int32}\n  D: {shape: [I, E], dtype: int32}\ncompute: [\"" +
         op.statement + "\"]\n" +
         (list.empty() ? "" : "schedule: {" + std::string(lists.of) + ": [{" + list + "}]}\n");
}

// At which lines a format can tell its items: those of its rows, or of its columns.
bool can_be_at(const StorageFormat& format, Operation::At at) {
  if (at == Operation::At::Item) return true;
  return (at == Operation::At::Column) == (format.storage == StorageKind::Csc);
}

class SparseFormats : public testing::TestWithParam<std::size_t> {};

TEST_P(SparseFormats, EqualAWalkOverWhatTheyStore) {
  const StorageFormat& format = kFormats[GetParam()];
  SplitMix64 random(GetParam() + 1);
  const int matrices = count(2, 12);
  for (const Operation& op : operations()) {
    if (!can_be_at(format, op.at)) continue;
    std::vector<std::string> lists = {""};
    const bool is_plain = std::string_view(op.statement).ends_with(")");
    if (op.at != Operation::At::Item && is_plain) {
      const Lists more = lists_of(format, op.has_lanes);
      lists.insert(lists.end(), more.lists.begin(), more.lists.end());
    }
    for (const std::string& list : lists) {
      const std::string text = file_of(format, op, list);
      SCOPED_TRACE(text);
      const ScheduleFile file = read(text);
      ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
      const Program program = list.empty()
                                  ? lower_automatically(*file.fusion, {}, usual_device(), {})
                                  : lower(*file.schedule);
      EXPECT_TRUE(prove(program.steps).is_complete());
      for (int k = 0; k < matrices; ++k) {
        const StoredMatrix m = stored(random_matrix(random), format);
        Operands in;
        RunRequest request{.sizes = {{"I", m.rows}, {"J", m.columns}},
                           .inputs = arrays_of(m, "A", DataType::Int32, DataType::Int32)};
        request.inputs["X"] = numbers(random, {m.rows}, in.X);
        request.inputs["B"] = numbers(random, {m.columns}, in.B);
        request.inputs["C"] = numbers(random, {m.columns, kLanes}, in.C);
        request.inputs["D"] = numbers(random, {m.rows, kLanes}, in.D);
        std::erase_if(request.inputs, [&](const auto& input) {
          const auto t = file.fusion->find(input.first);
          return !t || !(*file.fusion)[*t].is_input;
        });
        request.on = Machine::Emulate;
        request.on_all = k == 0;
        const RunResult result = run(*file.fusion, program, request);
        EXPECT_TRUE(result.passed());
        const Array& z = result.outputs.at("Z");
        for (const auto& [place, value] : wanted(m, op, in)) {
          ASSERT_EQ(z.get_int(place), value) << "place " << place;
        }
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = to_string(kFormats[info.param]);
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
}
INSTANTIATE_TEST_SUITE_P(Each, SparseFormats, testing::Range(std::size_t{0}, std::size(kFormats)),
                         name_of);

// Two matrices at the same indices: what both have, by a walk over both.
TEST(SparseFormats, AProductOfTwoHasWhatBothHave) {
  SplitMix64 random(11);
  const std::pair<StorageFormat, StorageFormat> pairs[] = {
      {{StorageKind::Csr}, {StorageKind::Csr}}, {{StorageKind::Csr}, {StorageKind::Coo}},
      {{StorageKind::Coo}, {StorageKind::Csr}}, {{StorageKind::Ell}, {StorageKind::Csr}},
      {{StorageKind::Dia}, {StorageKind::Csr}}, {{StorageKind::Csc}, {StorageKind::Csc}}};
  for (const auto& [of_a, of_w] : pairs) {
    const bool by_columns = of_a.storage == StorageKind::Csc;
    const std::string text =
        "symbols: {I: {min: 0}}\ninputs:\n  A: {shape: [I, J], dtype: int32, format: \"" +
        to_string(of_a) + "\"}\n  W: {shape: [I, J], dtype: int32, format: \"" + to_string(of_w) +
        "\"}\ncompute:\n  - Z[i, j] = 2 * A[i, j] * -W[i, j] + A[i, j]\n  - " +
        (by_columns ? "s[j] = sum[i](A[i, j] * W[i, j])\n" : "s[i] = sum[j](A[i, j] * W[i, j])\n");
    SCOPED_TRACE(text);
    const ScheduleFile file = read(text);
    ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    const Program program = lower_automatically(*file.fusion, {}, usual_device(), {});
    EXPECT_TRUE(prove(program.steps).is_complete());
    for (int k = 0; k < count(3, 30); ++k) {
      CoordinateMatrix first = random_matrix(random), second = random_matrix(random);
      second.rows = first.rows, second.columns = first.columns;
      for (std::size_t n = 0; n < second.items(); ++n) {
        second.row[n] %= std::max<std::int64_t>(first.rows, 1);
        second.column[n] %= first.columns;
      }
      if (first.rows == 0) second.row.clear(), second.column.clear(), second.value.clear();
      const StoredMatrix a = stored(first, of_a), w = stored(second, of_w);
      RunRequest request{.sizes = {{"I", a.rows}, {"J", a.columns}},
                         .inputs = arrays_of(a, "A", DataType::Int32, DataType::Int32),
                         .on = Machine::Emulate,
                         .on_all = k == 0};
      request.inputs.merge(arrays_of(w, "W", DataType::Int32, DataType::Int32));
      const RunResult result = run(*file.fusion, program, request);
      EXPECT_TRUE(result.passed());
      std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> in_w;
      for (const auto& item : test::stored_items(w)) in_w[{item.row, item.column}] += of(item);
      std::vector<std::int64_t> sums(std::size_t(by_columns ? a.columns : a.rows));
      for (const auto& item : test::stored_items(a)) {
        const std::int64_t both = of(item) * in_w[{item.row, item.column}];
        EXPECT_EQ(result.outputs.at("Z").get_int(std::int64_t(item.place)), of(item) - 2 * both);
        sums[std::size_t(by_columns ? item.column : item.row)] += both;
      }
      for (std::size_t r = 0; r < sums.size(); ++r) {
        EXPECT_EQ(result.outputs.at("s").get_int(std::int64_t(r)), sums[r]) << r;
      }
    }
  }
}

// Items of one vector may be of several rows, and each row has an index of its own.
TEST(SparseFormats, AnIndexOfTheRowIsReadForEachItem) {
  const ScheduleFile file = read(
      "inputs:\n  A: {shape: [I, J], dtype: int32, format: csr}\n"
      "  of: {shape: [I], dtype: int32}\n  x: {shape: [N], dtype: int32}\n"
      "compute: [\"Z[i, j] = A[i, j] * x[clamped(of[i])]\"]\n");
  const Program program = lower(*file.schedule);
  EXPECT_TRUE(prove(program.steps).is_complete());
  SplitMix64 random(6);
  for (int k = 0; k < count(5, 50); ++k) {
    const StoredMatrix a = stored(random_matrix(random), {});
    if (a.rows == 0) continue;
    RunRequest request{.sizes = {{"I", a.rows}, {"J", a.columns}, {"N", 19}},
                       .inputs = arrays_of(a, "A", DataType::Int32, DataType::Int32),
                       .on = Machine::Emulate,
                       .on_all = true};
    std::vector<std::int64_t> index, x;
    request.inputs["of"] = numbers(random, {a.rows}, index);
    request.inputs["x"] = numbers(random, {19}, x);
    const RunResult result = run(*file.fusion, program, request);
    EXPECT_TRUE(result.passed());
    for (const auto& item : test::stored_items(a)) {
      const std::int64_t own = std::max<std::int64_t>(at(index, item.row), 0);
      EXPECT_EQ(result.outputs.at("Z").get_int(std::int64_t(item.place)), of(item) * at(x, own));
    }
  }
}

// What is behind the items of a matrix is read as these are.
TEST(SparseFormats, ResultsAtItemsMayHaveFurtherAxes) {
  for (const char* format : {"csr", "coo", "ell", "sell(3)", "bcsr(2, 3)", "dia"}) {
    const ScheduleFile file =
        read("sizes: {E: 3}\ninputs:\n  A: {shape: [I, J], dtype: int32, format: \"" +
             std::string(format) +
             "\"}\n  C: {shape: [J, E], dtype: int32}\n  B: {shape: [J], dtype: int32}\n"
             "compute:\n  - P[i, j, d] = A[i, j] * C[j, d]\n"
             "  - Z[i, d] = sum[j](P[i, j, d] * B[j])\n");
    SCOPED_TRACE(format);
    ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    const Program program = lower(*file.schedule);
    SplitMix64 random(13);
    for (int k = 0; k < count(3, 30); ++k) {
      const StoredMatrix a = stored(random_matrix(random), *storage_format(format));
      if (a.rows == 0) continue;
      RunRequest request{.sizes = {{"I", a.rows}, {"J", a.columns}},
                         .inputs = arrays_of(a, "A", DataType::Int32, DataType::Int32),
                         .on = Machine::Emulate,
                         .on_all = k == 0};
      Operands in;
      request.inputs["B"] = numbers(random, {a.columns}, in.B);
      request.inputs["C"] = numbers(random, {a.columns, kLanes}, in.C);
      const RunResult result = run(*file.fusion, program, request);
      EXPECT_TRUE(result.passed());
      std::vector<std::int64_t> sums(std::size_t(a.rows * kLanes));
      for (const auto& item : test::stored_items(a)) {
        for (std::int64_t d = 0; d < kLanes; ++d) {
          sums[std::size_t(item.row * kLanes + d)] +=
              of(item) * at(in.C, item.column * kLanes + d) * at(in.B, item.column);
        }
      }
      for (std::size_t n = 0; n < sums.size(); ++n) {
        EXPECT_EQ(result.outputs.at("Z").get_int(std::int64_t(n)), sums[n]) << n;
      }
    }
  }
}

// A product of dense matrices of no terms is 0 at each item.
TEST(SparseFormats, ProductsOfNoTermsAreZero) {
  const ScheduleFile file = read(
      "symbols: {D: {min: 0}}\ninputs:\n  A: {shape: [I, J], dtype: int32, format: csr}\n"
      "  X: {shape: [I, D], dtype: int32}\n  Y: {shape: [D, J], dtype: int32}\n"
      "compute: [\"Z[i, j] = sum[d](A[i, j] * X[i, d] * Y[d, j])\"]\n");
  const StoredMatrix a = stored({2, 3, {0, 1}, {2, 1}, {7, 8}}, {});
  RunRequest request{.sizes = {{"I", 2}, {"J", 3}, {"D", 0}},
                     .inputs = arrays_of(a, "A", DataType::Int32, DataType::Int32),
                     .on = Machine::Emulate,
                     .on_all = true};
  const RunResult result = run(*file.fusion, lower(*file.schedule), request);
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.outputs.at("Z").size(), 2);
  EXPECT_EQ(result.outputs.at("Z").get_int(1), 0);
}

std::string said(const std::string& format, const std::string& statement) {
  return refusal("inputs:\n  A: {shape: [I, J], dtype: float, format: \"" + format +
                 "\"}\n  W: {shape: [I, J], dtype: float, format: csr}\n"
                 "  X: {shape: [I], dtype: float}\n  B: {shape: [J], dtype: float}\n"
                 "compute: [\"" +
                 statement + "\"]\n");
}

TEST(SparseFormats, SayWhatAFormatCannotTell) {
  EXPECT_EQ(said("csr", "Z[j] = sum[i](A[i, j] * X[i])"),
            "a.yaml:6:12: error[E520]: Z is at j, of which only the items of A tell: as csr it is "
            "stored by rows, and the items of a column lie apart; help: store A as csc, or convert "
            "it, C[i, j] = A[i, j] and outputs: {C: {format: csc}}, or compute a result at i\n");
  EXPECT_EQ(said("csc", "Z[i] = sum[j](A[i, j] * B[j])"),
            "a.yaml:6:12: error[E520]: Z is at i, of which only the items of A tell: as csc it is "
            "stored by columns, and the items of a row lie apart; help: store A as csr or coo, or "
            "convert it, C[i, j] = A[i, j] and outputs: {C: {format: csr}}, or compute a result at "
            "j\n");
  EXPECT_EQ(said("ell", "Z[i] = mean[j](A[i, j])"),
            "a.yaml:6:19: error[E520]: mean would count what only fills A up, as it is ell; help: "
            "store A as csr, csc or coo\n");
  EXPECT_EQ(said("csr", "Z[j, i] = A[i, j]"),
            "a.yaml:6:12: error[E520]: Z stands at the items of A and is no matrix [i, j]; help: "
            "write Z[i, j], which has the items of A\n");
  EXPECT_EQ(said("sell(8)", "Z[2 * i] = sum[j](A[i, j])"),
            "a.yaml:6:12: error[E520]: A has the format sell(8), whose rows are in parts, and Z is "
            "stored elsewhere at once; help: compute it in a statement of its own, and move it in "
            "the next one\n");
  EXPECT_EQ(said("sell(8)", "Z[i] = sum[j](A[i, j]) + sum[k](W[i, k])"),
            "a.yaml:6:44: error[E520]: the index i runs over parts of rows of A, and W is read at "
            "it as well; help: store both in a format whose rows are not in parts, such as csr\n");
  EXPECT_EQ(said("csc", "Z[j] = sum[i](A[i, j] * W[i, j])"),
            "a.yaml:6:36: error[E520]: the index i runs over the items of A, and W is read at it "
            "as well; help: store both by rows, as csr or coo, or both as csc\n");
  EXPECT_EQ(said("csr", "Z[i] = sum[j](A[i, j] + W[i, j])"),
            "a.yaml:6:36: error[E520]: W is read at the items of A, and is no factor of A there: "
            "only a product is known to be 0 where A has no item; help: write products such as "
            "A[i, j] * W[i, j]; or a fold of its own for each, read at an index of its own; or "
            "compute a sparse C[i, j] = A[i, j] + W[i, j] first, outputs: {C: {format: csr}}\n");
  EXPECT_EQ(
      said("csr", "Z[i] = sum[j](A[i, j] * B[mirror(j + 1)])"),
      "a.yaml:6:38: error[E390]: a load in an access mode that goes on beyond its axis is not "
      "supported yet; help: write clamped, safe, checked or unchecked around it\n");
  EXPECT_EQ(said("csr", "Z[i] = sum[j](A[i, j]) + sum[k](W[i, k])"), "accepted");
  EXPECT_EQ(said("ell", "Z[i] = sum[j](A[i, j]) + sum[k](W[i, k])"), "accepted");
  EXPECT_EQ(
      said("sell", "Z[i] = sum[j](A[i, j])"),
      "a.yaml:2:44: error[E304]: inputs.A.format: 'sell' is no format; help: one of csr, csc, "
      "coo, ell, dia, sell(64), bcsr(4, 4), csf\n");
}

// What is made of indices by a format captures no name of the user's, and what lies beyond the last
// row is none.
TEST(SparseFormats, NamesAndRowsAreThoseOfTheFile) {
  CoordinateMatrix matrix{.rows = 10, .columns = 10, .row = {}, .column = {}, .value = {}};
  for (std::int64_t k = 0; k < 30; ++k) {
    matrix.row.push_back(k % 10), matrix.column.push_back(k * 7 % 10);
    matrix.value.push_back(double(1 + k % 4));
  }
  const std::pair<const char*, const char*> statements[] = {
      {"y[i] = sum[j](A[i, j]) + i_o", "symbols: {i_o: {value: 1000}}\n"},
      {"y[i] = sum[j](A[i, j]) + sum[i_o](B[i_o] * i)", ""},
      {"y[i] = sum[j](A[i, j] * sum[j_i](B[j_i] * x[j]))", ""},
      {"y[i, i_o] = B[i_o] * sum[j](A[i, j] * x[j])", ""},
      {"y = min[i](1 + sum[j](A[i, j]))", ""},
      {"y = sum[i](1 + 0 * sum[j](A[i, j]))", ""},
      {"y = sum[i, j](A[i, j])", ""},
      {"y = prod[i](1 + 0 * sum[j](A[i, j]) + i % 2)", ""}};
  for (const auto& [statement, head] : statements) {
    std::optional<std::string> first;
    for (const char* format : {"csr", "coo", "ell", "dia", "sell(4)", "bcsr(4, 4)", "bcsr(3, 1)"}) {
      const std::string text = std::string(head) +
                               "inputs:\n  A: {shape: [I, J], dtype: int32, format: \"" + format +
                               "\"}\n  B: {shape: [3], dtype: int32}\n"
                               "  x: {shape: [J], dtype: int32}\nschedule: none\ncompute:\n  - " +
                               statement + "\n";
      SCOPED_TRACE(text);
      const ScheduleFile file = read(text);
      RunRequest request{.sizes = {{"I", 10}, {"J", 10}},
                         .inputs = arrays_of(stored(matrix, *storage_format(format)), "A",
                                             DataType::Int32, DataType::Int32),
                         .on = Machine::Emulate};
      const RunResult result = run(*file.fusion, lower(*file.schedule), request);
      EXPECT_TRUE(result.passed());
      const Array& y = result.outputs.at("y");
      std::string numbers;
      for (std::int64_t k = 0; k < y.size(); ++k) numbers += std::to_string(y.get_int(k)) + " ";
      if (!first) first = numbers;
      EXPECT_EQ(numbers, *first);
    }
  }
  EXPECT_THAT(said("sell(4)", "Z = mean[i](sum[j](A[i, j]))"),
              HasSubstr("error[E520]: mean would count what only fills A up, as it is sell(4)"));
  EXPECT_THAT(said("ell", "Z = sum[i, j](A[i, j] * sum[i](X[i] * B[j]))"),
              HasSubstr("error[E520]: j is told by the items of A at i and j, and a fold around it "
                        "has another index i; help: rename the index of that fold"));
}

// Sums of rows and a sum of these, by whatever kernels.
TEST(SparseFormats, AFoldOfRowsMayBeFoldedAgain) {
  for (const char* format : {"csr", "coo", "ell", "sell(3)", "bcsr(3, 1)"}) {
    const ScheduleFile file =
        read("inputs:\n  A: {shape: [I, J], dtype: int32, format: \"" + std::string(format) +
             "\"}\ncompute:\n  - s[i] = sum[j](A[i, j])\n"
             "  - y = sum[i](s[i])\n");
    ASSERT_TRUE(file.illegal.empty()) << format << to_text(file.illegal);
    const Program program = lower(*file.schedule);
    EXPECT_TRUE(prove(program.steps).is_complete()) << format;
  }
}

// Folds that keep several numbers, and rows told by two inputs.
TEST(SparseFormats, FoldsOfSeveralNumbersAndOfTwoInputsAreScheduled) {
  const std::string csr = "inputs:\n  A: {shape: [I, J], dtype: float, format: csr}\ncompute:\n";
  const std::string rows =
      "inputs:\n  o: {shape: [B + 1], dtype: int32}\n  p: {shape: [C + 1], dtype: int32}\n"
      "  x: {shape: [B, ragged(o)], dtype: float}\n  w: {shape: [C, ragged(p)], dtype: float}\n"
      "compute:\n";
  for (const std::string& text :
       {csr + "  - y[i] = var[j](A[i, j])\n", csr + "  - y[i] = argmax[j](A[i, j])\n",
        rows + "  - y[b] = sum[j](x[b, j]) + sum[k](w[b, k])\n"}) {
    const ScheduleFile file = read(text);
    ASSERT_TRUE(file.illegal.empty()) << text << to_text(file.illegal);
    EXPECT_TRUE(prove(lower(*file.schedule).steps).is_complete()) << text;
  }
  EXPECT_EQ(
      read(rows + "  - y[b] = sum[j](x[b, j]) + sum[k](w[b, k])\n").fusion->launch_checks().size(),
      1u);
}

// Indices that leave the matrix are refused on the host, and harmless where nobody looks.
TEST(SparseFormats, BrokenIndicesAreRefusedOrReadWithinBounds) {
  const struct {
    const char* format;
    const char* array;
    std::int64_t index;
    const char* says;
  } cases[] = {
      {"coo", "A_rows", 9, "A_rows[2] is 9, and is to be less than 4"},
      {"coo", "A_rows", 0, "A_rows[2] is 0, and the one before it 1"},
      {"coo", "A_columns", 5, "A_columns[2] is 5"},
      {"ell", "A_columns", -2, "A_columns[2] is -2, and is to be less than 5"},
      {"ell", "A_columns", 5, "give indices from -1 to 4"},
      {"sell(3)", "A_columns", 7, "A_columns[2] is 7, in row 0"},
      {"bcsr(2, 2)", "A_columns", 3, "A_columns[2] is 3"},
  };
  const CoordinateMatrix matrix{4, 5, {0, 1, 1, 2, 3}, {4, 0, 3, 2, 1}, {1, 2, 3, 4, 5}};
  for (const auto& c : cases) {
    const ScheduleFile file =
        read("inputs:\n  A: {shape: [I, J], dtype: int32, format: \"" + std::string(c.format) +
             "\"}\n  B: {shape: [J], dtype: int32}\n"
             "compute: [\"Z[i] = sum[j](A[i, j] * B[j])\"]\n");
    const Program program = lower(*file.schedule);
    RunRequest request{.sizes = {{"I", 4}, {"J", 5}},
                       .inputs = arrays_of(stored(matrix, *storage_format(c.format)), "A",
                                           DataType::Int32, DataType::Int32),
                       .on = Machine::Emulate};
    EXPECT_TRUE(run(*file.fusion, program, request).passed()) << c.format;
    request.inputs.at(c.array).set_int(2, c.index);
    try {
      run(*file.fusion, program, request);
      ADD_FAILURE() << c.format << " " << c.array;
    } catch (const BadInput& refused) {
      EXPECT_EQ(refused.diagnostic().code, "E634");
      EXPECT_THAT(to_text(refused.diagnostic()), HasSubstr(c.says));
    }
    request.trusts_offsets = true;
    EXPECT_EQ(run(*file.fusion, program, request).faults, std::vector<std::string>()) << c.format;
  }
}

}  // namespace sparse_formats

}  // namespace

}  // namespace selvage
