// What page and JSON say of bank conflicts.
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <tests/support/json_value.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace selvage {

namespace {

using Json = test::JsonValue;
using testing::HasSubstr;
using testing::Not;

// What a warp stores row by row and reads two columns at a time, in the given layout.
struct InspectedBanks {
  explicit InspectedBanks(const std::string& layout, const std::string& loop = "")
      : file(read_schedule_text("symbols: {N: {}}\n"
                                "tensors:\n"
                                "  tile:\n"
                                "    dtype: float\n"
                                "    memory: shared\n" +
                                    layout + (loop.empty() ? kLoops : loop),
                                "test.yaml")),
        report(inspect(file)) {}
  // Its lines from one that begins so to the next that is empty.
  std::string block(const std::string& heading) const {
    const std::string text = page(report);
    const std::size_t at = text.find("\n" + heading);
    if (at == text.npos) return "no " + heading + " in\n" + text;
    return text.substr(at + 1, text.find("\n\n", at) - at);
  }
  Json banks() const { return Json::parse(to_json(report))["tensors"]["tile"]["bank_conflicts"]; }

  static constexpr const char* kLoops =
      "    loop: [row, column]\n"
      "    bind: {column: TIDx}\n"
      "    read:\n"
      "      transforms: [{split: {in: column, factor: 2, out: [k, h]}},"
      " {merge: {in: [h, row], out: t}}]\n"
      "      loop: [k, t]\n"
      "      bind: {t: TIDx}\n";
  ScheduleFile file;
  Report report;
};

constexpr const char* kClassic =
    "    root: {row: 16, column: 32}\n"
    "    view: [{swizzle: {kind: xor, in: [row, column], out: [r, c]}}]\n"
    "    logical: [r, c]\n";

TEST(BankLines, JsonHasTheConditionsOnTheBase) {
  const ScheduleFile file = read_schedule_text(
      "tensors: {tile: {dtype: half, memory: shared, align: 2, logical: {x: 64}, bind: {x: TIDx}}}",
      "test.yaml");
  const Json json = Json::parse(to_json(inspect(file)));
  EXPECT_EQ(json["tensors"]["tile"]["bank_conflicts"]["if"].dump(), R"(["tile % 4 == 0"])");
}

TEST(BankLines, TellTheThreadsThatCollideAndWhatMendsIt) {
  EXPECT_EQ(InspectedBanks(kClassic).block("Bank"),
            "Bank conflicts of shared memory: 2-way\n"
            "  store: conflict-free (rank over GF(2))\n"
            "  load: 2-way (rank over GF(2))\n"
            "      warp 0: 2 threads ask bank 0 for different words\n"
            "        thread 0 for word 0: k = 0, t = 0\n"
            "        thread 17 for word 32: k = 0, t = 17\n"
            "  xor makes both conflict-free: column ^ row * 2\n"
            "      root: {row: 16, column: 32}\n"
            "      view:\n"
            "        - split: {in: column, factor: 2, out: [column_o, column_i]}\n"
            "        - swizzle: {kind: xor, in: [row, column_o], out: [row_s, column_x]}\n"
            "        - merge: {in: [column_x, column_i], out: column_s}\n"
            "      logical: [row_s, column_s]\n"
            "  pad rows to 34: strides: [34, 1], 128 bytes more\n");
}

TEST(BankLines, OfAFreeTileAreShort) {
  EXPECT_EQ(
      InspectedBanks("    logical: {row: 16, column: 32}\n    strides: [34, 1]\n").block("Bank"),
      "Bank conflicts of shared memory: none\n"
      "  store: conflict-free (rank over GF(2))\n"
      "  load: conflict-free (rank over GF(2))\n");
}

TEST(BankLines, SayWhyNothingIsKnown) {
  const InspectedBanks k("    logical: {row: N, column: 32}\n", "    bind: {row: TIDx}\n");
  EXPECT_EQ(k.block("Bank"),
            "Bank conflicts of shared memory: not known\n"
            "  store and load: not known, for the number of threads is not known\n");
  EXPECT_EQ(k.banks().dump(), R"({"verdict":"unknown","reason":"store and load are not known: )"
                              R"(the number of threads is not known"})");
}

TEST(BankLines, SayThatNoXorMendsIt) {
  const InspectedBanks k("    logical: {row: 4, column: 1024}\n",
                         "    transforms: [{split: {in: column, factor: 32, out: [o, i]}}]\n"
                         "    loop: [row, i, o]\n    bind: {o: TIDx}\n");
  EXPECT_EQ(
      k.block("Bank"),
      "Bank conflicts of shared memory: 32-way\n"
      "  store and load: 32-way (rank over GF(2))\n"
      "      warp 0: 32 threads ask bank 0 for different words\n"
      "        thread 0 for word 0: row = 0, i = 0, o = 0\n"
      "        thread 1 for word 32: row = 0, i = 0, o = 1\n"
      "        thread 2 for word 64: row = 0, i = 0, o = 2\n"
      "        thread 3 for word 96: row = 0, i = 0, o = 3\n"
      "        ... and 28 more, which --json lists\n"
      "  no xor: a phase asks one row for [0, 0] and [0, 32], which no xor of column with bits "
      "of the row\n"
      "      takes apart\n"
      "  no padding makes both conflict-free (all that differ in banks were tried)\n");
}

TEST(BankLines, JsonHasTheDegreesAndTheWitness) {
  const Json banks = InspectedBanks(kClassic).banks();
  EXPECT_EQ(banks["store"], 1);
  EXPECT_EQ(banks["load"], 2);
  EXPECT_EQ(banks["ways"], 2);
  EXPECT_EQ(banks["verdict"], "refuted");
  EXPECT_FALSE(banks.contains("store_witness"));
  EXPECT_EQ(banks["load_witness"].dump(),
            R"({"warp":0,"phase":0,"bank":0,"threads":[{"thread":0,"word":0,"at":{"k":0,"t":0}},)"
            R"({"thread":17,"word":32,"at":{"k":0,"t":17}}]})");
  const Json free =
      InspectedBanks("    logical: {row: 16, column: 32}\n    strides: [34, 1]\n").banks();
  EXPECT_EQ(free.dump(),
            R"json({"store":1,"load":1,"ways":1,"verdict":"proved",)json"
            R"json("reason":"store and load are conflict-free (rank over GF(2))"})json");
}

// They make a kernel slow, not wrong.
TEST(BankLines, ConflictsMakeNothingIllegal) {
  const InspectedBanks k(kClassic);
  EXPECT_TRUE(k.report.diagnostics.empty());
  EXPECT_EQ(k.report.exit_status(), 0);
}

TEST(BankLines, OutsideSharedMemoryThereAreNone) {
  const ScheduleFile file = read_schedule_text(
      "tensors: {tile: {dtype: float, logical: {x: 64}, bind: {x: TIDx}}}", "test.yaml");
  const Report report = inspect(file);
  EXPECT_FALSE(Json::parse(to_json(report))["tensors"]["tile"].contains("bank_conflicts"));
  EXPECT_THAT(page(report), Not(HasSubstr("Bank")));
}

}  // namespace

}  // namespace selvage
