// How often each thread runs a region: what a run is compared with.
#include <selvage/emulate/emulate.h>
#include <selvage/ir/sizes.h>
#include <selvage/threads/region_counts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/threads/engine_side.h"

namespace selvage {
namespace {

using testing::ElementsAre;
using thread_oracle::engine_case;
using thread_oracle::EngineCase;

// A program of arrays A (of the threads, 64 elements at most) and one symbol, n.
class RegionCountsOf {
 public:
  RegionCountsOf(const std::string& levels, const std::string& body, std::int64_t n)
      : engine_(engine_case("symbols: {n: {min: 0, max: 9000}}\n"
                            "arrays: {A: {shape: [64], dtype: int32}}\n"
                            "parallel: [" +
                            levels + "]\nbody:\n" + body)),
        n_(n) {
    EXPECT_EQ(engine_.refusal + engine_.failure, "");
  }

  RegionCounts expected(std::size_t region = 0) const {
    const ThreadProgram& program = *engine_.file.threads;
    Facts facts = program.facts;
    const Expr value = program.pool->constant(n_);
    facts.bound(program.symbols[0], value, value);
    return region_counts(this->region(region), facts);
  }
  const ThreadRegion& region(std::size_t k = 0) const { return engine_.lowered.regions.at(k); }

  Kernel& kernel() { return *engine_.lowered.kernel; }
  // What each thread counts in a run.
  std::vector<std::int64_t> executed(std::size_t region = 0) {
    const SizeValues sizes{.symbols = kernel().sizes, .values = {n_}};
    std::vector<Array> memory;
    std::vector<Array*> buffers;
    for (const Buffer& b : kernel().buffers) {
      memory.emplace_back(DataType::Int32, std::vector{*sizes(b.elements)});
    }
    for (Array& a : memory) buffers.push_back(&a);
    EXPECT_EQ(emulate(kernel(), {{"n", n_}}, buffers).fault_count, 0);
    const std::int64_t threads = this->region(region).levels.empty()
                                     ? 1
                                     : ThreadMask::none(this->region(region).levels).size();
    std::vector<std::int64_t> counts;
    for (std::int64_t t = 0; t < threads; ++t) {
      counts.push_back(memory.back().get_int(std::int64_t(region) * threads + t));
    }
    return counts;
  }
  std::string difference(std::size_t k = 0) {
    return selvage::difference(region(k), expected(k), executed(k));
  }

 private:
  EngineCase engine_;
  std::int64_t n_;
};

constexpr char kTriangle[] =
    R"(  - for: {index: i, in: n, do: [{inthreads: {when: t < i, async: true, do: ["A[t] += 1"]}}]})";

TEST(RegionCounts, EachThreadCountsTheIterationsWhoseMaskHasIt) {
  RegionCountsOf program("{t: 4}", kTriangle, 4);
  EXPECT_THAT(program.expected().times, ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(program.executed(), ElementsAre(3, 2, 1, 0));
  EXPECT_EQ(program.difference(), "");
}

TEST(RegionCounts, ALoopThatDoesNotRunHasNoIterations) {
  RegionCountsOf program("{t: 4}", kTriangle, 0);
  EXPECT_THAT(program.expected().times, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(program.difference(), "");
}

// Loops that the condition does not depend on, before, between and behind one that it does.
TEST(RegionCounts, IterationsThatAreAlikeAreMultiplied) {
  RegionCountsOf program("{t: 4}", R"(  - for: {index: a, in: 3, do: [{for: {index: i, in: n, do: [
      {for: {index: b, in: n + 1, do: [{inthreads: {when: t <= i, async: true, do: ["A[t] += 1"]}}]}}]}}]})",
                         2);
  EXPECT_THAT(program.expected().times, ElementsAre(18, 9, 0, 0));
  EXPECT_EQ(program.difference(), "");
}

// Too many to be told apart one by one, which nobody has to.
TEST(RegionCounts, ManyIterationsOfOneMaskAreKnown) {
  RegionCountsOf program("{t: 2}", R"(  - for: {index: i, in: n, do: [
      {inthreads: {when: t < 1, async: true, do: ["A[t] += 1"]}}]})",
                         9000);
  EXPECT_THAT(program.expected().times, ElementsAre(9000, 0));
  EXPECT_EQ(program.difference(), "");
}

TEST(RegionCounts, AnExtentMayHangOnThreadsAndOnLoopsAround) {
  RegionCountsOf program("{t: 4}",
                         R"(  - for: {index: i, in: t, do: [{for: {index: j, in: n - i, do: [
      {inthreads: {when: t > 1, async: true, do: ["A[t] += 1"]}}]}}]})",
                         2);
  // i, j of thread 2: 0, 0; 0, 1; 1, 0.
  EXPECT_THAT(program.expected().times, ElementsAre(0, 0, 3, 3));
  EXPECT_EQ(program.difference(), "");
}

TEST(RegionCounts, WhereALoopMayBeLeftTheyAreTheMost) {
  const std::string body = R"(  - for: {index: i, in: 4, label: up, do: [
      {for: {index: j, in: 1, if: i == n, do: [{LEAVE: up}]}},
      {inthreads: {when: t > 0, async: true, do: ["A[t] += 1"]}}]})";
  for (const char* word : {"break", "continue"}) {
    std::string text = body;
    // Region 0 is the iteration that leaves.
    RegionCountsOf program("{t: 2}", text.replace(text.find("LEAVE"), 5, word), 3);
    EXPECT_TRUE(program.expected(1).is_most);
    EXPECT_THAT(program.expected(1).times, ElementsAre(0, 4));
    EXPECT_THAT(program.executed(1), ElementsAre(0, 3));
    EXPECT_EQ(program.difference(1), "");
  }
}

// A break of a loop that the region does not stand in takes nothing from it.
TEST(RegionCounts, AnotherLoopMayBeLeft) {
  RegionCountsOf program("{t: 2}", R"(  - for: {index: i, in: 4, do: [
      {for: {index: j, in: 3, label: inner, do: [{break: inner}]}},
      {inthreads: {when: t > 0, async: true, do: ["A[t] += 1"]}}]})",
                         0);
  EXPECT_FALSE(program.expected().is_most);
  EXPECT_EQ(program.difference(), "");
}

TEST(RegionCounts, IterationsPastTheLimitAreNotKnown) {
  EXPECT_EQ(RegionCountsOf("{t: 4}", kTriangle, kMostIterations).expected().unknown, "");
  EXPECT_EQ(RegionCountsOf("{t: 4}", kTriangle, kMostIterations + 1).expected().unknown,
            "there are more iterations than are told apart");
}

TEST(RegionCounts, ThreadsOfAllIterationsHaveALimitAsWell) {
  const auto with = [](std::int64_t n) {
    return RegionCountsOf("{block: {b: 64}}, {thread: {t: 1024}}",
                          R"(  - for: {index: i, in: n, do: [
      {inthreads: {when: b * 1024 + t < i, async: true, do: []}}]})",
                          n)
        .expected();
  };
  constexpr std::int64_t kMost = kMostLooked / (64 * 1024);
  const RegionCounts counts = with(kMost);
  EXPECT_EQ(counts.unknown, "");
  EXPECT_EQ(counts.times.at(3), kMost - 4);
  EXPECT_EQ(with(kMost + 1).unknown, "there are more threads in all iterations than are looked at");
}

// ---- a kernel that does too little, or too much, is found out ----

Loop& first_loop(Body& body) {
  for (Statement& s : body) {
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr) continue;
    return is_index(loop->parallel) ? first_loop(loop->body) : *loop;
  }
  throw std::logic_error("there is no loop");
}

TEST(RegionCounts, ALoopThatIsOneIterationShortDiffers) {
  RegionCountsOf program("{t: 4}", kTriangle, 4);
  Loop& loop = first_loop(program.kernel().body);
  loop.extent = loop.extent - 1;
  EXPECT_EQ(program.difference(), "thread 0 ran the region t < i 2 times, and its mask says 3");
}

TEST(RegionCounts, AGuardThatLetsOneMoreThreadInDiffers) {
  RegionCountsOf program("{t: 4}", kTriangle, 4);
  Loop& loop = first_loop(program.kernel().body);
  auto& guard = std::get<Guard>(loop.body.at(0).node);
  guard.condition = guard.condition || eq(loop.variable, 0);
  EXPECT_EQ(program.difference(), "thread 0 ran the region t < i 4 times, and its mask says 3");
}

TEST(RegionCounts, MoreThanTheMostDiffers) {
  RegionCountsOf program("{t: 2}", R"(  - for: {index: i, in: 4, label: up, do: [
      {inthreads: {when: t > 0, async: true, do: ["A[t] += 1"]}},
      {for: {index: j, in: 1, if: i == n, do: [{break: up}]}}]})",
                         7);
  EXPECT_EQ(program.difference(), "");
  Loop& loop = first_loop(program.kernel().body);
  loop.extent = loop.extent + 1;
  EXPECT_EQ(program.difference(),
            "thread 1 ran the region t > 0 5 times, and its mask says at most 4");
}

}  // namespace
}  // namespace selvage
