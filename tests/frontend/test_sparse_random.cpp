// Random sparse matrices, operations over them and schedules, on every target, held against a walk
// over the stored items that is written here and shares nothing with the engine.
#include <gtest/gtest.h>
#include <selvage/driver/run.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/proof.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>

#include <functional>
#include <limits>
#include <random>

namespace selvage {

namespace {

using schedule_files::read;
using Random = std::mt19937_64;
using Numbers = std::vector<std::int64_t>;

std::int64_t within(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

struct RandomMatrix {
  std::int64_t rows = 0, columns = 1;
  Numbers offsets = {0}, column, value;
};

// Rows of random lengths, alike, skewed, mostly empty, or one long one; columns in any order, some
// of them twice.
RandomMatrix random_matrix(Random& random) {
  RandomMatrix m;
  m.rows = within(random, 0, 9) == 0 ? within(random, 0, 1) : within(random, 2, 40);
  m.columns = within(random, 1, 30);
  const std::int64_t kind = within(random, 0, 5), long_row = within(random, 0, 39);
  for (std::int64_t r = 0; r < m.rows; ++r) {
    const std::int64_t length = kind == 0   ? within(random, 0, 8)
                                : kind == 1 ? 3
                                : kind == 2 ? 60 / (r + 1)
                                : kind == 3
                                    ? (within(random, 0, 5) == 0 ? within(random, 1, 20) : 0)
                                : kind == 4 ? (r == long_row % m.rows ? 100 : within(random, 0, 1))
                                            : 0;
    for (std::int64_t k = 0; k < length; ++k) {
      m.column.push_back(within(random, 0, m.columns - 1));
      m.value.push_back(within(random, -9, 9));
    }
    m.offsets.push_back(std::int64_t(m.column.size()));
  }
  return m;
}

// An operation: a statement, and what it gives, by the walk.
struct Operation {
  const char* statement;
  bool has_items = false;  // the result has an item for each of A's
  bool has_lanes = false;  // a dense axis d
  // Of a row and, where there are such, an item and a lane.
  std::function<std::int64_t(const RandomMatrix&, const std::map<std::string, Numbers>&,
                             std::int64_t row, std::int64_t item, std::int64_t lane)>
      gives;
};

constexpr std::int64_t kLanes = 5;
using Inputs = std::map<std::string, Numbers>;

std::int64_t folded(const RandomMatrix& m, std::int64_t row, std::int64_t first,
                    const std::function<std::int64_t(std::int64_t, std::int64_t)>& take) {
  std::int64_t state = first;
  for (std::int64_t k = m.offsets[std::size_t(row)]; k < m.offsets[std::size_t(row) + 1]; ++k) {
    state = take(state, k);
  }
  return state;
}

std::int64_t at(const Numbers& list, std::int64_t k) { return list[std::size_t(k)]; }

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
      {"Z[i] = sum[j](A[i, j] * B[j])", false, false,
       [](const RandomMatrix& m, const Inputs& in, auto row, auto, auto) {
         return folded(m, row, 0, [&](auto s, auto k) {
           return s + at(m.value, k) * at(in.at("B"), at(m.column, k));
         });
       }},
      {"Z[i] = min[j](A[i, j] + B[j])", false, false,
       [](const RandomMatrix& m, const Inputs& in, auto row, auto, auto) {
         return folded(m, row, std::numeric_limits<std::int32_t>::max(), [&](auto s, auto k) {
           return std::min(s, at(m.value, k) + at(in.at("B"), at(m.column, k)));
         });
       }},
      {"Z[i] = max[j](A[i, j] * B[j])", false, false,
       [](const RandomMatrix& m, const Inputs& in, auto row, auto, auto) {
         return folded(m, row, std::numeric_limits<std::int32_t>::min(), [&](auto s, auto k) {
           return std::max(s, at(m.value, k) * at(in.at("B"), at(m.column, k)));
         });
       }},
      {"Z[i] = any[j](A[i, j] > 4 && B[j] > 0)", false, false,
       [](const RandomMatrix& m, const Inputs& in, auto row, auto, auto) {
         return folded(m, row, 0, [&](auto s, auto k) {
           const bool both = at(m.value, k) > 4 && at(in.at("B"), at(m.column, k)) > 0;
           return both ? std::int64_t{1} : s;
         });
       }},
      {"Z[i, d] = sum[j](A[i, j] * C[j, d])", false, true,
       [](const RandomMatrix& m, const Inputs& in, auto row, auto, auto lane) {
         return folded(m, row, 0, [&](auto s, auto k) {
           return s + at(m.value, k) * at(in.at("C"), at(m.column, k) * kLanes + lane);
         });
       }},
      {"Z[i, j] = A[i, j] * B[j] + R[i]", true, false,
       [](const RandomMatrix& m, const Inputs& in, auto row, auto item, auto) {
         return at(m.value, item) * at(in.at("B"), at(m.column, item)) + at(in.at("R"), row);
       }},
      {"Z[i, j] = sum[d](A[i, j] * X[i, d] * C[j, d])", true, false,
       [](const RandomMatrix& m, const Inputs& in, auto row, auto item, auto) {
         std::int64_t sum = 0;
         for (std::int64_t d = 0; d < kLanes; ++d) {
           sum += at(m.value, item) * at(in.at("X"), row * kLanes + d) *
                  at(in.at("C"), at(m.column, item) * kLanes + d);
         }
         return sum;
       }}};
  return all;
}

// A list of schedule items for it; empty: automatic.
std::string random_schedule(Random& random, const Operation& op) {
  const auto number = [&](std::int64_t least, std::int64_t most) {
    return std::to_string(within(random, least, most));
  };
  const std::string threads = number(1, 40), width = number(1, 12), group = number(2, 9);
  const bool folds_lanes =
      op.has_items && std::string(op.statement).find("sum[d]") != std::string::npos;
  std::vector<std::string> lists = {
      "",
      "    - split: {in: i, factor: " + threads +
          ", out: [o, t]}\n    - bind: {o: BIDx, t: TIDx}\n",
      "    - split: {in: i, factor: " + threads + ", out: [o, t]}\n    - bind: {t: TIDx}\n"};
  if (op.has_items) {
    lists.push_back("    - merge: {in: [i, j], out: p}\n    - split: {in: p, factor: " + threads +
                    ", out: [o, t]}\n    - bind: {o: BIDx, t: TIDx}\n");
  }
  if (op.has_items && !folds_lanes) {
    lists.push_back("    - split: {in: j, factor: " + group +
                    ", out: [s, g]}\n    - bind: {i: BIDx, g: TIDx}\n");
  }
  if (folds_lanes) {
    lists.push_back("    - merge: {in: [i, j], out: p}\n    - split: {in: p, factor: " + group +
                    ", out: [o, t]}\n    - split: {in: d, factor: 4, out: [s, g]}\n    - bind: {o: "
                    "BIDx, t: TIDy, g: TIDx}\n");
  }
  if (!op.has_items && !op.has_lanes) {
    lists.push_back(
        "    - split: {in: j, factor: 32, out: [s, g]}\n    - bind: {i: BIDx, g: TIDx}\n");
    lists.push_back("    - split: {in: i, factor: " + group +
                    ", out: [o, r]}\n    - split: {in: j, factor: " + width +
                    ", out: [s, g]}\n    - bind: {o: BIDx, r: TIDy, g: TIDx}\n");
  }
  if (!op.has_items) {
    const std::string lanes = op.has_lanes ? "    - reorder: [o, t, d, k]\n" : "";
    const std::string cut = "    - split: {in: p, factor: " + width +
                            ", out: [tile, k]}\n    - split: {in: tile, factor: " + group +
                            ", out: [o, t]}\n" + lanes + "    - bind: {o: BIDx, t: TIDx" +
                            (op.has_lanes ? ", d: TIDy" : "") + "}\n";
    lists.push_back("    - merge: {in: [i, j], out: p}\n" + cut);
    lists.push_back(
        "    - resize: {in: j, left: 0, right: 1, out: e}\n    - merge: {in: [i, e], out: p}\n" +
        cut);
  }
  return lists[std::size_t(within(random, 0, std::int64_t(lists.size()) - 1))];
}

Array array_of(DataType type, std::vector<std::int64_t> shape, const Numbers& values) {
  Array a(type, std::move(shape));
  for (std::size_t k = 0; k < values.size(); ++k) a.set_int(std::int64_t(k), values[k]);
  return a;
}

class SparseRandom : public testing::TestWithParam<int> {};

TEST_P(SparseRandom, EqualsAWalkOverTheItems) {
  Random random(std::uint64_t(GetParam()) + 1);
  const int programs = count(16, 100);
  constexpr int kMatrices = 8;
  for (int p = 0; p < programs; ++p) {
    const Operation& op =
        operations()[std::size_t(within(random, 0, std::int64_t(operations().size()) - 1))];
    const bool is_wide = within(random, 0, 1) == 1;
    const std::string list = random_schedule(random, op);
    const std::string text =
        std::string(
            "sizes: {D: 5}\nsymbols: {I: {min: 0}}\ninputs:\n  A: {shape: [I, J], dtype: int32, ") +
        "format: csr, index: " + (is_wide ? "int64" : "int32") +
        "}\n  B: {shape: [J], dtype: int32}\n  C: {shape: [J, D], dtype: int32}\n"
        "  X: {shape: [I, D], dtype: int32}\n  R: {shape: [I], dtype: int32}\n"
        "compute: [\"" +
        op.statement + "\"]\n" + (list.empty() ? "" : "schedule:\n  Z:\n" + list);
    SCOPED_TRACE(text);
    const ScheduleFile file = read(text);
    ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    const Program program = list.empty() ? lower_automatically(*file.fusion, {}, usual_device(), {})
                                         : lower(*file.schedule);
    const ProgramProof proof = prove(program.steps);
    EXPECT_TRUE(proof.is_complete()) << proof.open.size();
    for (int k = 0; k < kMatrices; ++k) {
      const RandomMatrix m = random_matrix(random);
      Inputs in;
      const std::pair<const char*, std::vector<std::int64_t>> dense[] = {
          {"B", {m.columns}}, {"C", {m.columns, kLanes}}, {"X", {m.rows, kLanes}}, {"R", {m.rows}}};
      RunRequest request;
      for (const auto& [name, shape] : dense) {
        std::int64_t n = 1;
        for (const std::int64_t extent : shape) n *= extent;
        for (std::int64_t i = 0; i < n; ++i) in[name].push_back(within(random, -9, 9));
        request.inputs[name] = array_of(DataType::Int32, shape, in[name]);
      }
      const DataType index = is_wide ? DataType::Int64 : DataType::Int32;
      const auto items = std::int64_t(m.column.size());
      request.inputs["A"] = array_of(DataType::Int32, {items}, m.value);
      request.inputs["A_columns"] = array_of(index, {items}, m.column);
      request.inputs["A_offsets"] = array_of(index, {m.rows + 1}, m.offsets);
      request.on = Machine::Emulate;
      request.on_all = k < 2;
      const RunResult result = run(*file.fusion, program, request);
      EXPECT_TRUE(result.passed());
      const Array& z = result.outputs.at("Z");
      for (std::int64_t row = 0; row < m.rows; ++row) {
        const std::int64_t first = op.has_items ? at(m.offsets, row) : 0;
        const std::int64_t last = op.has_items ? at(m.offsets, row + 1) : op.has_lanes ? kLanes : 1;
        for (std::int64_t i = first; i < last; ++i) {
          const std::int64_t place = op.has_items ? i : op.has_lanes ? row * kLanes + i : row;
          ASSERT_EQ(z.get_int(place), op.gives(m, in, row, i, i)) << "row " << row << ", " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Quarter, SparseRandom, testing::Range(0, 4));

}  // namespace

}  // namespace selvage
