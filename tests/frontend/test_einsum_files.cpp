// TeAAL specifications: the fusion and schedule that each stands for, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/codegen/cuda.h>
#include <selvage/driver/row_load.h>
#include <selvage/driver/run.h>
#include <selvage/lower/program.h>
#include <selvage/report/json.h>
#include <selvage/report/report.h>
#include <selvage/report/run_file.h>
#include <tests/frontend/schedule_files.h>
#include <tests/frontend/seed_matrix.h>
#include <tests/support/json_value.h>

namespace selvage {

namespace {

using namespace schedule_files;
using namespace seed_matrix;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kEinsum = R"yaml(
einsum:
  declaration:
    A: [I, J]
    B: [J]
    Z: [I]
  expressions:
    - Z[i] = A[i, j] * B[j]
)yaml";

// As the seed has it.
const std::string kThreads = "symbols: {NUM_THREADS: {value: 4}}" + kEinsum + R"yaml(
mapping:
  rank-order:
    A: [I, J]
    B: [J]
    Z: [I]
  partitioning:
    Z:
      I: [uniform_shape(NUM_THREADS)]
  loop-order:
    Z: [I1, I0, J]
  spacetime:
    Z:
      space: [I0]
      time: [I1, J]
)yaml";

std::string mapped(const std::string& partitioning, const std::string& order,
                   const std::string& space, const std::string& time) {
  return kEinsum + "mapping:\n  partitioning:\n    Z:\n" + partitioning + "\n  loop-order: {Z: [" +
         order + "]}\n  spacetime: {Z: {space: [" + space + "], time: [" + time + "]}}\n";
}

// The load of a specification's tensor by the offsets of the seed's matrix.
RowLoad load_of(const ScheduleFile& file) {
  RunRequest request{.sizes = {{"I", 8}, {"J", 8}, {"A_items", 30}}, .inputs = inputs()};
  const RunArguments arguments = arguments_of(*file.fusion, request);
  return row_load(*file.schedule, *file.fusion->find("Z"), arguments).value();
}

void expect_seed_result(const ScheduleFile& file) {
  const Program program = lower(*file.fusion, *file.schedule);
  for (const Machine machine : {Machine::Emulate, Machine::Virtual}) {
    RunRequest request{.sizes = {{"J", 8}}, .inputs = inputs()};
    request.on = machine;
    const RunResult result = run(*file.fusion, program, request);
    EXPECT_TRUE(result.passed());
    const Array& z = result.outputs.at("Z");
    for (std::size_t k = 0; k < kSeedResult.size(); ++k) {
      EXPECT_EQ(z.get(std::int64_t(k)), kSeedResult[k]) << k;
    }
  }
}

TEST(EinsumFiles, TheSeed) {
  const ScheduleFile file = read(kThreads);
  expect_seed_result(file);
  EXPECT_EQ(file.as_fusion, R"yaml(symbols:
  NUM_THREADS: {value: 4}
inputs:
  A: {shape: [I, J], dtype: float, format: csr}
  B: {shape: [J], dtype: float}
outputs:
  Z: {shape: [I]}
compute:
  - Z[i] = sum[j](A[i, j] * B[j])
schedule:
  Z:
    - split: {in: i, factor: NUM_THREADS, out: [I1, I0]}
    - bind: {I0: TIDx}
)yaml");
}

TEST(EinsumFiles, TheSeedAsJson) {
  const ScheduleFile file = read(kThreads);
  Report report = inspect(file);
  report.fusions[0].loads = {load_of(file)};
  const auto spec = test::JsonValue::parse(to_json(report))["spec"];
  EXPECT_EQ(spec["loops"].dump(),
            R"([{"rank":"I1","extent":"(I + 3) / 4"},{"rank":"I0","extent":"4","space":"TIDx"},)"
            R"({"rank":"J","extent":"A_offsets.end - A_offsets.begin"}])");
  EXPECT_EQ(spec["owners"].dump(), R"({"0":[0,4],"1":[1,5],"2":[2,6],"3":[3,7]})");
  EXPECT_EQ(spec["atoms"].dump(), "[9,8,7,6]");
  EXPECT_EQ(spec["steps"].dump(), "9");
  EXPECT_THAT(spec["output"].dump(), HasSubstr(R"("0":"store","1":"store")"));
}

// Parts of a rank are as many as there are, however many threads the blocks have.
TEST(EinsumFiles, PositionsAsJson) {
  const ScheduleFile file = read(mapped(
      "      (I, J): [flatten()]\n      IJ: [uniform_occupancy(A.8)]", "IJ1, IJ0", "IJ1", "IJ0"));
  Report report = inspect(file);
  report.fusions[0].loads = {load_of(file)};
  const auto spec = test::JsonValue::parse(to_json(report))["spec"];
  EXPECT_EQ(spec["atoms"].dump(), "[8,8,8,6]");
  EXPECT_EQ(spec["owners"].dump(), R"({"0":[0,1,2],"1":[2,3,4],"2":[4,5,6],"3":[6,7]})");
  EXPECT_EQ(spec["utilisation"].dump(), "0.9375");
  EXPECT_EQ(spec["loops"][0]["space"].text(), "BIDx, TIDx");
  EXPECT_EQ(
      spec["output"].dump(),
      R"({"0":"store","1":"store","2":"carry","3":"store","4":"carry","5":"store","6":"carry",)"
      R"("7":"store"})");
}

struct Variant {
  const char* name;
  std::string text;
  std::vector<std::int64_t> atoms;
  std::int64_t steps;
};

// What TeAAL's own compiler counts for these, by a run on the same matrix.
TEST(EinsumFiles, VariantsOfTheSeed) {
  const std::vector<Variant> variants = {
      {"a row a thread",
       mapped("      I: [uniform_shape(4)]", "I1, I0, J", "I1, I0", "J"),
       {3, 3, 3, 3, 6, 5, 4, 3},
       6},
      {"groups",
       mapped("      I: [uniform_shape(2)]\n      J: [uniform_occupancy(A.2)]", "I1, I0, J1, J0",
              "I0, J0", "I1, J1"),
       {9, 7, 9, 5},
       9},
      {"positions",
       mapped("      (I, J): [flatten()]\n      IJ: [uniform_occupancy(A.8)]", "IJ1, IJ0", "IJ1",
              "IJ0"),
       {8, 8, 8, 6},
       8},
      {"three threads",
       mapped("      I: [uniform_shape(3)]", "I1, I0, J", "I0.coord", "I1, J.pos"),
       {10, 12, 8},
       13},
      {"more threads than rows",
       mapped("      I: [uniform_shape(16)]", "I1, I0, J", "I0", "I1, J"),
       {3, 3, 3, 3, 6, 5, 4, 3},
       6},
      {"four parts",
       mapped("      I: [nway_shape(4)]", "I1, I0, J", "I1", "I0, J"),
       {6, 6, 11, 7},
       11},
      {"parts of parts",
       mapped("      I: [uniform_shape(4), uniform_shape(2)]", "I2, I1, I0, J", "I2, I0", "I1, J"),
       {6, 6, 10, 8},
       10},
  };
  for (const Variant& v : variants) {
    SCOPED_TRACE(v.name);
    const ScheduleFile file = read(v.text);
    ASSERT_TRUE(file.illegal.empty());
    expect_seed_result(file);
    const RowLoad load = load_of(file);
    std::vector<std::int64_t> atoms;
    for (const RowLoad::Thread& thread : load.threads) {
      if (!thread.rows.empty()) atoms.push_back(thread.items);
    }
    EXPECT_EQ(atoms, v.atoms);
    EXPECT_EQ(load.steps, v.steps);
  }
}

// What is printed is a file, and makes the same kernels.
TEST(EinsumFiles, TheFusionIsAFile) {
  for (const std::string& text :
       {kThreads, kEinsum,
        mapped("      (I, J): [flatten()]\n      IJ: [uniform_occupancy(A.8)]", "IJ1, IJ0", "IJ1",
               "IJ0")}) {
    const ScheduleFile file = read(text);
    const ScheduleFile again = read(file.as_fusion);
    EXPECT_EQ(again.as_fusion, "");
    const Report one = inspect(file), two = inspect(again);
    ASSERT_EQ(one.fusions[0].cuda.size(), two.fusions[0].cuda.size());
    for (std::size_t k = 0; k < one.fusions[0].cuda.size(); ++k) {
      EXPECT_EQ(one.fusions[0].cuda[k][0].text, two.fusions[0].cuda[k][0].text);
    }
  }
}

// What is empty in a specification is so in the printed file.
TEST(EinsumFiles, EmptyListsAreWrittenAgain) {
  const ScheduleFile file = read("symbols: {I: {}, N: {min: 0}}\nfacts: []\n" + kEinsum);
  EXPECT_THAT(file.as_fusion, HasSubstr("facts: []\n"));
  EXPECT_TRUE(read(file.as_fusion).illegal.empty());
}

TEST(EinsumFiles, WhatAnExpressionBecomes) {
  const auto statement = [](const std::string& declaration, const std::string& expression,
                            const std::string& more = "") {
    const std::string file = read("einsum:\n  declaration: " + declaration + "\n  expressions: ['" +
                                  expression + "']\n" + more)
                                 .as_fusion;
    const std::size_t begin = file.find("  - ", file.find("compute:")) + 4;
    return file.substr(begin, file.find('\n', begin) - begin);
  };
  EXPECT_EQ(statement("{A: [I, K], B: [K, N], Z: [I, N]}", "Z[i, n] = A[i, k] * B[k, n]"),
            "Z[i, n] = sum[k](A[i, k] * B[k, n])");
  EXPECT_EQ(statement("{A: [I, J], B: [J], C: [I], Z: [I]}", "Z[i] = A[i, j] * B[j] + C[i]"),
            "Z[i] = sum[j](A[i, j] * B[j]) + C[i]");
  EXPECT_EQ(statement("{A: [I, J], B: [J], Z: [I]}", "Z[i] = take(A[i, j], B[j], 0)"),
            "Z[i] = sum[j](select(B[j] != 0, A[i, j], 0))");
  // By storage: B lies by columns.
  EXPECT_EQ(statement("{A: [I, K], B: [K, N], Z: [I, N]}", "Z[i, n] = A[i, k] * B[k, n]",
                      "mapping: {rank-order: {B: [N, K], Z: [N, I]}}\n"),
            "Z[n, i] = sum[k](A[i, k] * B[n, k])");
  EXPECT_EQ(statement("{X: [W], F: [S], O: [Q]}", "O[q] = X[2*q + s] * F[s]",
                      "facts: [W == 2*Q + S - 2]\n"),
            "O[q] = sum[s](X[2*q + s] * F[s])");
}

// The items of the result are those of A.
TEST(EinsumFiles, ASampledProduct) {
  const ScheduleFile file = read(R"yaml(
einsum:
  declaration: {A: [I, J], X: [I, D], Y: [D, J], P: [I, J]}
  expressions: ["P[i, j] = A[i, j] * X[i, d] * Y[d, j]"]
mapping:
  partitioning: {P: {"(I, J)": [flatten()], IJ: [uniform_occupancy(A.64)]}}
  loop-order: {P: [IJ1, IJ0, D]}
  spacetime: {P: {space: [IJ1, IJ0], time: [D]}}
)yaml");
  ASSERT_TRUE(file.illegal.empty());
  RunRequest request{.sizes = {{"D", 5}, {"J", 8}}, .inputs = inputs()};
  request.inputs.erase("B");
  request.sizes["I"] = 8;
  request.on = Machine::Emulate;
  request.on_all = true;
  const RunResult result = run(*file.fusion, lower(*file.fusion, *file.schedule), request);
  EXPECT_TRUE(result.passed());
  const Array &x = result.inputs.at("X"), &y = result.inputs.at("Y"), &p = result.outputs.at("P");
  const Array &offsets = request.inputs.at("A_offsets"), &columns = request.inputs.at("A_columns");
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t k = offsets.get_int(i); k < offsets.get_int(i + 1); ++k) {
      double sum = 0;
      for (std::int64_t d = 0; d < 5; ++d) {
        sum += x.get(i * 5 + d) * y.get(d * 8 + columns.get_int(k));
      }
      EXPECT_NEAR(p.get(k), sum * request.inputs.at("A").get(k), 1e-4) << i << " " << k;
    }
  }
}

// What has A's items is stored as A is, for those who read it.
TEST(EinsumFiles, ACascade) {
  const ScheduleFile file = read(R"yaml(
einsum:
  declaration: {A: [I, J], S: [I], P: [I, J], B: [J], Z: [I]}
  expressions:
    - P[i, j] = A[i, j] * S[i]
    - Z[i] = P[i, j] * B[j]
mapping:
  partitioning: {Z: {I: [uniform_shape(4)], J: [uniform_occupancy(P.2)]}}
  loop-order: {Z: [I1, I0, J1, J0]}
  spacetime: {Z: {space: [I0, J0], time: [I1, J1]}}
)yaml");
  ASSERT_TRUE(file.illegal.empty());
  RunRequest request{.inputs = inputs(), .on = Machine::Emulate};
  Array s(DataType::Float, {8});
  for (int i = 0; i < 8; ++i) s.set(i, i);
  request.inputs["S"] = s;
  const RunResult result = run(*file.fusion, lower(*file.fusion, *file.schedule), request);
  EXPECT_TRUE(result.passed());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(result.outputs.at("Z").get(i), kSeedResult[std::size_t(i)] * i) << i;
  }
}

TEST(EinsumFiles, Formats) {
  const auto input = [](const std::string& format) {
    const std::string file = read(kEinsum + "format: " + format + "\n").as_fusion;
    const std::size_t begin = file.find("  A: ") + 5;
    return file.substr(begin, file.find('\n', begin) - begin);
  };
  EXPECT_EQ(input("{A: {storage: dense, dtype: double}}"), "{shape: [I, J], dtype: double}");
  EXPECT_EQ(input("{A: {storage: csr, index: int64}}"),
            "{shape: [I, J], dtype: float, format: csr, index: int64}");
  EXPECT_EQ(
      input("{A: {default: {rank-order: [I, J], I: {format: U}, J: {format: C, cbits: 32}}}}"),
      "{shape: [I, J], dtype: float, format: csr}");
  EXPECT_EQ(input("{A: {default: {I: {format: U}, J: {format: U}}}}"),
            "{shape: [I, J], dtype: float}");
}

TEST(EinsumFiles, WhatIsNotUsedIsSaid) {
  const ScheduleFile file = read(kThreads + "architecture: {PE: {count: 4}}\nbindings: [1, 2]\n");
  ASSERT_EQ(file.warnings.size(), 2u);
  EXPECT_EQ(file.warnings[0].message, "architecture is not used");
  EXPECT_EQ(file.warnings[1].message, "bindings is not used");
}

TEST(EinsumFiles, Slip) {
  std::string text = kThreads;
  text.insert(text.find("      space:"), "      opt: slip\n");
  EXPECT_TRUE(read(text).mappings.at("Z").slips);
  EXPECT_FALSE(read(kThreads).mappings.at("Z").slips);
}

// Each mistake is named with the rank, at its place.
TEST(EinsumFiles, Refusals) {
  const auto parts = [](const std::string& partitioning) {
    return mapped("      " + partitioning, "I1, I0, J", "I0", "I1, J");
  };
  const auto ranks = [](const std::string& order, const std::string& space,
                        const std::string& time) {
    return mapped("      I: [uniform_shape(4)]", order, space, time);
  };
  const auto einsum = [](const std::string& expression) {
    return "einsum:\n  declaration: {A: [I, J], B: [J], Z: [I]}\n  expressions: ['" + expression +
           "']\n";
  };
  const std::pair<std::string, const char*> cases[] = {
      {ranks("I1, I0", "I0", "I1, J"),
       "a.yaml:13:19: error[E333]: loop-order of Z leaves the rank J out; help: name each once: "
       "I1, "
       "I0, J"},
      {ranks("I1, I0, J", "I0", "I1"),
       "error[E333]: spacetime.Z leaves the rank J out; help: add it to time"},
      {ranks("I1, I0, J", "I0", "I0, I1, J"), "error[E333]: spacetime.Z has the rank I0 twice"},
      {ranks("I1, I0, Q", "I0", "I1, J"),
       "error[E333]: loop-order of Z: there is no rank 'Q' there; help: its ranks are I1, I0, J"},
      {ranks("I1, I0, J, J", "I0", "I1, J"), "error[E333]: loop-order of Z has the rank J twice"},
      {parts("I: [uniform_occupancy(C.3)]"),
       "error[E205]: there is no tensor 'C'; help: declare it under"},
      {parts("I: [uniform_occupancy(3)]"),
       "error[E334]: uniform_occupancy(3) has no leader: whose items it counts; help: write "
       "uniform_occupancy(A.3)"},
      {parts("I: [flatten()]"),
       "error[E334]: flatten() makes one rank of several, and I is one; help: write (I, J): "
       "[flatten()]"},
      {parts("(I, J): [flatten(), uniform_shape(4)]"), "error[E334]: flatten() stands alone"},
      {mapped("      (I, J): [flatten()]\n      IJ: [uniform_shape(4)]", "IJ1, IJ0", "IJ1", "IJ0"),
       "error[E334]: IJ is flattened, and no shape cuts it up; help: write uniform_occupancy(A.4)"},
      {parts("J: [uniform_shape(4)]"),
       "error[E334]: A stores only what is not 0 of J, so parts of its shape hold different "
       "numbers "
       "of items; help: write uniform_occupancy(A.4)"},
      {parts("I: [uniform_shape(6), uniform_shape(4)]"),
       "error[E334]: parts of 4 do not fill those of 6 around them"},
      {parts("I: [uniform_shape(T)]"),
       "error[E302]: there is no size 'T'; help: declare it: symbols: "
       "{T: {value: 4}}"},
      {parts("I: [uniform_shape(0)]"), "error[E334]: parts of 0"},
      {parts("I: [uniform(4)]"), "error[E332]: partitioning: 'uniform' is none of"},
      {kEinsum + "mapping: {partitioning: {Z: {(I, J): [flatten()]}}}\n",
       "error[E333]: partitioning of Z: '(I' is no rank; help: a key with a comma stands on a line "
       "of its own, or in quotes"},
      {parts("I: [follow(J)]"), "error[E390]: follow(...) is not supported yet"},
      {parts("Q: [uniform_shape(4)]"),
       "error[E333]: partitioning of Z: there is no rank 'Q' there"},
      {kEinsum + "mapping: {loop-order: {Z: [J, I]}}\n",
       "error[E333]: mapping of Z: nothing says what runs in space; help: add spacetime: {Z: "},
      {kEinsum + "mapping: {loop-order: {A: [J, I]}}\n",
       "error[E205]: loop-order: no expression computes A; help: give it for Z"},
      {kEinsum + "mapping: {rank-order: {A: [I]}}\n",
       "error[E333]: rank-order of A is [I], and its ranks are [I, J]; help: name each of these "
       "once"},
      {einsum("Z[i] = A[i, j] - B[j]"),
       "error[E332]: an einsum has no '-' in the statement 'Z[i] = A[i, j] - B[j]'"},
      {einsum("Z[i] = A[j, i] * B[j]"),
       "error[E333]: the index j stands at the rank I of A; help: write i there, or declare that "
       "rank as J"},
      {einsum("Z[i] = A[i] * B[j]"),
       "error[E333]: A has 2 ranks, [I, J], and 1 index here; help: write an index for each rank"},
      {einsum("Z[i] = C[i, j] * B[j]"), "error[E205]: there is no tensor 'C'"},
      {einsum("Z[i] = a * B[j]"), "error[E390]: the scalar a is not supported yet"},
      {einsum("Z[i] = take(A[i, j], B[j], 2)"),
       "error[E332]: take has 2 operands, numbered from 0, and none is 2"},
      {einsum("Z[2*i] = B[i]"), "error[E332]: on the left, an index is a single variable"},
      {"einsum: {declaration: {Z: [I, I]}, expressions: ['Z[i, i] = Z[i, i]']}\n",
       "error[E333]: declaration.Z has the rank I twice"},
      {kEinsum + "format: {A: {default: {I: {format: C}, J: {format: C}}}}\n",
       "error[E390]: a tensor stored as CC is not supported yet"},
      {kEinsum + "format: {B: {storage: csr}}\n", "error[E520]: B is no matrix"},
      {"einsum:\n  declaration: {A: [I, J], B: [J], Z: [I], C: [I]}\n"
       "  expressions: ['Z[i] = A[i, j] * B[j] + C[i]']\n"
       "mapping: {spacetime: {Z: {space: [I], time: [J]}}}\n",
       "error[E390]: a mapping of Z, a sum with a reduction in it, is not supported yet"},
      {"einsum: {declaration: {A: [I, J], B: [I, J], Z: [I, J]}, expressions: ['Z[i, j] = A[i, j] "
       "+ "
       "B[i, j]']}\n",
       "error[E390]: a sum in which A is sparse is not supported yet; help: make A dense: "
       "format: "},
      {"symbols: {}\neinsum:\n  declaration: {C: [I], Y: [I], Z: [I]}\n"
       "  expressions: ['Z[i] = C[i]', 'Y[i] = C[i] * C[i]']\n"
       "mapping: {spacetime: {Z: {space: [I]}}}\n",
       "a.yaml:4:32: error[E333]: nothing says how Y runs, and Z has a mapping; help: add "
       "spacetime "
       "for Y; or leave all mappings out, and everything is scheduled automatically"},
      {"einsum: {}\n", "error[E110]: einsum: the key 'declaration' is missing"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(refusal(text), HasSubstr(message)) << text;
}

}  // namespace

}  // namespace selvage
