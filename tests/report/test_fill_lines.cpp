// What page, JSON and diagnostics say of the holes of a buffer.
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/json.h>
#include <selvage/report/tensor_lines.h>
#include <tests/support/json_value.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

struct InspectedFill {
  explicit InspectedFill(const std::string& yaml)
      : file(read_schedule_text(yaml, "a.yaml")), report(inspect(file)) {}
  std::string diagnostics() const { return to_text(report.diagnostics); }
  std::string page() const {
    Lines out;
    print_fill(report.tensors.at(0), out);
    return out.take();
  }
  std::string json() const {
    const auto all = test::JsonValue::parse(to_json(report));
    const auto tensor = all["tensors"][report.tensors.at(0).name()];
    return tensor.contains("fill") ? tensor["fill"].dump() : "absent";
  }
  ScheduleFile file;
  Report report;
};

// 8 by 60 in rows of 4 by 16.
std::string tile(const std::string& more) {
  return "tensors:\n  T0:\n    dtype: half\n    memory: shared\n"
         "    logical: {row: 8, column: 60}\n"
         "    transforms: [{split: {in: column, factor: 16, out: [c, lane]}}]\n"
         "    allocation: [row, c, lane]\n    loop: [row, c, lane]\n" +
         more;
}
// 15 items as 3 by 2 by 4: two loop points of each row are items of the next row.
std::string carried(const std::string& more) {
  return "tensors:\n  T0:\n    dtype: float\n    memory: shared\n    logical: {i: 15}\n"
         "    transforms:\n      - split: {in: i, factor: 6, out: [a, b]}\n"
         "      - split: {in: b, factor: 4, out: [c, d]}\n    loop: [a, c, d]\n" +
         more;
}

TEST(FillLines, AGuardedReaderLeavesHolesAlone) {
  const InspectedFill tile_of(tile(""));
  EXPECT_EQ(tile_of.diagnostics(), "");
  EXPECT_EQ(tile_of.page(),
            "Fill: 32 of 512 elements are holes, the first one element 60\n"
            "  no hole of T0 is read (proved)\n"
            "  without its guard the reader reads element 60 of T0, a hole, at row = 0, c = 3, "
            "lane = 12\n      (refuted)\n"
            "  its guard may go where every hole holds what changes nothing\n"
            "  holes may hold anything: weak correctness is enough\n");
  EXPECT_EQ(tile_of.json(),
            R"({"holes":32,"elements":512,"first":60,"read":false,"needs":"weak",)"
            R"("initialise":false,"verdict":"proved","reason":"no hole of T0 is read",)"
            R"("unguarded":{"read":true,"inside":true,)"
            R"("witness":{"row":0,"c":3,"lane":12},"element":60}})");
}

TEST(FillLines, AnUnguardedMaxNeedsHolesOfMinusInfinity) {
  const InspectedFill max(tile("    read: {loop: [row, c, lane], reduce: max, guard: false}\n"));
  EXPECT_EQ(max.diagnostics(), "");
  EXPECT_EQ(max.page(),
            "Fill: 32 of 512 elements are holes, the first one element 60\n"
            "  holes must hold -inf: they must be initialised\n"
            "  max reads element 60 of T0, a hole that nobody stores into, at row = 0, c = 3, "
            "lane = 12 (refuted)\n");
  EXPECT_EQ(max.json(), R"({"holes":32,"elements":512,"first":60,"read":true,"needs":"strong",)"
                        R"("initialise":true,"value":"-inf","verdict":"refuted",)"
                        R"("witness":{"row":0,"c":3,"lane":12},)"
                        R"("reason":"max reads element 60 of T0, a hole that nobody stores into",)"
                        R"("unguarded":{"read":true,"inside":true,)"
                        R"("witness":{"row":0,"c":3,"lane":12},"element":60}})");
}

TEST(FillLines, ADenseTensorSaysNothing) {
  const InspectedFill dense("tensors: {T0: {dtype: float, logical: {i: 6}}}");
  EXPECT_EQ(dense.page(), "");
  EXPECT_EQ(dense.json(), "absent");
}

TEST(FillRefuses, AFillThatTheTypeDoesNotHave) {
  EXPECT_EQ(InspectedFill(tile("    fill: 70000\n")).diagnostics(),
            "a.yaml:2:3: error[E470]: the holes of T0 cannot hold 70000, which half does not have; "
            "help: write fill: 65504; or dtype: float\n");
  EXPECT_EQ(InspectedFill(tile("    fill: 65504\n")).diagnostics(), "");
}

TEST(FillRefuses, AStoreIntoAHoleThatMustHoldAFill) {
  const std::string allocation = "    allocation: [a, c, d]\n    fill: 0\n";
  EXPECT_EQ(InspectedFill(carried(allocation + "    duplicates: allowed\n")).diagnostics(),
            "a.yaml:2:3: error[E471]: the store into element 6 of T0 overwrites a hole, which must "
            "hold 0; at a = 0, c = 1, d = 2; help: leave duplicates: allowed out, and the guard "
            "stops that point\n");
  EXPECT_EQ(InspectedFill(carried(allocation)).diagnostics(), "");
}

TEST(FillRefuses, AnUnguardedReadOutsideTheBuffer) {
  const auto padded = [](const std::string& guard) {
    return InspectedFill(
               "tensors:\n  T0:\n    dtype: float\n    memory: shared\n"
               "    logical: {i: 3, j: 4}\n    strides: [5, 1]\n"
               "    read: {transforms: [{resize: {in: j, left: 0, right: 1, out: p}}]" +
               guard + "}\n")
        .diagnostics();
  };
  EXPECT_EQ(padded(", guard: false"),
            "a.yaml:2:3: error[E472]: the reader reads element 14 of T0, outside its 14 elements; "
            "at i = 2, p = 4; help: leave guard: false out, and the guard stops that read\n");
  EXPECT_EQ(padded(""), "");
}

TEST(FillRefuses, AnUnguardedReaderOfADenseBuffer) {
  const auto read = [](const std::string& columns) {
    return InspectedFill(
               "tensors:\n  T0:\n    dtype: float\n    memory: shared\n    logical: {i: 3, j: 4}\n"
               "    read: {transforms: [{resize: {in: j, left: 0, right: " +
               columns + ", out: p}}], reduce: sum, guard: false}\n")
        .diagnostics();
  };
  EXPECT_EQ(read("1"),
            "a.yaml:2:3: error[E472]: sum reads element 12 of T0, outside its 12 elements; at i = "
            "2, p = 4; help: leave guard: false out, and the guard stops that read\n"
            "a.yaml:2:3: error[E473]: sum reads element 4 of T0, an item, once more from a hole of "
            "its loops; at i = 0, p = 4; help: leave guard: false out, and the guard stops that "
            "read\n");
  EXPECT_EQ(read("0"), "");
}

TEST(FillRefuses, AnItemThatASumWouldCountTwice) {
  EXPECT_EQ(
      InspectedFill(tile("    read: {transforms: [{split: {in: column, factor: 25, out: [d, e]}}]"
                         ", loop: [row, d, e], reduce: sum, guard: false}\n"))
          .diagnostics(),
      "a.yaml:2:3: error[E472]: sum reads element 512 of T0, outside its 512 elements; at row "
      "= 7, d = 2, e = 14; help: leave guard: false out, and the guard stops that read\n"
      "a.yaml:2:3: error[E473]: sum reads element 64 of T0, an item, once more from a hole "
      "of its loops; at row = 0, d = 2, e = 14; help: leave guard: false out, and the guard "
      "stops that read\n");
  EXPECT_EQ(
      InspectedFill(tile("    read: {transforms: [{split: {in: column, factor: 25, out: [d, e]}}]"
                         ", loop: [row, d, e], reduce: sum}\n"))
          .diagnostics(),
      "");
  // A max may see it twice.
  const std::string read = "    fill: 0\n    read: {loop: [a, c, d], reduce: ";
  EXPECT_EQ(InspectedFill(carried(read + "sum}\n    duplicates: allowed\n")).diagnostics(),
            "a.yaml:2:3: error[E473]: sum reads element 6 of T0, an item, once more from a hole of "
            "its loops; at a = 0, c = 1, d = 2; help: leave duplicates: allowed out, and the guard "
            "stops that point\n");
  EXPECT_EQ(InspectedFill(carried(read + "max}\n    duplicates: allowed\n")).diagnostics(), "");
  EXPECT_EQ(InspectedFill(carried(read + "sum}\n")).diagnostics(), "");
}

TEST(FillRefuses, AFillThatTheReductionDoesNotStartWith) {
  const auto fill = [](const std::string& v, const std::string& reduction) {
    return InspectedFill(tile((v.empty() ? "" : "    fill: " + v + "\n") +
                              "    read: {loop: [row, c, lane], reduce: " + reduction +
                              ", guard: false}\n"))
        .diagnostics();
  };
  EXPECT_EQ(fill("3", "prod"),
            "a.yaml:2:3: error[E474]: prod reads element 60 of T0, a hole that must hold 3, but "
            "prod needs 1; at row = 0, c = 3, lane = 12; help: write fill: 1\n");
  EXPECT_EQ(fill("1", "prod"), "");
  EXPECT_EQ(fill("3", "min"),
            "a.yaml:2:3: error[E474]: min reads element 60 of T0, a hole that must hold 3, but "
            "min needs inf; at row = 0, c = 3, lane = 12; help: leave fill out: inf is what it "
            "takes then\n");
  EXPECT_EQ(fill("", "min"), "");
}

TEST(FillWarns, ThatAKernelFillsNothing) {
  const std::string text = "tensors: {T0: {dtype: float, logical: {i: 3, j: 4}, strides: [5, 1]";
  const InspectedFill warned(text + ", fill: 7}}");
  EXPECT_EQ(warned.diagnostics(),
            "a.yaml:1:11: warning[E475]: the kernel of T0 fills no holes: 2 holes, the first at "
            "element 4, must hold 7, and the schedule stores items only; help: fill its memory "
            "with 7 before the launch; or leave fill out\n");
  EXPECT_EQ(warned.report.exit_status(), 0);
  EXPECT_EQ(InspectedFill(text + "}}").diagnostics(), "");
}

TEST(FillRefuses, AReductionThatThereIsNot) {
  try {
    read_schedule_text(tile("    read: {reduce: summ}\n"), "a.yaml");
    ADD_FAILURE() << "accepted";
  } catch (const BadFile& refusal) {
    EXPECT_STREQ(refusal.what(),
                 "a.yaml:9:20: error[E304]: read.reduce: 'summ' is none of sum, prod, max, min, "
                 "fmax, fmin, mean, any, all, argmax, argmin; help: did you mean 'sum'?\n");
  }
}

}  // namespace
}  // namespace selvage
