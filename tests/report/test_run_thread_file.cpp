// --run and --check of thread programs: arrays from files and to files, symbols, names.
#include <selvage/frontend/npy.h>
#include <selvage/report/run_file.h>
#include <tests/support/refusal.h>
#include <tests/support/temporary_folder.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using test::Inspected;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kDoubled[] = R"(
symbols: {limit: {min: 0, max: 6}}
arrays:
  x: {shape: [6], dtype: int32}
  y: {shape: [6], dtype: int32}
  s: {shape: [6], dtype: int32, memory: shared}
parallel: [{thread: {t: 6}}]
body:
  - inthreads: {when: t < limit, do: ["y[t] = x[t] + x[t]"]}
)";

Array numbers(DataType type, std::vector<std::int64_t> shape) {
  Array a(type, std::move(shape));
  for (std::int64_t k = 0; k < a.size(); ++k) a.set(k, double(k + 1));
  return a;
}
std::vector<std::int64_t> items_of(const Array& a) {
  std::vector<std::int64_t> items;
  for (std::int64_t k = 0; k < a.size(); ++k) items.push_back(a.get_int(k));
  return items;
}

class RunThreadFile : public testing::Test {
 protected:
  void run(const RunFileOptions& options, const std::map<std::string, std::int64_t>& sizes,
           const char* text = kDoubled) {
    inspected_.emplace(text, sizes);
    run_file(inspected_->file, options, inspected_->report);
  }
  std::string refusal(const RunFileOptions& options,
                      const std::map<std::string, std::int64_t>& sizes = {{"limit", 4}}) {
    return refusal_by<BadInput>([&] { run(options, sizes); });
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  const ThreadReport& threads() const { return *inspected_->report.threads; }

  TemporaryFolder folder_;
  std::optional<Inspected> inspected_;
};

TEST_F(RunThreadFile, ArraysComeFromFilesAndGoToFiles) {
  write_npy(file("x.npy"), numbers(DataType::Int32, {6}));
  write_npy(file("y.npy"), numbers(DataType::Int32, {6}));
  run({.inputs = {{"x", file("x.npy")}, {"y", file("y.npy")}},
       .outputs = {{"y", file("out.npy")}},
       .save_inputs = file("inputs"),
       .on = Machine::Virtual},
      {{"limit", 4}});
  // What no thread writes stays as it came.
  EXPECT_THAT(items_of(read_npy(file("out.npy"))), ElementsAre(2, 4, 6, 8, 5, 6));
  EXPECT_EQ(read_npy(file("inputs/x.npy")), numbers(DataType::Int32, {6}));
  ASSERT_EQ(threads().runs.size(), 1u);
  EXPECT_THAT(threads().runs[0].executed, ElementsAre(ElementsAre(1, 1, 1, 1, 0, 0)));
}

// One launch for each of the devices, whatever the symbols are.
TEST_F(RunThreadFile, EveryDeviceHasItsTurn) {
  constexpr char kEach[] = R"(
symbols: {n: {min: 1, max: 9}}
arrays: {y: {shape: [2, 3], dtype: int32}}
parallel: [{device: {d: 2, e: 3}}, {block: {b: 1}}, {thread: {t: 1}}]
body: ["y[d, e] = d * 10 + e + n"]
)";
  run({.outputs = {{"y", file("y.npy")}}, .on = Machine::Emulate}, {{"n", 1}}, kEach);
  EXPECT_THAT(items_of(read_npy(file("y.npy"))), ElementsAre(1, 2, 3, 11, 12, 13));
}

TEST_F(RunThreadFile, WhatIsNotGivenIsZero) {
  write_npy(file("x.npy"), numbers(DataType::Int32, {6}));
  run({.inputs = {{"x", file("x.npy")}}, .outputs = {{"y", file("y.npy")}}, .on = Machine::Emulate},
      {{"limit", 2}});
  EXPECT_THAT(items_of(read_npy(file("y.npy"))), ElementsAre(2, 4, 0, 0, 0, 0));
}

TEST_F(RunThreadFile, AnArrayThatIsOnlyReadCanBeWrittenToAFileAsWell) {
  write_npy(file("x.npy"), numbers(DataType::Int32, {6}));
  run({.inputs = {{"x", file("x.npy")}},
       .outputs = {{"x", file("x2.npy")}},
       .on = Machine::Virtual},
      {{"limit", 2}});
  EXPECT_EQ(read_npy(file("x2.npy")), numbers(DataType::Int32, {6}));
}

TEST_F(RunThreadFile, ChecksMakeSymbolsUpAndRunOnBothMachines) {
  run({.check = true, .on = Machine::Virtual}, {});
  ASSERT_EQ(threads().runs.size(), 2u);
  EXPECT_EQ(threads().runs[0].machine, Machine::Virtual);
  EXPECT_EQ(threads().runs[1].machine, Machine::Emulate);
  const std::int64_t limit = threads().runs[0].symbols.at("limit");
  EXPECT_TRUE(0 < limit && limit < 6) << limit;  // some threads, and some not
  EXPECT_THAT(threads().differences, IsEmpty());
  EXPECT_EQ(inspected_->report.exit_status(), 0);
}

TEST_F(RunThreadFile, ChecksKeepTheSymbolsThatAreGiven) {
  run({.check = true, .on = Machine::Emulate}, {{"limit", 5}});
  ASSERT_EQ(threads().runs.size(), 2u);
  for (const ThreadRun& r : threads().runs) {
    EXPECT_THAT(r.executed, ElementsAre(ElementsAre(1, 1, 1, 1, 1, 0)));
  }
}

TEST_F(RunThreadFile, WhatAFileExpectsIsChecked) {
  const std::string text = std::string(kDoubled) + "expect: {legal: false}\n";
  run({.check = true, .on = Machine::Virtual}, {}, text.c_str());
  ASSERT_EQ(inspected_->report.diagnostics.size(), 1u);
  EXPECT_EQ(inspected_->report.diagnostics[0].code, "E391");
  EXPECT_EQ(inspected_->report.exit_status(), 1);
}

TEST_F(RunThreadFile, ARefusedProgramIsNotRun) {
  run({.check = true, .on = Machine::Virtual}, {}, R"(
arrays: {A: {shape: [6], dtype: int32}}
parallel: [{thread: {t: 6}}]
body: ["A[0] = t"]
)");
  EXPECT_THAT(threads().runs, IsEmpty());
  EXPECT_EQ(inspected_->report.exit_status(), 1);
}

TEST_F(RunThreadFile, NamesTypesAndShapesThatDoNotFitAreRefused) {
  write_npy(file("x.npy"), numbers(DataType::Int32, {6}));
  write_npy(file("short.npy"), numbers(DataType::Int32, {5}));
  write_npy(file("float.npy"), numbers(DataType::Float, {6}));
  const auto with = [&](const char* name, const char* from) {
    return refusal({.inputs = {{name, file(from)}}, .on = Machine::Virtual});
  };
  EXPECT_EQ(with("z", "x.npy"),
            "selvage: error[E611]: there is no global array z; help: one of x, y");
  EXPECT_EQ(with("s", "x.npy"),
            "selvage: error[E611]: there is no global array s; help: one of x, y");
  EXPECT_EQ(with("x", "short.npy"),
            "selvage: error[E612]: the array x has shape [5], not [6]; help: give int32[6] for it");
  EXPECT_EQ(
      with("x", "float.npy"),
      "selvage: error[E613]: the array x is of type float, not int32; help: give int32[6] for it");
  EXPECT_EQ(refusal({.outputs = {{"z", file("z.npy")}}, .on = Machine::Virtual}),
            "selvage: error[E611]: there is no global array z; help: one of x, y");
  // And what mends each.
  EXPECT_EQ(with("x", "x.npy"), "accepted");
}

TEST_F(RunThreadFile, ASymbolWantsAValue) {
  EXPECT_EQ(refusal({.on = Machine::Virtual}, {}),
            "selvage: error[E614]: the symbol limit has no value; help: give it one, --size "
            "limit=VALUE, or under sizes: in the file");
  EXPECT_EQ(refusal({.on = Machine::Virtual}, {{"limit", 6}}), "accepted");
}

TEST_F(RunThreadFile, WorkThatWouldNotEndIsRefused) {
  const auto with = [&](const std::string& levels, const std::string& item, std::int64_t n) {
    const std::string text =
        "symbols: {n: {min: 0}}\narrays: {x: {shape: [8], dtype: int64}}\nparallel: [" + levels +
        "]\nbody:\n- " + item + "\n";
    return refusal_by<BadInput>([&] { run({.on = Machine::Virtual}, {{"n", n}}, text.c_str()); });
  };
  const std::string threads = "{thread: [t: 8]}";
  const std::string sum = R"(for: {index: i, in: n, label: sum, do: ["x[t] += i"]})";
  const std::string first =
      R"(for: {index: i, in: n, label: sum, do: ["x[t] += i", {break: sum}]})";
  EXPECT_EQ(with(threads, sum, 5'000'000'000'000),
            "selvage: error[E617]: the run comes to 4e+13 statements, more than virtual does in a "
            "day; help: make extents smaller, or give symbols smaller values");
  EXPECT_EQ(with(threads, sum, 5), "accepted");
  EXPECT_EQ(with(threads, first, 5'000'000'000'000), "accepted");
  // Devices count, too.
  const std::string one = R"(inthreads: {when: d == 0 && b == 0, do: ["x[t] = n"]})";
  EXPECT_THAT(with("{device: [d: 1024]}, {block: [b: 2147483647]}, {thread: [t: 8]}", one, 1),
              testing::HasSubstr("error[E617]"));
  EXPECT_EQ(with("{device: [d: 2]}, {block: [b: 50]}, {thread: [t: 8]}", one, 1), "accepted");
}

}  // namespace
}  // namespace selvage
