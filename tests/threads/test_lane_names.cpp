// The index of the threads that are added to warps and warpgroups is nobody else's, whatever the
// names of a program are.
#include <gtest/gtest.h>

#include <selvage/driver/run_threads.h>
#include <selvage/threads/builder.h>

#include "tests/threads/checked.h"

namespace selvage {

namespace {

using namespace threads;

ThreadProgram program(const std::string& yaml) {
  return *read_schedule_text(yaml, "a.yaml", {}).threads;
}

std::vector<std::int64_t> values(const ThreadRun& run, const std::string& array) {
  const Array& a = run.outputs.at(array);
  std::vector<std::int64_t> out;
  for (std::int64_t k = 0; k < a.size(); ++k) out.push_back(a.get_int(k));
  return out;
}

// The names of the indices of each chain of levels.
std::vector<std::string> chains(const std::string& yaml) {
  std::vector<Diagnostic> wrong;
  const ThreadProgram read = program(yaml);
  std::vector<std::string> out;
  for (const LevelChain& chain : level_tree(read, wrong).chains) {
    std::string& text = out.emplace_back();
    for (const ParallelLevel& level : chain.levels) {
      for (const MaskIndex& i : level.indices) {
        text += (text.empty() ? "" : " ") + std::string(i.symbol.name());
      }
    }
  }
  EXPECT_EQ(to_text(wrong), "");
  return out;
}

TEST(LaneNames, ALoopOfThatNameIsNoLane) {
  for (const char* name : {"lane_of_w", "k"}) {
    const ThreadProgram p = program(
        Mend{"LOOP", std::string("index: ") + name + ", in: 8, do: [\"A[b] += " + name + "\"]"}(
            R"(arrays: {A: {shape: [2], dtype: int32}}
parallel: [{block: {b: 2}}]
body:
  - for: {LOOP}
  - parallel: {levels: [{warp: {w: 2}}], do: []}
)"));
    for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
      const ThreadRun run = run_threads(p, {.on = machine});
      EXPECT_EQ(values(run, "A"), (std::vector<std::int64_t>{28, 28})) << name;
      EXPECT_TRUE(run.passed()) << name;
    }
  }
}

TEST(LaneNames, ASymbolOfThatNameIsNoLane) {
  const ThreadProgram p = program(R"(symbols: {lane_of_w: {min: 0, max: 4}}
arrays: {A: {shape: [2, 32], dtype: int32}}
parallel: [{warp: {w: 2}}]
body:
  - inthreads: {when: "w + lane_of_w == 1", async: true, do: [{parallel: {levels: [{thread: {t: 32}}], do: ["A[w, t] = 1"]}}]}
)");
  const ThreadProgram q = program(R"(symbols: {lane_of_w: {min: 0, max: 4}}
parallel: [{warp: {w: 2}}]
body:
  - inthreads: {when: "w + lane_of_w == 1", do: []}
)");
  for (const ThreadProgram* read : {&p, &q}) {
    const LoweredThreads lowered = lower_threads(*read);
    ASSERT_TRUE(lowered.is_legal()) << to_text(lowered.diagnostics);
    EXPECT_TRUE(lowered.regions[0].who.is_dynamic());
    for (std::int64_t value : {0, 1, 2}) {
      const ThreadRun run =
          run_threads(*read, {.symbols = {{"lane_of_w", value}}, .on = Machine::Virtual});
      std::vector<std::int64_t> wanted(64, 0);
      for (std::int64_t t = 0; t < 64; ++t) wanted[std::size_t(t)] = t / 32 + value == 1;
      EXPECT_EQ(run.executed[0], wanted) << value;
    }
  }
}

TEST(LaneNames, TheFirstNumberThatMakesANameOfItsOwnIsTaken) {
  EXPECT_EQ(chains("parallel: [{warp: {w: 2}}]\nbody: []\n"),
            std::vector<std::string>{"w lane_of_w"});
  // A symbol, an array, an index, a let, a bound index that no loop opens.
  EXPECT_EQ(chains("symbols: {lane_of_w: {}}\nparallel: [{warp: {w: 2}}]\nbody: []\n"),
            std::vector<std::string>{"w lane_of_w_2"});
  EXPECT_EQ(chains("arrays: {lane_of_w: {shape: [8]}}\nparallel: [{warp: {w: 2}}]\nbody: []\n"),
            std::vector<std::string>{"w lane_of_w_2"});
  EXPECT_EQ(
      chains("parallel: [{block: {lane_of_w: 2, lane_of_w_2: 2}}, {warp: {w: 2}}]\nbody: []\n"),
      std::vector<std::string>{"lane_of_w lane_of_w_2 w lane_of_w_3"});
  EXPECT_EQ(chains("parallel: [{warp: {w: 2}}]\nbody: [{let: {lane_of_w: w}}]\n"),
            std::vector<std::string>{"w lane_of_w_2"});
  EXPECT_EQ(
      chains("parallel: [{warp: {w: 2}}]\nbody: [{with: {indices: {lane_of_w: 4}, do: []}}]\n"),
      std::vector<std::string>{"w lane_of_w_2"});
  // Levels side by side: w is w_2 in the second, whose lane is none of the first's.
  EXPECT_EQ(chains(R"(parallel: [{block: {b: 2}}]
body:
  - parallel: {levels: [{warp: {w: 2}}], do: []}
  - for: {index: lane_of_w_2, in: 2, do: []}
  - parallel: {levels: [{warp: {w: 2}}], do: []}
)"),
            (std::vector<std::string>{"b w lane_of_w", "b w_2 lane_of_w_2_2"}));
}

TEST(LaneNames, AProgramBuiltInCPlusPlusHasThemToItself) {
  ThreadBuilder b("lanes");
  const ArrayRef A = b.array("A", {2}, DataType::Int32);
  const ThreadIndex block = b.index("b", 2), w = b.index("w", 2), i = b.index("lane_of_w", 8);
  b.parallel({{LevelKind::Block, {block}}}, [&] {
    b.loop(i, [&] { A(block) += i; });
    b.parallel({{LevelKind::Warp, {w}}}, [] {});
  });
  const ThreadProgram made = b.take();
  for (Machine machine : {Machine::Emulate, Machine::Virtual}) {
    EXPECT_EQ(values(run_threads(made, {.on = machine}), "A"), (std::vector<std::int64_t>{28, 28}));
  }
}

}  // namespace

}  // namespace selvage
