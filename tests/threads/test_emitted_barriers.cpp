// The CUDA of a thread program has the barriers that its constructs ask for, and no other.
#include <gtest/gtest.h>

#include "checked.h"

namespace selvage {

namespace {

using namespace threads;

// From the kernel's name on; what is said where there is none.
std::string kernel(const std::string& text) {
  const Report report = report_on(text);
  if (!report.threads->lowered.kernel) return said(text);
  const std::string& cuda = report.threads->cuda->text;
  return cuda.substr(cuda.rfind("KERNEL("));
}

int count_of(const std::string& word, const std::string& text) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

// Of a program: barriers of the block, of a warp or part of it, and of a number of warps.
struct Barriers {
  int block, warp, some;
  friend bool operator==(const Barriers&, const Barriers&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Barriers& b) {
    return out << b.block << " of the block, " << b.warp << " of a warp, " << b.some << " of some";
  }
};
Barriers barriers(const std::string& text) {
  const std::string cuda = kernel(text);
  EXPECT_EQ(cuda.find("KERNEL("), 0u) << cuda;
  return {count_of("__syncthreads(", cuda), count_of("__syncwarp(", cuda),
          count_of("sync_threads(", cuda)};
}

const std::string kEmittedWarps =
    R"(arrays: {A: {shape: [64], dtype: int32}, B: {shape: [64], dtype: int32}}
parallel: [{p: 64}]
body:
)";
const std::string kEmittedFourWarps =
    R"(arrays: {A: {shape: [128], dtype: int32}, B: {shape: [128], dtype: int32}}
parallel: [{p: 128}]
body:
)";

TEST(EmittedBarriers, OneStandsBehindInthreads) {
  EXPECT_EQ(kernel(R"(arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- inthreads: {when: p <= 2, do: ["A[p] = 1"]}
)"),
            R"(KERNEL(kernel_a)(int* __restrict__ A) {
  const int p = threadIdx.x;
  if (p <= 2) {  // p <= 2: 000111
    A[p] = 1;
  }
  __syncthreads();
}
)");
}

TEST(EmittedBarriers, NoneStandsBetweenAsynchronousRegionsAndOneAtTheSync) {
  EXPECT_EQ(kernel(R"(arrays: {A: {shape: [6], dtype: int32}}
parallel: [{p: 6}]
body:
- inthreads: {when: p <= 2, async: true, do: ["A[p] = 1"]}
- inthreads: {when: p > 2, async: true, do: ["A[p] = 2"]}
- sync: shared
)"),
            R"(KERNEL(kernel_a)(int* __restrict__ A) {
  const int p = threadIdx.x;
  if (p <= 2) {  // p <= 2: 000111
    A[p] = 1;
  }
  if (2 < p) {  // p > 2: 111000
    A[p] = 2;
  }
  __syncthreads();
}
)");
}

TEST(EmittedBarriers, AnEmptyBodyHasNone) {
  EXPECT_EQ(barriers(kEmittedWarps +
                     "- inthreads: {when: p < 3, do: []}\n- inthreads: {when: p < 4, do: []}\n"),
            (Barriers{0, 0, 0}));
}

TEST(EmittedBarriers, OneBehindAnotherIsTheSame) {
  const std::string region = "- inthreads: {when: p < 3, do: [\"A[p] = 1\"]}\n";
  EXPECT_EQ(barriers(kEmittedWarps + region + "- sync: shared\n"), (Barriers{1, 0, 0}));
  EXPECT_EQ(barriers(kEmittedWarps + "- sync: shared\n- sync: warp\n- sync: region\n"),
            (Barriers{1, 0, 0}));
  EXPECT_EQ(barriers(kEmittedWarps + region + "- B[p] = 1\n- sync: shared\n"), (Barriers{2, 0, 0}));
}

TEST(EmittedBarriers, OneOfARegionBehindAnotherIsTheSame) {
  const auto region = [](const char* when) {
    return kEmittedFourWarps + "- inthreads: {when: " + when +
           ", async: true, do: [{inthreads: {when: p < 5, do: [\"A[p] = 1\"]}}, sync: region, "
           "sync: region, \"B[p] = 1\"]}\n";
  };
  EXPECT_EQ(barriers(region("p < 32")), (Barriers{0, 1, 0}));
  EXPECT_EQ(barriers(region("p < 20")), (Barriers{0, 1, 0}));
  EXPECT_EQ(barriers(region("p < 64")), (Barriers{0, 0, 1}));
  EXPECT_EQ(barriers(kEmittedFourWarps + "- sync: warp\n- sync: warp\n- A[p] = 1\n- sync: warp\n"),
            (Barriers{0, 2, 0}));
}

TEST(EmittedBarriers, TheInnerOfTwoRegionsAsksForThoseOfTheOuter) {
  const auto nested = [&](const std::string& outer) {
    return barriers(kEmittedFourWarps + "- inthreads: {when: " + outer +
                    ", do: [{inthreads: {when: p < 5, do: [\"A[p] = 1\"]}}, \"B[p] = 1\"]}\n");
  };
  EXPECT_EQ(nested("p < 1"), (Barriers{1, 0, 0})) << "one thread waits for nobody";
  EXPECT_EQ(nested("p < 32"), (Barriers{1, 1, 0}));
  EXPECT_EQ(nested("p < 20"), (Barriers{1, 1, 0}));
  EXPECT_EQ(nested("p < 64"), (Barriers{1, 0, 1}));
}

TEST(EmittedBarriers, ARegionInOneWarpWaitsByItsLanes) {
  const std::string text =
      kernel(kEmittedWarps +
             "- inthreads: {when: \"p > 33 && p < 36\", do: [\"A[p] = 1\", sync: region]}\n");
  EXPECT_EQ(count_of("__syncwarp(0x0000000cu);", text), 1) << text;
}

TEST(EmittedBarriers, RegionsOfSeveralWarpsHaveNumbersOfTheirOwn) {
  const std::string text = kernel(
      kEmittedFourWarps +
      R"(- inthreads: {when: p < 64, async: true, do: ["A[p] = 1", sync: region, "B[p] = A[63 - p]"]}
- inthreads: {when: p >= 64, async: true, do: ["A[p] = 1", {inthreads: {when: p < 70, do: ["B[p] = 2"]}}, "B[p] = 1"]}
- sync: shared
)");
  EXPECT_EQ(count_of("sync_threads(1, 64);", text), 1) << text;
  EXPECT_EQ(count_of("sync_threads(2, 64);", text), 1) << text;
  EXPECT_EQ(count_of("__syncthreads();", text), 1) << text;
}

TEST(EmittedBarriers, FifteenRegionsMayWaitAtATime) {
  const auto regions = [](int n, const std::string& between) {
    std::string text = "parallel: [{p: 1024}]\nbody:\n";
    for (int k = 0; k < n; ++k) {
      if (k == 15) text += between;
      text += "- inthreads: {when: \"p >= " + std::to_string(64 * k) + " && p < " +
              std::to_string(64 * k + 64) + "\", async: true, do: [sync: region]}\n";
    }
    return text;
  };
  EXPECT_EQ(barriers(regions(15, "")), (Barriers{0, 0, 15}));
  EXPECT_EQ(said(regions(16, "")),
            "a.yaml:18:63: error[E816]: more than 15 sets of threads wait for one another before "
            "all of the block do, outside of loops, and the hardware has barriers for 15; help: "
            "write sync: shared behind the inthreads at 18:3 instead; or close the inthreads at "
            "18:3 in front of it, write sync: shared, and open it again behind");
  EXPECT_EQ(barriers(regions(16, "- sync: shared\n")), (Barriers{1, 0, 16}));
}

TEST(EmittedBarriers, AConditionIsHoistedIfAndOnlyIfItIsInvariant) {
  EXPECT_EQ(kernel(R"(arrays: {A: {shape: [6], dtype: float}}
parallel: [{p: 6}]
body:
- for: {index: i, in: 4, if: p < 3, do: ["A[p] += 1"]}
- foreach: {index: j, in: 4, if: p < j, do: ["A[p] += 2"]}
)"),
            R"(KERNEL(kernel_a)(float* __restrict__ A) {
  const int p = threadIdx.x;
  if (p < 3) {  // p < 3: 000111
    for (int i = 0; i < 4; ++i) {
      A[p] = A[p] + 1.0f;
    }
  }
  for (int j = 0; j < 4; ++j) {
    if (p < j) {  // p < j: other threads in other iterations
      A[p] = A[p] + 2.0f;
    }
  }
}
)");
}

TEST(EmittedBarriers, ReadersOfWhatOneThreadWroteGetTheOneTheyNeed) {
  const auto text = [](const char* level, const char* read) {
    return std::string(
               "arrays: {S: {shape: [4], dtype: int32, memory: shared}, "
               "B: {shape: [4, 32], dtype: int32}}\nparallel: [{") +
           level + ": [p: 4]}]\nbody:\n- S[" + (level[0] == 'b' ? "0" : "p") +
           "] = 1\n- parallel: {levels: [{q: 32}], do: [\"B[p, q] = " + read + "\"]}\n";
  };
  EXPECT_EQ(barriers(text("thread", "1")), (Barriers{0, 0, 0}));
  EXPECT_EQ(barriers(text("thread", "S[p]")), (Barriers{0, 1, 0}));
  EXPECT_EQ(barriers(text("thread", "S[3 - p]")), (Barriers{1, 0, 0}));
  EXPECT_EQ(barriers(text("block", "S[0]")), (Barriers{0, 1, 0})) << "a block of one warp";
}

TEST(EmittedBarriers, ARegionAroundAnInnerLevelIsWaitedForByAllOfThem) {
  const std::string text = kernel(R"(arrays: {B: {shape: [4, 32], dtype: int32}}
parallel: [{thread: [p: 4]}]
body:
- inthreads: {when: p < 2, do: [{parallel: {levels: [{q: 32}], do: ["B[p, q] = 1"]}}]}
)");
  EXPECT_EQ(count_of("\n  __syncthreads();\n}", text), 1) << text;
  EXPECT_EQ(count_of("sync", text), 1) << text;
}

// One thread writes for all inner instances: inside of a region its readers are those of the
// region.
TEST(EmittedBarriers, OneWriterInsideARegionIsWaitedForByTheRegion) {
  const auto program = [](const std::string& levels, const std::string& inner,
                          const std::string& body) {
    return "arrays: {S: {shape: [4], dtype: int32, memory: shared}, B: {shape: [4, 64], dtype: "
           "int32}}\nparallel: " +
           levels + "\nbody:\n- inthreads:\n    when: p < 2\n    do:\n" + body +
           "    - parallel: {levels: [{q: " + inner + "}], do: [\"B[p, q] = S[1 - p]\"]}\n";
  };
  const std::string write = "    - \"S[p] = p\"\n",
                    both = "    - \"S[0] = p\"\n    - \"S[1] = p\"\n";
  // Of two blocks each all of its threads, besides the one at the end of the region.
  EXPECT_EQ(barriers(program("[{block: [p: 4]}]", "64", both)), (Barriers{2, 0, 0}));
  // Of the four instances of a block two, of two warps each.
  EXPECT_EQ(barriers(program("[{block: [b: 1]}, {thread: [p: 4]}]", "64", write)),
            (Barriers{1, 0, 1}));
  // In one warp.
  EXPECT_EQ(barriers(program("[{block: [b: 1]}, {thread: [p: 4]}]", "16", write)),
            (Barriers{1, 1, 0}));
  // What the program says itself is not said again.
  EXPECT_EQ(barriers(program("[{block: [b: 1]}, {thread: [p: 4]}]", "64",
                             write + "    - sync: region\n")),
            (Barriers{1, 0, 1}));
}

// {x: 2, y: 128}: the first is the most significant, and CUDA's x the last.
TEST(EmittedBarriers, TheLastIndexOfALevelIsX) {
  EXPECT_EQ(kernel(R"(arrays: {A: {shape: [256], dtype: int32}}
parallel: [{x: 2, y: 128}]
body:
- inthreads: {when: x == 1, do: ["A[x * 128 + y] = 1"]}
)"),
            R"(KERNEL(kernel_a)(int* __restrict__ A) {
  const int x = threadIdx.y;
  const int y = threadIdx.x;
  if (x == 1) {  // x == 1: 1{128}0{128}
    A[y + 128] = 1;
  }
  __syncthreads();
}
)");
}

// One thread writes what others read, under the condition of a loop: the barriers stand inside,
// where all threads of the block, or of a warp, come or none does.
TEST(EmittedBarriers, InALoopWithACondition) {
  const auto program = [](const std::string& level, const std::string& condition) {
    return "symbols: {n: {min: 0, max: 9}}\narrays: {A: {shape: [4, 64], dtype: int32}, S: {shape: "
           "[4], dtype: int32, memory: shared}}\nparallel: [" +
           level + "]\nbody:\n- for: {index: i, in: 5, if: \"" + condition +
           "\", do: [\"S[w] = i\", {parallel: {levels: [{thread: {l: 32}}], do: [\"A[w, l] += "
           "S[w]\"]}}]}\n";
  };
  for (const char* condition : {"i > 1", "n > 2", "i < n", "i < w", "w == 1"}) {
    // Of the loop's head, and between writing and reading.
    EXPECT_EQ(barriers(program("{warp: {w: 4}}", condition)), (Barriers{0, 2, 0})) << condition;
  }
  // Half a warp each: the same barriers where they come together, and else the lanes of one.
  EXPECT_EQ(barriers(program("{block: [b: 1]}, {thread: [w: 1]}", "i > 1")), (Barriers{0, 2, 0}));
}

// Whole warps of a region: nobody waits for other warps.
TEST(EmittedBarriers, InsideARegionAWarpWaitsForItself) {
  const auto program = [](const std::string& when, const std::string& level) {
    return "arrays: {A: {shape: [4, 32], dtype: int32}, S: {shape: [4], dtype: int32, memory: "
           "shared}}\nparallel: [" +
           level + "]\nbody:\n- inthreads: {when: " + when +
           ", async: true, do: [\"S[w] = 3\", {parallel: {levels: [{thread: {y: 16}}], do: "
           "[\"A[w, y] += S[w]\"]}}]}\n";
  };
  const std::string text = kernel(program("x == 0", "{warp: {w: 4}}, {x: 2}"));
  EXPECT_NE(text.find("__syncwarp(0x0000ffffu);"), text.npos) << text;
  EXPECT_EQ(barriers(program("x == 0", "{warp: {w: 4}}, {x: 2}")), (Barriers{0, 1, 0}));
  EXPECT_EQ(barriers(program("w > 0 && x == 1", "{warp: {w: 4}}, {x: 2}")), (Barriers{0, 1, 0}));
  // Regions that overlap may do so too: each warp is by itself.
  EXPECT_EQ(
      barriers(
          R"(arrays: {A: {shape: [4, 32], dtype: int32}, S: {shape: [4], dtype: int32, memory: shared}}
parallel: [{warp: {w: 4}}]
body:
- inthreads: {when: w > 0, async: true, do: ["S[w] = 1", {parallel: {levels: [{thread: {l: 32}}], do: ["A[w, l] += S[w]"]}}]}
- inthreads: {when: w > 1, async: true, do: [{parallel: {levels: [{thread: {l: 32}}], do: ["A[w, l] += S[w]"]}}]}
)"),
      (Barriers{0, 1, 0}));
}

// The mask that stands beside a test is of those who pass it.
TEST(EmittedBarriers, TestsThatAreMergedHaveTheInnerMaskOrNone) {
  const std::string text = kernel(R"(arrays: {A: {shape: [64], dtype: int32}}
parallel: [{t: 64}]
body:
- inthreads: {when: t >= 32, async: true, do: [{for: {index: i, in: 4, if: t < 40, do: ["A[t] += i"]}}]}
)");
  EXPECT_EQ(text.find("t >= 32:"), text.npos) << text;
}

}  // namespace

}  // namespace selvage
