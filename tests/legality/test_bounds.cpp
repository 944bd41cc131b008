// Whether every store and every read is inside its tensor.
#include <selvage/expr/text.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/legality/bounds.h>
#include <selvage/legality/reads.h>

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_graph.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

std::string text(const Verdict& v) {
  if (const auto* proved = std::get_if<Proved>(&v)) {
    std::string rules = "proved:";
    for (const std::string& rule : proved->rules) rules += " " + rule;
    return rules;
  }
  const auto* refuted = std::get_if<Refuted>(&v);
  if (refuted == nullptr) return "unknown";
  std::string point = "refuted:";
  for (const auto& [symbol, value] : refuted->point) {
    point += " " + std::string(symbol.name()) + " = " + std::to_string(value);
  }
  return point;
}

// Its symbols live as long as the file: to the end of the tests.
Finding store(const std::string& tensor) {
  static std::deque<ScheduleFile> files;
  files.push_back(read_schedule_text("tensors: {T0: {dtype: float, " + tensor + "}}", "a"));
  const FileTensor& t = files.back().tensors.at(0);
  return store_bound(*t.fusion, *t.schedule, analyze(*t.fusion, *t.schedule, t.tensor));
}

TEST(StoreBound, AGuardedStoreOfADenseTensorIsInside) {
  EXPECT_EQ(text(store("logical: {i: 15}, transforms: [{split: {in: i, factor: 4, out: [o, l]}}]")
                     .verdict),
            "proved: guard");
  EXPECT_EQ(text(store("logical: {i: 3, j: 4}, strides: [5, 1], duplicates: allowed").verdict),
            "proved: guard");
}

TEST(StoreBound, AnAllocationBesideTheLoopsHasAPlaceForEveryItem) {
  const std::string split =
      "logical: {i: 15}, transforms: [{split: {in: i, factor: 4, out: [o, l]}}";
  EXPECT_EQ(text(store(split + ", {merge: {in: [o, l], out: m}}], allocation: [o, l]").verdict),
            "proved: guard");
}

// A view of 10 of what has 8 in memory.
TEST(StoreBound, AnItemWithoutAPlaceIsTold) {
  const auto grown = [](const std::string& right) {
    return store("root: {i: 8}, view: [{resize: {in: i, left: 0, right: " + right +
                 ", out: w}}], logical: [w], allocation: [i], loop: [w]");
  };
  const Finding f = grown("2");
  EXPECT_EQ(f.code, "E443");
  EXPECT_EQ(f.reason, "an item of T0 has no place in its allocation");
  EXPECT_EQ(f.help, "leave allocation out");
  EXPECT_TRUE(text(f.verdict) == "refuted: w = 8" || text(f.verdict) == "refuted: w = 9")
      << text(f.verdict);
  EXPECT_TRUE(grown("0").is_legal());
}

// The loops of a random schedule hold every item just where none is lost.
TEST(StoreBound, AgreesWithTheOracleOnRandomAllocations) {
  std::mt19937_64 rng(443);
  oracle::Limits limits;
  limits.max_points = 2'000;
  limits.max_extent = 24;
  int inside = 0, outside = 0;
  const int graphs = count(200, 4'000);
  for (int n = 0; n < graphs && !HasFailure(); ++n) {
    const oracle::Graph g =
        n % 3 == 2 ? oracle::random_view_graph(rng, limits) : oracle::random_graph(rng, limits);
    // Allocated over its leaves, iterated over other loops: those of the logical domain.
    oracle::Graph plain = g;
    if (g.view_steps > 0) continue;
    std::string names;
    for (int d : g.loop) names += (names.empty() ? "" : ", ") + g.names[std::size_t(d)];
    const std::string yaml = oracle::to_yaml(g) + "    allocation: [" + names + "]\n";
    const ScheduleFile file = read_schedule_text(yaml, "a");
    const FileTensor& t = file.tensors.at(0);
    Schedule over_items = *t.schedule;
    over_items.set_loops(t.tensor, (*t.fusion)[t.tensor].logical);
    const Finding f = store_bound(*t.fusion, over_items, analyze(*t.fusion, over_items, t.tensor));
    const bool truth = oracle::coverage(g).complete();
    ASSERT_EQ(f.is_legal(), truth) << yaml << text(f.verdict);
    (truth ? inside : outside) += 1;
  }
  EXPECT_GT(inside, graphs / 10);
  EXPECT_GT(outside, graphs / 20);
}

struct Fused {
  explicit Fused(const std::string& yaml) : file(read_schedule_text(yaml, "a")) {
    const Fusion& f = *file.fusion;
    const TensorId y = *f.find("y");
    for (const Access& r : reads_of(f, *file.schedule, analyze(f, *file.schedule, y))) {
      list += f[r.tensor].name + " in " + f[r.user].name + " " + text(r.inside) + "\n";
    }
  }
  ScheduleFile file;
  std::string list;
};

TEST(ReadBounds, AreProvedOverTheReadersIndices) {
  EXPECT_EQ(Fused("inputs: {a: {shape: [8, 6], dtype: float}, b: {shape: [6], dtype: float}}\n"
                  "compute: ['t[m, n] = a[m, n] * 2', 'y[m, n] = t[m, n] + b[n]']\n")
                .list,
            "t in y proved: the same index\na in t proved: the same index\n"
            "b in y proved: the same index\n");
}

TEST(ReadBounds, OfAnAffineSubscriptComeWithAProofOrAPoint) {
  const auto shifted = [](const std::string& extent) {
    return Fused("inputs: {a: {shape: [" + extent +
                 "], dtype: float}, b: {shape: [8], dtype: float}}\n"
                 "compute: ['y[i] = a[i + 1] + b[i]']\nschedule: none\n")
        .list;
  };
  EXPECT_EQ(shifted("9").substr(0, 13), "a in y proved");
  EXPECT_EQ(shifted("8"), "a in y refuted: i = 7\nb in y proved: the same index\n");
}

}  // namespace
}  // namespace selvage
