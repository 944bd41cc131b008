// Mappings of TeAAL specifications over matrices in every format, and over tensors of levels,
// beside loops over dense matrices; and what a format does not let a mapping say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/base/stored_arrays.h>
#include <selvage/driver/run.h>
#include <selvage/lower/programs_by_size.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>

#include <vector>

namespace selvage {

namespace {

namespace einsum_formats {

using namespace schedule_files;
using testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kLanes = 3;

std::string spec(const std::string& format, const std::string& mapping, bool by_columns = false) {
  const std::string declaration =
      by_columns ? "{A: [I, J], X: [I, D], Z: [J, D]}" : "{A: [I, J], X: [J, D], Z: [I, D]}";
  const std::string expression =
      by_columns ? "Z[j, d] = A[i, j] * X[i, d]" : "Z[i, d] = A[i, j] * X[j, d]";
  return "sizes: {D: 3}\neinsum:\n  declaration: " + declaration + "\n  expressions: ['" +
         expression + "']\nformat: {A: {storage: \"" + format +
         "\", dtype: int32}, X: {storage: dense, dtype: int32}}\nmapping:\n" + mapping;
}

struct Mapping {
  const char* partitioning;
  const char* order;
  const char* space;
  const char* time;
  std::string text() const {
    const std::string parts =
        *partitioning == 0 ? std::string()
                           : "  partitioning:\n    Z:\n      " + std::string(partitioning) + "\n";
    return parts + "  loop-order: {Z: [" + order + "]}\n  spacetime: {Z: {space: [" + space +
           "], time: [" + time + "]}}\n";
  }
};

// By rows, in the ways that every format takes.
const Mapping kByRows[] = {
    {"", "I, D, J", "I", "D, J"},
    {"", "D, I, J", "I, D", "J"},
    {"I: [uniform_shape(4)]", "I1, I0, D, J", "I0", "I1, D, J"},
    {"I: [uniform_shape(4)]", "I1, I0, D, J", "I1, I0, D", "J"},
    {"I: [uniform_shape(6), uniform_shape(3)]", "I2, I1, D, I0, J", "I2, I0", "I1, D, J"},
    {"I: [nway_shape(2)]", "I1, I0, D, J", "I1, D", "I0, J"}};
// And those that lists of items take.
const Mapping kByItems[] = {{"J: [uniform_occupancy(A.2)]", "I, D, J1, J0", "I, J0", "D, J1"},
                            {"\"(I, J)\": [flatten()]\n      IJ: [uniform_occupancy(A.4)]",
                             "IJ1, D, IJ0", "IJ1, D", "IJ0"}};
// The same by columns, for csc.
const Mapping kByColumns[] = {{"", "J, D, I", "J", "D, I"},
                              {"J: [uniform_shape(4)]", "J1, J0, D, I", "J1, J0, D", "I"},
                              {"I: [uniform_occupancy(A.2)]", "J, D, I1, I0", "J, I0", "D, I1"},
                              {"\"(J, I)\": [flatten()]\n      JI: [uniform_occupancy(A.4)]",
                               "JI1, D, JI0", "JI1, D", "JI0"}};

void expect_products(const std::string& text, const StorageFormat& format, bool by_columns,
                     SplitMix64& random) {
  SCOPED_TRACE(text);
  const ScheduleFile file = read(text);
  ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
  const Program program = lower(*file.fusion, *file.schedule);
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  for (int n = 0; n < count(2, 20); ++n) {
    CoordinateMatrix m{1 + below(20), 1 + below(12), {}, {}, {}};
    Numbers dense(std::size_t(m.rows * m.columns));
    for (std::int64_t k = below(60); k > 0; --k) {
      m.row.push_back(below(m.rows)), m.column.push_back(below(m.columns));
      m.value.push_back(double(below(9)) - 4);
      dense[std::size_t(m.row.back() * m.columns + m.column.back())] +=
          std::int64_t(m.value.back());
    }
    RunRequest request{
        .sizes = {{"I", m.rows}, {"J", m.columns}},
        .inputs = arrays_of(stored(m, format), "A", DataType::Int32, DataType::Int32),
        .on = Machine::Emulate,
        .on_all = n == 0};
    const std::int64_t folded = by_columns ? m.rows : m.columns;
    Array x(DataType::Int32, {folded, kLanes});
    for (std::int64_t k = 0; k < x.size(); ++k) x.set_int(k, below(9) - 4);
    request.inputs["X"] = x;
    const RunResult result = run(*file.fusion, program, request);
    EXPECT_TRUE(result.passed());
    const Array& z = result.outputs.at("Z");
    for (std::int64_t line = 0; line < (by_columns ? m.columns : m.rows); ++line) {
      for (std::int64_t d = 0; d < kLanes; ++d) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < folded; ++k) {
          const std::int64_t at = by_columns ? k * m.columns + line : line * m.columns + k;
          sum += dense[std::size_t(at)] * x.get_int(k * kLanes + d);
        }
        ASSERT_EQ(z.get_int(line * kLanes + d), sum) << line << " " << d;
      }
    }
  }
}

TEST(EinsumFormats, MappingsOfEveryFormatGiveTheProducts) {
  SplitMix64 random(2);
  for (const char* name : {"csr", "coo", "ell", "dia", "sell(4)", "sell(1)", "sell(5)",
                           "bcsr(1, 1)", "bcsr(2, 3)", "bcsr(4, 1)"}) {
    const StorageFormat format = *storage_format(name);
    const bool has_items = std::string_view(name) == "csr" || std::string_view(name) == "coo";
    for (const Mapping& mapping : kByRows) {
      expect_products(spec(name, mapping.text()), format, false, random);
    }
    for (const Mapping& mapping : kByItems) {
      if (has_items) expect_products(spec(name, mapping.text()), format, false, random);
    }
  }
  for (const Mapping& mapping : kByColumns) {
    expect_products(spec("csc", mapping.text(), true), *storage_format("csc"), true, random);
  }
}

// What has the items of a matrix lies as these do.
TEST(EinsumFormats, ItemsAreMappedAsTheyLie) {
  SplitMix64 random(4);
  const auto below = [&](std::int64_t n) { return std::int64_t(random.next() % std::uint64_t(n)); };
  for (const auto& [name, order] : {std::pair("csr", "I, J"),
                                    {"csc", "J, I"},
                                    {"ell", "I, J"},
                                    {"ell", "J, I"},
                                    {"dia", "J, I"},
                                    {"dia", "I, J"}}) {
    const std::string first(1, order[0]), second(1, order[3]);
    const ScheduleFile file = read(
        "einsum:\n  declaration: {A: [I, J], S: [I], P: [I, J]}\n"
        "  expressions: ['P[i, j] = A[i, j] * S[i]']\nformat: {A: {storage: " +
        std::string(name) + ", dtype: int32}, S: {dtype: int32}}\nmapping:\n  loop-order: {P: [" +
        order + "]}\n  spacetime: {P: {space: [" + first + "], time: [" + second + "]}}\n");
    SCOPED_TRACE(std::string(name) + " " + order);
    ASSERT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    const Program program = lower(*file.fusion, *file.schedule);
    for (int n = 0; n < count(4, 40); ++n) {
      CoordinateMatrix m{1 + below(20), 1 + below(12), {}, {}, {}};
      for (std::int64_t k = below(60); k > 0; --k) {
        m.row.push_back(below(m.rows)), m.column.push_back(below(m.columns));
        m.value.push_back(double(below(9)) - 4);
      }
      const StoredMatrix a = stored(m, *storage_format(name));
      RunRequest request{.sizes = {{"I", m.rows}, {"J", m.columns}},
                         .inputs = arrays_of(a, "A", DataType::Int32, DataType::Int32),
                         .on = Machine::Emulate,
                         .on_all = n == 0};
      Array s(DataType::Int32, {m.rows});
      for (std::int64_t k = 0; k < m.rows; ++k) s.set_int(k, k + 1);
      request.inputs["S"] = s;
      const RunResult result = run(*file.fusion, program, request);
      EXPECT_TRUE(result.passed());
      StoredMatrix p = a;
      for (std::size_t k = 0; k < p.value.size(); ++k) {
        p.value[k] = double(result.outputs.at("P").get_int(std::int64_t(k)));
      }
      // By coordinates: each item times its row's number.
      std::vector<std::int64_t> sums(std::size_t(m.rows * m.columns));
      const CoordinateMatrix before = items_of(a), after = items_of(p);
      for (std::size_t k = 0; k < before.items(); ++k) {
        sums[std::size_t(before.row[k] * m.columns + before.column[k])] +=
            std::int64_t(before.value[k]) * (before.row[k] + 1);
      }
      for (std::size_t k = 0; k < after.items(); ++k) {
        sums[std::size_t(after.row[k] * m.columns + after.column[k])] -=
            std::int64_t(after.value[k]);
      }
      EXPECT_THAT(sums, testing::Each(0));
    }
  }
}

TEST(EinsumFormats, TensorsOfLevelsAreScheduledAutomatically) {
  const std::string einsum =
      "sizes: {D: 2}\neinsum:\n  declaration: {T: [I, J, K], B: [J, D], C: [K, D], Y: [I, D], V: "
      "[I, J], s: [I]}\n  expressions:\n    - Y[i, d] = T[i, j, k] * B[j, d] * C[k, d]\n"
      "    - V[i, j] = T[i, j, k]\n    - s[i] = V[i, j]\n";
  const ScheduleFile file =
      read(einsum + "format: {T: {default: {I: {format: U}, J: {format: C}, K: {format: C}}}}\n");
  EXPECT_THAT(file.as_fusion, HasSubstr("T: {shape: [I, J, K], dtype: float, format: csf}"));
  EXPECT_THAT(file.as_fusion, HasSubstr("B: {shape: [J, D], dtype: float}"));
  const CoordinateTensor t{{3, 2, 2}, {{0, 0, 2}, {1, 1, 0}, {0, 1, 1}}, {2, 3, 5}};
  RunRequest request{.sizes = {{"I", 3}, {"J", 2}, {"K", 2}},
                     .inputs = arrays_of(stored(t), "T", DataType::Float, DataType::Int32),
                     .on = Machine::Emulate,
                     .on_all = true};
  const RunResult result = run(*file.fusion, lower(*file.schedule), request);
  EXPECT_TRUE(result.passed());
  const auto in = [&](const char* name, std::int64_t k) { return result.inputs.at(name).get(k); };
  const double y[] = {2 * in("B", 2) * in("C", 0) + 3 * in("B", 2) * in("C", 2),
                      2 * in("B", 3) * in("C", 1) + 3 * in("B", 3) * in("C", 3),
                      0,
                      0,
                      5 * in("B", 0) * in("C", 2),
                      5 * in("B", 1) * in("C", 3)};
  for (std::int64_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(result.outputs.at("Y").get(k), y[k], 1e-5) << k;
  }
  EXPECT_EQ(result.outputs.at("s").get(0), 5);
  EXPECT_EQ(result.outputs.at("s").get(1), 0);
  EXPECT_EQ(result.outputs.at("s").get(2), 5);
  EXPECT_EQ(refusal(einsum + "format: {T: {storage: csf}}\n"
                             "mapping: {spacetime: {Y: {space: [I], time: [D, J, K]}}}\n"),
            "a.yaml:8:23: error[E390]: a mapping beside T, which is stored as csf, is not "
            "supported yet; help: leave mapping out, so that all is scheduled automatically\n");
  EXPECT_THAT(refusal(einsum + "format: {B: {storage: csf}}\n"),
              HasSubstr("a.yaml:8:13: error[E520]: B has no three ranks, and csf stores as many or "
                        "more; help: write storage: csr for a matrix"));
}

TEST(EinsumFormats, SayWhatAFormatDoesNotLetAMappingSay) {
  const auto said = [](const char* format, const Mapping& mapping) {
    return refusal(spec(format, mapping.text()));
  };
  EXPECT_EQ(said("ell", {"J: [uniform_occupancy(A.2)]", "I, D, J1, J0", "I", "D, J1, J0"}),
            "a.yaml:9:11: error[E390]: a partitioning of J, which is stored as ell, is not "
            "supported yet; help: cut up the rows alone, or store the matrix as csr\n");
  EXPECT_EQ(said("dia", {"\"(I, J)\": [flatten()]", "IJ, D", "D", "IJ"}),
            "a.yaml:9:7: error[E390]: flatten() of J, which is stored as dia, is not supported "
            "yet; help: cut up the rows alone, or store the matrix as csr\n");
  EXPECT_EQ(said("bcsr(2, 2)", {"", "I, D, J", "I, J", "D"}),
            "a.yaml:8:30: error[E390]: J in space, which is stored as bcsr(2, 2), is not supported "
            "yet; help: run J in time\n");
  EXPECT_EQ(refusal("einsum:\n  declaration: {A: [I, J], P: [I, J]}\n"
                    "  expressions: ['P[i, j] = A[i, j]']\nformat: {A: {storage: \"sell(4)\"}}\n"
                    "mapping: {spacetime: {P: {space: [I], time: [J]}}}\n"),
            "a.yaml:3:17: error[E390]: a mapping of P, which is not by rows of A, stored as "
            "sell(4), is not supported yet; help: compute a result at rows of A alone, or store it "
            "as csr\n");
  EXPECT_THAT(said("csc", {"", "I, D, J", "I", "D, J"}),
              HasSubstr("error[E520]: Z is at i, of which only the items of A tell: as csc"));
}

}  // namespace einsum_formats

}  // namespace

}  // namespace selvage
