#include <selvage/confirm/confirm.h>
#include <selvage/confirm/solver.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/ir/reads.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <tests/oracle/random_graph.h>
#include <tests/support/counts.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

namespace selvage {
namespace {

using Of = Confirmation::Of;

struct Tally {
  int confirmed = 0, unknown = 0, refuted = 0;
  std::string refutations;

  void add(const Report& report) {
    for (const TensorReport& tensor : report.tensors) {
      for (const Confirmation& c : *tensor.confirmations) {
        if (is_proved(c.verdict)) {
          ++confirmed;
        } else if (std::holds_alternative<Unknown>(c.verdict)) {
          ++unknown;
        } else {
          ++refuted;
          refutations += to_text(c) + "\n";
        }
      }
    }
  }
};

bool has_fill(const TensorReport& tensor) {
  const ValueGraph& values = tensor.fusion().values();
  std::set<TensorId> seen;
  std::vector<TensorId> open = {tensor.analysis.tensor};
  while (!open.empty()) {
    const TensorId t = open.back();
    open.pop_back();
    if (!seen.insert(t).second || !tensor.fusion()[t].definition) continue;
    for (ValueId v : values_under(values, *tensor.fusion()[t].definition)) {
      const ValueNode& node = values[v];
      if (node.kind != ValueNode::Kind::Read) continue;
      if (node.otherwise()) return true;
      open.push_back(TensorId(node.source));
    }
  }
  return false;
}

class Confirm : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_z3()) GTEST_SKIP() << "[SKIP built without Z3]";
  }
};

TEST_F(Confirm, EveryExampleIsConfirmed) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(SELVAGE_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++examples;
    const ScheduleFile file = read_schedule_file(entry.path().string());
    Report report = inspect(file);
    confirm(report);
    for (const TensorReport& tensor : report.tensors) {
      ASSERT_TRUE(tensor.confirmations.has_value());
      EXPECT_GE(tensor.confirmations->size(), 4u) << entry.path();
      for (const Confirmation& c : *tensor.confirmations) {
        // What is folded stores a state, which is not the value of its definition.
        if (tensor.tensor().fold && !c.claim.valid()) continue;
        // What fills a read is not compared.
        if (!c.claim.valid() && has_fill(tensor)) continue;
        EXPECT_TRUE(is_proved(c.verdict)) << entry.path() << ": " << to_text(c);
      }
    }
    EXPECT_EQ(report.exit_status(), 0) << to_text(report.diagnostics);
  }
  EXPECT_GE(examples, 5);
}

TEST_F(Confirm, VectorsOfSeveralAccessesAndOfStridesThatAreKnownAtLaunch) {
  // Two accesses fill the lanes of `a`; a vector of T has its stride of 1 from the host.
  for (const char* text : {R"(
sizes: {N: 64}
inputs: {a: {shape: [N], dtype: float}}
outputs: {y: {dtype: half}}
compute: ["y[n] = a[n] + 1"]
schedule: {y: [{split: {in: n, factor: 8, out: [g, v]}}, {bind: {v: Vectorize}}]}
)",
                           R"(
tensors:
  T:
    dtype: float
    logical: {x: 64}
    contiguity: [false]
    transforms: [{split: {in: x, factor: 4, out: [g, v]}}]
    bind: {v: Vectorize}
)"}) {
    const ScheduleFile file = read_schedule_text(text, "case.yaml");
    Report report = inspect(file);
    confirm(report);
    for (const TensorReport& tensor : report.tensors) {
      ASSERT_TRUE(tensor.analysis.vector && tensor.analysis.vector->finding.is_legal());
      for (const Confirmation& c : *tensor.confirmations) {
        EXPECT_TRUE(is_proved(c.verdict)) << to_text(c);
      }
    }
    EXPECT_EQ(report.exit_status(), 0) << to_text(report.diagnostics);
  }
}

Tally tally_of(const std::function<std::string(std::mt19937_64&)>& yaml, int schedules) {
  std::mt19937_64 rng(21);
  Tally tally;
  for (; schedules > 0; --schedules) {
    const std::string text = yaml(rng);
    const ScheduleFile file = read_schedule_text(text, "random.yaml");
    Report report = inspect(file);
    const int before = tally.refuted;
    confirm(report);
    tally.add(report);
    EXPECT_EQ(tally.refuted, before) << text << tally.refutations;
    EXPECT_EQ(report.exit_status(), 0) << text << to_text(report.diagnostics);
  }
  return tally;
}

void print(const char* what, const Tally& tally) {
  std::printf("[FIGURE] --prove on random schedules, %s: %d confirmed, %d not decided\n", what,
              tally.confirmed, tally.unknown);
}

TEST_F(Confirm, RandomSchedulesOfKnownExtentsAre) {
  const Tally tally =
      tally_of([](std::mt19937_64& rng) { return oracle::to_yaml(oracle::random_graph(rng)); },
               count(20, 300));
  print("known extents", tally);
  EXPECT_LE(100 * tally.unknown, tally.confirmed);
}

TEST_F(Confirm, RandomSchedulesOfSymbolicExtentsAreButForAFew) {
  const Tally tally = tally_of(
      [](std::mt19937_64& rng) { return oracle::to_yaml(oracle::random_symbolic_graph(rng)); },
      count(10, 200));
  print("symbols", tally);
  EXPECT_LE(25 * tally.unknown, tally.confirmed);
}

// A report on a schedule, with something wrong in it.
class PlantedFaults : public Confirm {
 protected:
  void read(const std::string& text) {
    file_ = read_schedule_text(text, "planted.yaml");
    report = inspect(file_);
    ASSERT_EQ(report.exit_status(), 0) << to_text(report.diagnostics);
  }
  void read_example(const std::string& name) {
    file_ = read_schedule_file(SELVAGE_SOURCE_DIR "/examples/" + name);
    report = inspect(file_);
  }
  TensorAnalysis& analysis() { return report.tensors.at(0).analysis; }
  Body& body() { return report.fusions.at(0).program->steps.at(0).variants.at(0).body; }

  // The first statement of a kind, wherever it stands.
  template <class Kind>
  static Kind* find(Body& body) {
    for (Statement& s : body) {
      if (auto* found = std::get_if<Kind>(&s.node)) return found;
      Kind* inner = nullptr;
      if (auto* loop = std::get_if<Loop>(&s.node)) inner = find<Kind>(loop->body);
      if (auto* guard = std::get_if<Guard>(&s.node)) inner = find<Kind>(guard->body);
      if (inner != nullptr) return inner;
    }
    return nullptr;
  }

  // What Z3 refutes, one line each: "index of n", ...
  std::string refuted() {
    confirm(report);
    std::string text;
    int refutations = 0;
    for (const TensorReport& tensor : report.tensors) {
      for (const Confirmation& c : *tensor.confirmations) {
        if (!std::holds_alternative<Refuted>(c.verdict)) continue;
        ++refutations;
        text += std::string(to_string(c.of)) + " of " + c.what + "\n";
      }
    }
    EXPECT_EQ(report.exit_status(), refutations > 0 ? 1 : 0);
    EXPECT_EQ(report.diagnostics.size(), std::size_t(refutations));
    return text;
  }

  Report report;

 private:
  ScheduleFile file_;
};

TEST_F(PlantedFaults, NothingIsRefutedWhereNothingIsWrong) {
  read_example("bias_relu.yaml");
  EXPECT_EQ(refuted(), "");
}

TEST_F(PlantedFaults, AnAddress) {
  read_example("figure2.yaml");
  analysis().address = analysis().address + 1;
  EXPECT_EQ(refuted(), "address of T0\naccess of T0\n");
  const std::string text = to_text(report.diagnostics[0]);
  EXPECT_EQ(text.find(SELVAGE_SOURCE_DIR
                      "/examples/figure2.yaml: error[E901]: Z3 refutes what was made of T0: the "
                      "address of an item of T0: I3 * 12 + I4 * 6 + I5 * 4 + I6 + 1 == "),
            0u)
      << text;
  EXPECT_NE(text.find("; it fails at I3 = "), std::string::npos) << text;
}

// Indices that were simplified for fewer blocks than there are.
TEST_F(PlantedFaults, AnIndexThatIsRightForPartOfTheLoopsOnly) {
  read_example("bias_relu.yaml");
  TensorAnalysis& a = analysis();
  const TensorReport& tensor = report.tensors.at(0);
  ExprPool& pool = tensor.fusion().pool();
  Facts facts = *tensor.fusion().facts();
  facts.loop(a.variables.at(0), pool.constant(6));
  facts.loop(a.variables.at(1), pool.constant(128));
  Simplifier simplifier(facts);
  a.coordinates =
      std::make_shared<Coordinates>(tensor.graph(), a.path, a.loops, a.variables, simplifier);
  const std::string text = refuted();
  EXPECT_NE(text.find("index of m\nindex of n\n"), std::string::npos) << text;
}

TEST_F(PlantedFaults, ACheckThatIsNeededAndLeftOut) {
  read_example("figure2.yaml");
  PredicatePlan& plan = analysis().predicates;
  plan.implied.push_back({plan.kept.at(1).domain, "law A", {plan.kept.at(0).domain}});
  plan.kept.pop_back();
  EXPECT_EQ(refuted(), "dropped of I0\n");
}

TEST_F(PlantedFaults, AReasonThatIsNone) {
  read_example("bias_relu.yaml");
  for (ImpliedPredicate& implied : analysis().predicates.implied) implied.from.clear();
  EXPECT_EQ(refuted(), "dropped of m\n");
}

TEST_F(PlantedFaults, ACheckThatIsTooLaxOrTooStrict) {
  read_example("transpose.yaml");
  KeptPredicate& kept = analysis().predicates.kept.at(0);
  const Expr condition = kept.condition;
  ASSERT_TRUE(condition.is(Op::Lt));
  kept.condition = condition[0] < condition[1] + 1;
  EXPECT_NE(refuted().find("check of n\n"), std::string::npos);
  report.diagnostics.clear();
  kept.condition = condition[0] < condition[1] - 1;
  EXPECT_EQ(refuted(), "check of n\n");
}

TEST_F(PlantedFaults, AKernelThatLosesALoopAGuardOrAnAddress) {
  read_example("transpose.yaml");
  ASSERT_EQ(refuted(), "");
  Loop& loop = *find<Loop>(body());
  const Expr extent = loop.extent;
  loop.extent = extent - 1;
  EXPECT_EQ(refuted(), "loop of n_o\n");
  loop.extent = extent;

  report.diagnostics.clear();
  Guard& guard = *find<Guard>(body());
  const Expr condition = guard.condition;
  guard.condition = condition.pool().truth(true);
  EXPECT_NE(refuted().find("store of y\n"), std::string::npos);
  guard.condition = condition;

  report.diagnostics.clear();
  Store& store = *find<Store>(body());
  store.address = store.address + 1;
  EXPECT_EQ(refuted(), "access of y\n");
}

TEST_F(PlantedFaults, AnAccessOfAVectorElsewhere) {
  read_example("vectors.yaml");
  ASSERT_EQ(refuted(), "");
  Transfer& load = *find<Transfer>(body());
  load.from_address = load.from_address + 8;
  EXPECT_EQ(refuted(), "access of a\n");
  load.from_address = load.from_address - 8;

  report.diagnostics.clear();
  Guard& full = *find<Guard>(body());
  full.condition = full.condition || !full.condition;
  EXPECT_EQ(refuted(), "store of y\n");
}

TEST_F(PlantedFaults, AnInteriorThatIsTooWide) {
  read_example("unswitch.yaml");
  ASSERT_EQ(refuted(), "");
  Guard& interior = *find<Guard>(body());
  const Expr o = report.tensors.at(0).analysis.variables.at(0);
  interior.condition = o * 4 % 251 < 248;
  EXPECT_EQ(refuted(), "store of T0\n");
}

TEST_F(PlantedFaults, ALoopThatIsPeeledTooFar) {
  read(
      "tensors: {T0: {dtype: float, logical: {n: 1003}, transforms: [{split: {in: n, factor: 4, "
      "out: [o, v]}}], bind: {v: Vectorize}}}\n");
  ASSERT_EQ(refuted(), "");
  Loop& main = *find<Loop>(body());
  main.extent = main.extent + 1;
  EXPECT_NE(refuted(), "");
}

TEST_F(PlantedFaults, AReadAtAnotherAddress) {
  read_example("transpose.yaml");
  Kernel& kernel = report.fusions.at(0).program->steps.at(0).variants.at(0);
  ValueGraph moved;
  for (std::size_t i = 0; i < kernel.values.size(); ++i) {
    ValueNode node = kernel.values[ValueId(i)];
    const bool is_a = node.kind == ValueNode::Kind::Read && kernel.buffers[node.source].name == "a";
    if (is_a) node.subscripts[0] = node.subscripts[0] + kernel.pool->symbol("m_i");
    moved.add(std::move(node));
  }
  kernel.values = std::move(moved);
  EXPECT_EQ(refuted(), "access of a\n");
}

TEST_F(PlantedFaults, AValueThatIsBuiltOtherwiseIsNotConfirmed) {
  read_example("transpose.yaml");
  Kernel& kernel = report.fusions.at(0).program->steps.at(0).variants.at(0);
  ValueGraph changed;
  for (std::size_t i = 0; i < kernel.values.size(); ++i) {
    ValueNode node = kernel.values[ValueId(i)];
    if (node.function == Function::Sub) node.function = Function::Mul;
    changed.add(std::move(node));
  }
  kernel.values = std::move(changed);
  EXPECT_EQ(refuted(), "");
  const std::string text = page(report, {.predicates = true});
  EXPECT_NE(text.find("it does not decide the access to y, which is built otherwise than it is "
                      "defined"),
            std::string::npos)
      << text;
}

TEST_F(Confirm, WithoutIndicesToConfirmThePageSaysWhatThereIs) {
  const ScheduleFile file =
      read_schedule_text("tensors: {T: {dtype: float, logical: {i: 8}, memory: shared}}", "t.yaml");
  Report report = inspect(file);
  EXPECT_EQ(page(report).find("Z3"), std::string::npos);
  confirm(report);
  EXPECT_NE(page(report).find("Z3 confirms of T: 1 address\n"), std::string::npos);
}

}  // namespace
}  // namespace selvage
