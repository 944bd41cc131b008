#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/report/json.h>
#include <tests/support/json_value.h>

#include <gtest/gtest.h>

#include "numbered.h"

namespace selvage {

namespace {

using Json = test::JsonValue;
using test::figure2;
using test::Numbered;

Report report_on(const Numbered& t) {
  return inspect("test.yaml", {Subject{.schedule = *t.schedule, .items_may_be_lost = true}});
}
// Of the tensor alone: nothing is lowered.
Report analysis_of(const Numbered& t) {
  return inspect("test.yaml", {Subject{.schedule = *t.schedule, .has_kernel = false}});
}
Json json_on(const Numbered& t) { return Json::parse(to_json(report_on(t))); }

// Reads the texts of one tensor of the JSON as anyone would: its lets first, each over those before
// it, every other name a symbol.
class Reader {
 public:
  explicit Reader(const Json& tensor) {
    if (!tensor.contains("let")) return;
    for (const Json& let : tensor["let"].elements()) {
      lets_.emplace(let[0].text(), read(let[1].text()));
    }
  }
  Expr read(const std::string& text) {
    EXPECT_LE(text.size(), 4096u);
    return parse_expr(pool_, text, [&](std::string_view name) {
      const auto it = lets_.find(std::string(name));
      return it == lets_.end() ? pool_.symbol(name) : it->second;
    });
  }
  std::int64_t at(const std::string& text, const std::map<std::string, std::int64_t>& point) {
    std::vector<Expr> symbols;
    std::vector<std::int64_t> values;
    for (const auto& [name, value] : point) {
      symbols.push_back(pool_.symbol(name));
      values.push_back(value);
    }
    return evaluate(read(text), symbols, values).value();
  }

 private:
  ExprPool pool_;
  std::map<std::string, Expr> lets_;
};

TEST(Json, Figure2IsAsTheFormatShows) {
  const Json json = json_on(figure2());
  EXPECT_EQ(json["format"], "schedule_inspect/1");
  const Json t0 = json["tensors"]["T0"];
  EXPECT_FALSE(t0.contains("let"));
  EXPECT_EQ(
      t0["iterdomains"].dump(),
      R"({"I0":{"extent":"15","index":"I3 * 12 + I4 * 6 + I5 * 4 + I6"},)"
      R"("I1":{"extent":"3","index":"I3 * 2 + I4"},"I2":{"extent":"6","index":"I5 * 4 + I6"},)"
      R"("I3":{"extent":"2","index":"I3"},"I4":{"extent":"2","index":"I4"},)"
      R"("I5":{"extent":"2","index":"I5"},"I6":{"extent":"4","index":"I6"}})");
  EXPECT_EQ(t0["loop"].dump(), R"(["I3","I4","I5","I6"])");
  EXPECT_EQ(t0["address"], "I3 * 12 + I4 * 6 + I5 * 4 + I6");
  ASSERT_EQ(t0["predicates"].size(), 2u);
  EXPECT_EQ(t0["predicates"][0]["iterdomain"], "I0");
  EXPECT_EQ(t0["predicates"][0]["condition"], "I3 * 12 + I4 * 6 + I5 * 4 + I6 < 15");
  EXPECT_EQ(t0["predicates"][1]["condition"], "I5 * 4 + I6 < 6");
  ASSERT_EQ(t0["implied"].size(), 1u);
  EXPECT_EQ(t0["implied"][0]["iterdomain"], "I1");
  EXPECT_EQ(t0["minimal"], "proved");
  EXPECT_EQ(t0["coverage"].dump(), R"({"complete":true,"verdict":"proved","once":"proved"})");
  EXPECT_EQ(t0["bounds"].dump(),
            R"([{"access":"store","tensor":"T0","verdict":"proved","rules":["guard"]}])");
  EXPECT_EQ(json["kernels"].size(), 1u);
  EXPECT_EQ(json["kernels"][0]["launch"].dump(),
            R"({"grid":["1","1","1"],"block":["1","1","1"],"shared_bytes":"0"})");
  EXPECT_TRUE(json["diagnostics"].empty());
}

TEST(Json, AWitnessStopsExactlyItsPredicate) {
  const Json t0 = json_on(figure2())["tensors"]["T0"];
  Reader reader(t0);
  for (const Json& predicate : t0["predicates"].elements()) {
    const auto point = predicate["witness"].numbers();
    EXPECT_EQ(point.size(), t0["loop"].size());
    for (const Json& other : t0["predicates"].elements()) {
      EXPECT_EQ(reader.at(other["condition"].text(), point), other == predicate ? 0 : 1);
    }
  }
}

TEST(Json, AWitnessNamesEverySizeThatIsUsed) {
  Numbered t("T0", {"I0", "I1"}, {0, 0}, {"N", "M"});
  t.fusion->assume(t.fusion->pool().symbol("M") <= t.fusion->pool().symbol("N"));
  t.fusion->assume(eq(t.fusion->pool().symbol("M") % 4, 0));
  t.make_schedule();
  t.schedule->split(t.schedule->loops(t.id())[0], 4, {.outer = "I2", .inner = "I3"});
  const Json t0 = json_on(t)["tensors"]["T0"];
  ASSERT_EQ(t0["predicates"].size(), 1u);
  const auto point = t0["predicates"][0]["witness"].numbers();
  ASSERT_TRUE(point.contains("N") && point.contains("M") && point.contains("I1"));
  EXPECT_LE(point.at("M"), point.at("N"));
  EXPECT_EQ(point.at("M") % 4, 0);
  EXPECT_GE(point.at("I2") * 4 + point.at("I3"), point.at("N"));
}

TEST(Json, ItemsThatNothingVisitsAreToldOf) {
  Numbered t("T0", {"I0"}, {10});
  t.schedule->resize(t.schedule->loops(t.id())[0], t.c(-2), t.c(0), "I1");
  const Json json = json_on(t);
  const Json coverage = json["tensors"]["T0"]["coverage"];
  EXPECT_EQ(coverage["complete"], false);
  EXPECT_EQ(coverage["verdict"], "refuted");
  EXPECT_LT(coverage["witness"]["I0"].number(), 2);
  EXPECT_EQ(coverage["lost"]["I0"], coverage["witness"]["I0"]);
  EXPECT_EQ(json["diagnostics"][0]["severity"], "warning");
}

TEST(Json, WhereDuplicatesAreAllowedOnlyTheItemIsChecked) {
  Numbered t("T0", {"I0"}, {15});
  t.fusion->edit(t.id()).duplicates_allowed = true;
  t.make_schedule();
  cut_as_in_figure2(t);
  const Json t0 = json_on(t)["tensors"]["T0"];
  ASSERT_EQ(t0["predicates"].size(), 1u);
  EXPECT_EQ(t0["predicates"][0]["iterdomain"], "I0");
  EXPECT_EQ(t0["implied"].size(), 2u);
}

// Crossed splits and merges: written out, each index is twice as long as the one before.
Numbered crossed(int steps) {
  Numbered t("T0", {"I0"}, {1 << 20});
  Schedule& s = *t.schedule;
  ScheduledLoop rest = s.loops(t.id())[0];
  for (int i = 0; i < steps; ++i) {
    const std::string n = std::to_string(i);
    const auto [outer, inner] = s.split(rest, 3, {.outer = "o" + n, .inner = "i" + n});
    rest = s.merge(inner, outer, "m" + n);
  }
  return t;
}

TEST(Json, LetsKeepEveryTextShortAndRight) {
  const Numbered t = crossed(30);
  const Report report = report_on(t);
  const Json t0 = Json::parse(to_json(report))["tensors"]["T0"];
  const TensorAnalysis& a = report.tensors[0].analysis;
  ASSERT_TRUE(t0.contains("let"));
  EXPECT_EQ(t0["let"][0][0], "_t0");
  Reader reader(t0);
  for (const std::int64_t x : {0, 1, 2, 17, 65'537, (1 << 20) - 1}) {
    const std::map<std::string, std::int64_t> point = {{std::string(a.variables[0].name()), x}};
    for (const auto& [name, d] : report.tensors[0].iterdomains) {
      EXPECT_EQ(reader.at(t0["iterdomains"][name]["index"].text(), point),
                evaluate((*a.coordinates)[d], a.variables, std::vector{x}).value())
          << name << " at " << x;
    }
  }
}

TEST(Json, LongExtentsAreBrokenUpToo) {
  const std::string long_name(64, 'N');
  Numbered t("T0", {"I0"}, {0}, {long_name});
  Schedule& s = *t.schedule;
  ScheduledLoop rest = s.loops(t.id())[0];
  for (int i = 0; i < 6; ++i) {
    const auto [outer, inner] = s.split(rest, t.c(3));
    const auto padded = s.resize(outer, rest.domain == outer.domain ? t.c(1) : t.c(2), t.c(1));
    rest = s.merge(inner, padded);
  }
  const Json t0 = Json::parse(to_json(analysis_of(t)))["tensors"]["T0"];
  EXPECT_TRUE(t0.contains("let"));
  Reader reader(t0);
  for (const auto& [name, domain] : t0["iterdomains"].items()) {
    const std::map<std::string, std::int64_t> size = {{long_name, 1000}};
    EXPECT_GE(reader.at(domain["extent"].text(), size), 1) << name;
  }
}

// Its time is what the benchmarks measure (chain/...).
TEST(Json, GrowsNoFasterThanTheGraph) {
  const auto bytes = [](int steps) {
    const Numbered t = crossed(steps / 2);
    return double(to_json(analysis_of(t)).size());
  };
  EXPECT_LT(bytes(1'000) / bytes(100), 15);
}

TEST(Json, OneIllegalTensorHidesNoOther) {
  const Numbered good = figure2(), bad("T1", {"I0"}, {4096});
  bad.schedule->bind(bad.schedule->loops(bad.id())[0], ParallelType::TIDx);
  const Report report =
      inspect("test.yaml", {Subject{.schedule = *bad.schedule, .places = {{"T1", {"", 7, 3}}}},
                            Subject{.schedule = *good.schedule}});
  const Json json = Json::parse(to_json(report));
  EXPECT_TRUE(json["tensors"].contains("T0"));
  EXPECT_FALSE(json["tensors"].contains("T1"));
  ASSERT_EQ(json["diagnostics"].size(), 1u);
  EXPECT_EQ(json["diagnostics"][0]["code"], "E442");
  EXPECT_EQ(json["diagnostics"][0]["file"], "test.yaml");
  EXPECT_EQ(json["diagnostics"][0]["line"], 7);
  EXPECT_EQ(report.exit_status(), 1);
}

std::string json_of_diagnostic(const Diagnostic& d) {
  Report report;
  report.diagnostics = {d};
  return Json::parse(to_json(report))["diagnostics"][0].dump();
}

TEST(Json, ADiagnosticHasAllFieldsInOrder) {
  EXPECT_EQ(json_of_diagnostic({.code = "E123",
                                .place = {"a.yaml", 7, 9},
                                .message = "split of 'I0' by 0",
                                .notes = {"at I1 = 2", "first used at a.yaml:3:5"},
                                .help = "use a factor of at least 1"}),
            R"({"file":"a.yaml","line":7,"column":9,"severity":"error","code":"E123",)"
            R"("message":"split of 'I0' by 0","notes":["at I1 = 2","first used at a.yaml:3:5"],)"
            R"("help":"use a factor of at least 1"})");
}

TEST(Json, WhatIsKeptInSharedMemoryHasItsElements) {
  const ScheduleFile file = read_schedule_text(
      "inputs: {a: {shape: [96, 96], dtype: float}}\n"
      "compute: [\"y[j, i] = a[i, j]\"]\n"
      "schedule:\n"
      "  a: [{cache: {as: tile, memory: shared}}]\n"
      "  y: []\n",
      "test.yaml");
  const Json tile = Json::parse(to_json(inspect(file)))["tensors"]["tile"];
  EXPECT_EQ(tile["memory"], "shared");
  EXPECT_TRUE(tile.contains("elements"));
}

TEST(Json, FaultsOfARunStandThereWhereThereAreAny) {
  Report report;
  report.runs.resize(2);
  report.runs[0].machine = report.runs[1].machine = Machine::Emulate;
  report.runs[1].faults = {"y[3] is written twice"};
  const Json runs = Json::parse(to_json(report))["runs"];
  EXPECT_FALSE(runs[0].contains("faults"));
  EXPECT_EQ(runs[1]["faults"].dump(), R"(["y[3] is written twice"])");
}

TEST(Json, ItemsThatARunLeavesOutAreCountedWhereThereAreAny) {
  Report report;
  report.runs.resize(1);
  report.runs[0].machine = Machine::Emulate;
  report.runs[0].comparisons.resize(2);
  report.runs[0].comparisons[1].unvisited = 3;
  const Json outputs = Json::parse(to_json(report))["runs"][0]["outputs"];
  EXPECT_FALSE(outputs[0].contains("unvisited"));
  EXPECT_EQ(outputs[1]["unvisited"].dump(), "3");
}

TEST(Json, WhatIsNotTextIsEscapedAndReplaced) {
  EXPECT_EQ(json_of_diagnostic({.code = "W1",
                                .severity = Severity::Warning,
                                .place = {"\"\n", 0, 0},
                                .message = "\xff"}),
            R"({"file":"\"\n","line":0,"column":0,"severity":"warning","code":"W1",)"
            "\"message\":\"\xEF\xBF\xBD\",\"notes\":[],\"help\":\"\"}");
}

}  // namespace

}  // namespace selvage
