// Kernels that check themselves: what they record, on every machine, against what brute force
// finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/points.h>
#include <selvage/base/words.h>
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/ir/gather.h>
#include <selvage/lower/program.h>
#include <selvage/report/page.h>
#include <selvage/report/value_checks.h>
#include <selvage/runtime/executable.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace selvage::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ScheduleFile checked(const std::string& text) {
  return read_schedule_text(text, "a.yaml", {}, {.checks = true});
}

RunResult run_on(Machine machine, const ScheduleFile& file, RunRequest request = {}) {
  request.on = machine;
  return run(*file.fusion, lower(*file.schedule), request);
}

// The failures that a run says, without blocks and threads, and how many there were.
struct Said {
  std::multiset<std::string> texts;
  std::int64_t count = 0;
};
Said said_by(const RunResult& result) {
  Said said;
  for (const std::string& fault : result.faults) {
    if (fault.starts_with("and ")) {
      said.count += std::stoll(fault.substr(4));
      continue;
    }
    said.texts.insert(fault.substr(0, fault.find(", at a.yaml:")));
    ++said.count;
  }
  return said;
}

TEST(ValueChecks, NameThePointTheBlockAndTheThread) {
  const ScheduleFile file = checked(R"(
sizes: {N: 10}
inputs: {x: {shape: [N], dtype: float}, k: {shape: [3, N], dtype: int32}}
compute:
  - y[i, j] = x[checked(j + 1)] + x[checked(k[i, j])]
schedule:
  y: [{bind: {i: BIDx, j: TIDx}}]
)");
  RunRequest request;
  Array k(DataType::Int32, {3, 10});
  k.set_int(14, -3);
  request.inputs["k"] = k;
  const RunResult result = run_on(Machine::Virtual, file, request);
  EXPECT_FALSE(result.passed());
  EXPECT_THAT(
      result.faults,
      ElementsAre("y at i = 0, j = 9 reads x at 10 on axis 0, which has 10 items, at a.yaml:5, in "
                  "block (0, 0, 0), thread (9, 0, 0)",
                  "y at i = 1, j = 4 reads x at -3 on axis 0, which has 10 items, at a.yaml:5, in "
                  "block (1, 0, 0), thread (4, 0, 0)",
                  "y at i = 1, j = 9 reads x at 10 on axis 0, which has 10 items, at a.yaml:5, in "
                  "block (1, 0, 0), thread (9, 0, 0)",
                  "y at i = 2, j = 9 reads x at 10 on axis 0, which has 10 items, at a.yaml:5, in "
                  "block (2, 0, 0), thread (9, 0, 0)"));
  const RunResult emulated = run_on(Machine::Emulate, file, request);
  EXPECT_THAT(emulated.faults,
              testing::Contains(
                  "y at i = 1, j = 4 reads x at -3 on axis 0, which has 10 items, at a.yaml:5, at "
                  "block (1, 0, 0), thread (4, 0, 0), i = 1, j = 4, k.0 = 0"));
  EXPECT_EQ(emulated.faults.size(), 4U);
}

// The indices of a fold are part of the point.
TEST(ValueChecks, InFoldsNameWhatIsFolded) {
  const ScheduleFile file = checked(R"(
inputs: {x: {shape: [4, 5], dtype: float}, w: {shape: [3], dtype: float}}
compute:
  - y[i] = sum[p < 3, q < 2](x[checked(i + p), q]) + max[p < 3](w[checked(2 * p)])
outputs: {y: {shape: [3]}}
)");
  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    // Threads that fold the same items say the same.
    const std::multiset<std::string> said = said_by(run_on(machine, file)).texts;
    EXPECT_THAT(std::set<std::string>(said.begin(), said.end()),
                ElementsAre("y at i = 2, p = 2, q = 0 reads x at 4 on axis 0, which has 4 items",
                            "y at i = 2, p = 2, q = 1 reads x at 4 on axis 0, which has 4 items",
                            "y at p = 2 reads w at 4 on axis 0, which has 3 items"));
  }
}

TEST(ValueChecks, InCppAreSubscriptsAndAssertions) {
  for (const bool is_checked : {false, true}) {
    Fusion f;
    f.set_checked(is_checked);
    const Tensor x = f.input("x", {f.constant(4), f.constant(6)}, DataType::Float);
    const Tensor k = f.input("k", {f.constant(4)}, DataType::Int32);
    const Expr i = f.fresh_index("i"), j = f.fresh_index("j");
    const Element read = x(checked(i + 1), j) + x(checked(k(i)), mirror(j + 1));
    f.output("y", f.compute("y", {i, j}, x.shape(), asserted(read, k(i) != 2, "k is not 2")));
    RunRequest request{.on = Machine::Virtual};
    Array numbers(DataType::Int32, {4});
    for (int n = 0; n < 4; ++n) numbers.set_int(n, n == 1 ? 9 : n);
    request.inputs["k"] = numbers;
    const RunResult result = run(f, lower(f), request);
    for (const Comparison& c : result.comparisons) EXPECT_EQ(c.mismatches, 0);
    std::set<std::string> said;
    for (const std::string& fault : result.faults)
      said.insert(fault.substr(0, fault.find(", in ")));
    std::set<std::string> wanted;
    for (int n = 0; n < 6 && is_checked; ++n) {
      const std::string at = ", j = " + std::to_string(n);
      wanted.insert("y at i = 3" + at + " reads x at 4 on axis 0, which has 4 items");
      wanted.insert("y at i = 1" + at + " reads x at 9 on axis 0, which has 4 items");
      wanted.insert("an assertion of y fails at i = 2" + at + ": k is not 2");
    }
    EXPECT_EQ(said, wanted);
  }
}

// Where a size is 0, other kernels run, and what has items is checked in them.
TEST(ValueChecks, BesideATensorWithoutItems) {
  const ScheduleFile file = checked(R"(
symbols: {N: {min: 0}}
inputs: {x: {shape: [4], dtype: float}, z: {shape: [N], dtype: float}}
outputs: {y: {shape: [4]}, w: {shape: [N]}}
compute:
  - y[i] = x[checked(i + 1)]
  - w[i] = z[checked(i)]
)");
  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    for (const std::int64_t n : {0, 3}) {
      const RunResult result = run_on(machine, file, {.sizes = {{"N", n}}});
      EXPECT_THAT(said_by(result).texts,
                  ElementsAre("y at i = 3 reads x at 4 on axis 0, which has 4 items"));
    }
  }
}

TEST(ValueChecks, OfDivisionsAndAssertions) {
  const std::string text = R"(
inputs: {a: {shape: [4], dtype: int32}, b: {shape: [4], dtype: int32}}
compute:
  - q[i] = a[i] // b[i] + a[i] % 3
  - assert(a[i] < 3 || b[i] > 5, "a is small")
)";
  RunRequest request;
  Array a(DataType::Int32, {4}), b(DataType::Int32, {4});
  for (int i = 0; i < 4; ++i) a.set_int(i, i), b.set_int(i, 2 * (i - 1));
  request.inputs = {{"a", a}, {"b", b}};
  const ScheduleFile file = checked(text);
  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    EXPECT_THAT(said_by(run_on(machine, file, request)).texts,
                ElementsAre("q at i = 1 divides by 0 (//)",
                            "the assertion a[i] < 3 || b[i] > 5 fails at i = 3: a is small"));
  }
  // A fusion that is not checked has neither, but what stands in an assertion is looked at.
  const ScheduleFile plain = read_schedule_text(text, "a.yaml");
  EXPECT_EQ(plain.fusion->find("assert_1"), std::nullopt);
  EXPECT_TRUE(run_on(Machine::Virtual, plain, request).passed());
  const auto wrong = [&](const std::string& statement) {
    try {
      read_schedule_text(
          "inputs: {a: {shape: [4], dtype: int32}}\ncompute:\n  - q[i] = a[i]\n  - " + statement +
              "\n",
          "a.yaml");
    } catch (const BadFile& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(wrong("assert(c[i] > 0)"),
              HasSubstr("a.yaml:4:12: error[E205]: there is no tensor 'c'"));
  EXPECT_THAT(wrong("assert(a[i] > 0, small)"),
              HasSubstr("error[E314]: expected text in double quotes"));
  EXPECT_THAT(wrong("assert(a[i] > 0"), HasSubstr("error[E314]: expected ')'"));
  EXPECT_THAT(wrong("assert(4 > 0)"), HasSubstr("error[E314]"));
}

// What is proved is not tested, and its kernel is the same text.
TEST(ValueChecks, ThatAreProvedCostNothing) {
  const std::string text = R"(
sizes: {N: 1000}
inputs: {x: {shape: [N], dtype: float}}
compute:
  - y[i] = x[checked(i)] + sum[p < 3](x[checked((i + p) % N)]) + (i // 4) * 0
)";
  const ScheduleFile with = checked(text), without = read_schedule_text(text, "a.yaml");
  const auto texts = [](const ScheduleFile& file) {
    std::string all;
    for (const ProgramStep& step : lower(*file.schedule).steps) {
      for (const Kernel& kernel : step.variants) all += cuda(kernel).text;
    }
    return all;
  };
  EXPECT_EQ(texts(with), texts(without));
  const Report report = inspect(with);
  const std::vector<MadeCheck> made = value_checks_of(report.fusions[0]);
  ASSERT_EQ(made.size(), 2U);
  EXPECT_FALSE(made[0].is_tested || made[1].is_tested);
  EXPECT_THAT(page(report, {}), HasSubstr("Checks of values: 2 of 2 proved, and left out\n"));
}

TEST(ValueChecks, AnExecutableThrowsWhatHasFailedAndGoesOnAfterwards) {
  const ScheduleFile file = checked(R"(
symbols: {N: {min: 2}}
inputs: {x: {shape: [N], dtype: float}}
compute:
  - y[i] = x[checked(i + 1)]
  - assert(x[i] < 5)
outputs: {y: {shape: [N - 1]}}
)");
  const Executable run = compile(lower(*file.schedule), {.target = Target::Virtual});
  Array x(DataType::Float, {4}), y(DataType::Float, {3}), fine(DataType::Bool, {});
  for (int i = 0; i < 4; ++i) x.set(i, i + 1);
  const auto call = [&] { run({std::as_const(x), y, fine}); };
  EXPECT_NO_THROW(call());
  EXPECT_EQ(fine.get_int(0), 1);
  x.set(2, 7);
  for (int twice = 0; twice < 2; ++twice) {
    try {
      call();
      ADD_FAILURE() << "nothing has failed";
    } catch (const Error& e) {
      EXPECT_EQ(e.diagnostic().code, "E724");
      EXPECT_THAT(e.diagnostic().message, HasSubstr("the assertion x[i] < 5 fails at i = 2, at "));
    }
  }
  x.set(2, 3);
  EXPECT_NO_THROW(call());
}

// y[i...] = x[axis by axis a subscript that may leave, under a mode]; sizes known and symbolic.
struct RandomReads {
  std::string text;
  std::map<std::string, std::int64_t> sizes;
  std::multiset<std::string> wanted;
};
RandomReads random_reads(std::mt19937_64& random) {
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const std::size_t rank = std::size_t(draw(1, 3));
  const bool is_symbolic = draw(0, 1) == 1;
  const std::string letters = "ijk";
  RandomReads made;
  std::vector<std::int64_t> shape, extents;
  std::vector<std::string> shape_text, extent_text, indices, subscripts;
  struct Subscript {
    std::int64_t factor, offset;
    bool is_checked;
  };
  std::vector<Subscript> at;
  for (std::size_t k = 0; k < rank; ++k) {
    shape.push_back(draw(1, 6));
    extents.push_back(draw(1, 6));
    const std::string axis = std::to_string(k);
    shape_text.push_back(is_symbolic ? "N" + axis : std::to_string(shape[k]));
    extent_text.push_back(is_symbolic ? "M" + axis : std::to_string(extents[k]));
    if (is_symbolic) made.sizes["N" + axis] = shape[k], made.sizes["M" + axis] = extents[k];
    indices.push_back(letters.substr(k, 1));
    at.push_back({draw(1, 2) * (draw(0, 3) == 0 ? -1 : 1), draw(-2, 2), draw(0, 3) > 0});
    const char* modes[] = {"clamped", "mirror", "safe", "circular"};
    subscripts.push_back((at[k].is_checked ? "checked" : modes[draw(0, 3)]) + std::string("(") +
                         std::to_string(at[k].factor) + " * " + indices[k] + " + " +
                         std::to_string(at[k].offset) + ")");
  }
  const std::string y = "y[" + joined(indices) + "]";
  made.text = "inputs: {x: {shape: [" + joined(shape_text) + "], dtype: int32}}\n" +
              "outputs: {y: {shape: [" + joined(extent_text) + "]}}\ncompute:\n  - \"" + y +
              " = x[" + joined(subscripts) + "]\"\n";
  const std::int64_t factor = draw(1, 4);
  switch (draw(0, 2)) {
    case 0: made.text += "schedule: none\n"; break;
    case 1:
      made.text += "schedule: {y: [{split: {in: i, factor: " + std::to_string(factor) +
                   ", out: [io, ii]}}, {bind: {io: BIDx, ii: TIDx}}]}\n";
      break;
    default: break;
  }
  for_each_point(extents, [&](const std::vector<std::int64_t>& point) {
    std::vector<std::string> where;
    for (std::size_t k = 0; k < rank; ++k) {
      where.push_back(indices[k] + " = " + std::to_string(point[k]));
    }
    for (std::size_t k = 0; k < rank; ++k) {
      const std::int64_t own = at[k].factor * point[k] + at[k].offset;
      if (!at[k].is_checked || (own >= 0 && own < shape[k])) continue;
      made.wanted.insert("y at " + joined(where) + " reads x at " + std::to_string(own) +
                         " on axis " + std::to_string(k) + ", which has " +
                         std::to_string(shape[k]) + " items");
    }
    return true;
  });
  return made;
}

TEST(ValueChecks, OfRandomReadsFailWhereBruteForceSays) {
  std::mt19937_64 random(7);
  int failing = 0, fine = 0;
  for (int k = 0; k < count(120, 3'000) && !HasFailure(); ++k) {
    const RandomReads reads = random_reads(random);
    SCOPED_TRACE(reads.text + testing::PrintToString(reads.sizes));
    const ScheduleFile file = checked(reads.text);
    for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
      const RunResult result = run_on(machine, file, {.sizes = reads.sizes});
      const Said said = said_by(result);
      EXPECT_EQ(said.count, std::int64_t(reads.wanted.size()));
      if (reads.wanted.size() <= 20) {
        EXPECT_EQ(said.texts, reads.wanted);
      }
      for (const std::string& text : said.texts) EXPECT_TRUE(reads.wanted.contains(text)) << text;
      for (const Comparison& c : result.comparisons) EXPECT_EQ(c.mismatches, 0) << c.first;
    }
    (reads.wanted.empty() ? fine : failing) += 1;
  }
  EXPECT_GT(failing, more_than(30));
  EXPECT_GT(fine, more_than(10));
}

}  // namespace

}  // namespace selvage::test
