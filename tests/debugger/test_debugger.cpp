// Dialogues with the debugger, and the faults that they find.
#include "tests/debugger/dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/random.h>

namespace selvage::test {

namespace {

using testing::HasSubstr;

constexpr const char* kTwoReads = R"(
sizes: {H: 5, W: 7}
inputs: {x: {shape: [H, W], dtype: float}}
compute:
  - y[i, j] = x[mirror(i - 1), j] + x[i, clamped(j + 1)]
schedule:
  y: [{split: {in: j, factor: 4, out: [jo, ji]}}, {bind: {i: BIDx, ji: TIDx}}]
)";

// Threads read in shared memory what others store, with no barrier between.
constexpr const char* kNoBarrier = R"(
arrays: {A: {shape: [8], dtype: int32}, S: {shape: [8], dtype: int32, memory: shared}}
parallel: [{b: 1}, {t: 8}]
body:
  - do: ["S[t] = t * t"]
  - inthreads: {when: t < 6, async: true, do: ["A[t] = S[t + 2]"]}
)";

TEST(Debugger, StopsWhereAnItemIsStoredAndSaysWhoMakesIt) {
  EXPECT_EQ(dialogue(kTwoReads, {"--debug"},
                     "list all\nbreak store y[2, 5]\nrun\nwhere y[2, 5]\nstep\nquit\n"),
            R"(kernel_y: 5 blocks of 4 threads
It stands before its first statement; help lists the commands.
(selvage) list all
    1  parallel i in 5 (BIDx)
    2    parallel ji in 4 (TIDx)
    3      if (ji < 3)
    4        for jo in 2
    5          y[i * 7 + jo * 4 + ji] = x[max(i - 1, 0 - i) * 7 + jo * 4 + ji] + x[i * 7 + min(jo * 4 + ji + 1, 6)]
    6      else
    7        for jo in 2
    8          if (jo * 4 + ji < 7)
    9            y[i * 7 + jo * 4 + ji] = x[max(i - 1, 0 - i) * 7 + jo * 4 + ji] + x[i * 7 + min(jo * 4 + ji + 1, 6)]
(selvage) break store y[2, 5]
breakpoint 1: store y[2, 5]
(selvage) run
breakpoint 1: y[2, 5] is stored: -0.1572802
block (2, 0, 0), thread (1, 0, 0), i = 2, ji = 1, jo = 1, a.yaml:5
>   5  y[i * 7 + jo * 4 + ji] = x[max(i - 1, 0 - i) * 7 + jo * 4 + ji] + x[i * 7 + min(jo * 4 + ji + 1, 6)]
(selvage) where y[2, 5]
y[2, 5] is computed by kernel_y
  at i = 2 (BIDx), jo = 1, ji = 1 (TIDx)
  passes the check jo * 4 + ji < 7
  lies at element 19 of y
  reads x[1, 5]
  reads x[2, 6]
(selvage) step
block (2, 0, 0), thread (2, 0, 0)
>   1  parallel i in 5 (BIDx)
(selvage) quit
)");
}

TEST(Debugger, ConditionsNameVariablesAndAMaskIsNamedThatKeepsAThreadOut) {
  EXPECT_THAT(dialogue(kTwoReads, {"--debug"},
                       "break load x if i == 4 && ji == 1\nrun\nprint x[4, 1]\nprint y[4, 6]\n"
                       "print i * 4 + ji\nwhy not 3\nwhy not 2\nwhy not 2 9\n"),
              HasSubstr(R"((selvage) run
breakpoint 1: x[3, 1] is loaded: -0.13888597
block (4, 0, 0), thread (1, 0, 0), i = 4, ji = 1, jo = 0, a.yaml:5
>   5  y[i * 7 + jo * 4 + ji] = x[max(i - 1, 0 - i) * 7 + jo * 4 + ji] + x[i * 7 + min(jo * 4 + ji + 1, 6)]
(selvage) print x[4, 1]
  x[4, 1] = -0.95498013
(selvage) print y[4, 6]
  y[4, 6]: nothing was stored there yet
(selvage) print i * 4 + ji
  i * 4 + ji = 17
(selvage) why not 3
  thread (3, 0, 0) does not come to line 5: at line 3, ji < 3 is false: ji is 3
(selvage) why not 2
  no mask keeps thread (2, 0, 0) from line 5
(selvage) why not 2 9
  thread (2, 0, 0) does not come to line 9: at line 3, ji < 3 is true: ji is 2
)"));
}

// The verifier refuses the program; the debugger runs it all the same.
TEST(Debugger, FindsTheThreadsOfARaceInTwoCommands) {
  int status = 1;
  EXPECT_EQ(
      dialogue(kNoBarrier, {"--debug"}, "order backwards\nshow threads\nshow shared\n", &status),
      R"(kernel_a: 1 block of 8 threads
It stands before its first statement; help lists the commands.
(selvage) order backwards
kernel_a: 1 block of 8 threads
fault: S[7] is read after thread (7, 0, 0) has written it, with no barrier between
block (0, 0, 0), thread (5, 0, 0), b = 0, t = 5, a.yaml:6
>   5  A[t] = S[t + 2]
(selvage) show threads
  threads 0 to 4: ready to go on
  thread 5: at line 5
  threads 6 to 7: at the end
(selvage) show shared
S, 8 elements of int32 in shared memory
  S[0]:  ?  ?  ?  ?  ? 25 36 49
  ?: nothing was stored there yet
(selvage) 
)");
  EXPECT_EQ(status, 0);
}

TEST(Debugger, FindsAReadOfWhatNobodyHasStored) {
  EXPECT_THAT(dialogue(kNoBarrier, {"--debug"}, "run\nshow lanes\n"),
              HasSubstr("fault: S[2] is read before anything is stored there\n"
                        "block (0, 0, 0), thread (0, 0, 0), b = 0, t = 0, a.yaml:6\n"
                        ">   5  A[t] = S[t + 2]\n"
                        "(selvage) show lanes\n"
                        "  warp 0, lane 0 rightmost: rrrrrrr>\n"));
}

TEST(Debugger, MeetsAtBarriersAndSaysWhoWaits) {
  const std::string file = R"y(
arrays: {A: {shape: [2, 64], dtype: int32}, S: {shape: [64], dtype: int32, memory: shared}}
parallel: [{b: 2}, {t: 64}]
body:
  - do: ["S[t] = t"]
  - sync: shared
  - do: ["A[b, t] = S[63 - t] + int32(b)"]
)y";
  EXPECT_THAT(
      dialogue(file, {"--debug"},
               "break line 3 if t == 40\nrun\nshow threads\ndelete\nnext barrier\nstep\nstep 2\n"
               "next block\nshow occupancy\n"),
      HasSubstr(R"((selvage) run
breakpoint 1: line 3 if t == 40
block (0, 0, 0), thread (40, 0, 0), b = 0, t = 40, a.yaml:5
>   3  S[t] = t
(selvage) show threads
  threads 0 to 39: waiting at line 4, barrier
  thread 40: at line 3
  threads 41 to 63: ready to go on
(selvage) delete
(selvage) next barrier
64 threads have met at line 4, barrier
block (0, 0, 0), thread (63, 0, 0), b = 0, t = 63, a.yaml:6
>   4  barrier
(selvage) step
block (0, 0, 0), thread (63, 0, 0), b = 0, t = 63, a.yaml:7
>   5  A[b * 64 + t] = S[63 - t] + int32(b)
(selvage) step 2
block (1, 0, 0), thread (0, 0, 0), b = 1
>   2  parallel t in 64 (TIDx)
(selvage) next block
The run has come to its end; it has written A.

(selvage) show occupancy
error: nothing runs; start stands at the beginning, run goes on from there
)"));
}

TEST(Debugger, SaysHowManyBlocksRunAtOnce) {
  EXPECT_THAT(dialogue(kNoBarrier, {"--debug", "--device", "h200"}, "show occupancy\n"),
              HasSubstr("  h200: 32 blocks at once on a multiprocessor, 12 % of its threads\n"
                        "    256 by 8 threads of 2048\n"
                        "    32 by the most blocks, which decides\n"
                        "    221 by 32 bytes of shared memory of 233472\n"));
}

TEST(Debugger, FindsTheFirstStoreThatDiffers) {
  EXPECT_THAT(dialogue(kTwoReads, {"--debug"}, "difference\n"),
              HasSubstr("No store differs.\nRun by emulation: y, 35 items, bit for bit those of"));
  EXPECT_THAT(dialogue("arrays: {A: {shape: [4], dtype: int32}}\nparallel: [{t: 4}]\n"
                       "body: [{do: [\"A[t] = t\"]}]\n",
                       {"--debug"}, "difference\n"),
              HasSubstr("error: nothing says what is right; write difference NAME FILE.npy"));
}

// A breakpoint may be about a kernel behind the one that runs, and the next one can be waited for.
TEST(Debugger, GoesFromKernelToKernel) {
  const std::string file =
      "inputs: {x: {shape: [4], dtype: float}}\noutputs: {s: {}, y: {}}\n"
      "compute: [\"s = sum(x[i])\", \"y[i, j] = x[i] - s * x[j]\"]\nschedule: none\n";
  EXPECT_THAT(dialogue(file, {"--debug"},
                       "break store y[2, 3]\nbreak y[2, 9]\nbreak q\nnext kernel\nlist all\n"
                       "continue\n"),
              HasSubstr(R"((selvage) break store y[2, 3]
breakpoint 1: store y[2, 3], in another kernel
(selvage) break y[2, 9]
breakpoint 2: y[2, 9], in another kernel
(selvage) break q
error: the kernel has no memory called 'q'; it has x, s and s.value
(selvage) next kernel
kernel_y: 1 block of 1 thread
breakpoint 2: there is no y[2, 9]: axis 1 has 4 items
(selvage) list all
    1  for i in 4
    2    for j in 4
    3      y[i * 4 + j] = x[i] - s[0] * x[j]
(selvage) continue
breakpoint 1: y[2, 3] is stored:)"));
}

TEST(Debugger, StopsAtTheFirstNan) {
  EXPECT_THAT(dialogue("inputs: {x: {shape: [10], dtype: float}}\n"
                       "compute: [\"y[i] = log(x[i])\"]\nschedule: none\n",
                       {"--debug"}, "break store y if nan\nrun\n"),
              HasSubstr("] is stored: nan\nblock (0, 0, 0), thread (0, 0, 0), i = "));
}

TEST(Debugger, SaysWhatIsWrongWithACommand) {
  const std::string text = dialogue(
      kTwoReads, {"--debug"},
      "foo\nbreak\nbreak store q\nbreak y[1]\nbreak y[5, 0]\nbreak line 77\nbreak thread 9\n"
      "break barrier if p == 3\nbreak line 5 if nan\nstep 0\nnext\nshow\nwhy 3\ndelete 7\n"
      "order sideways\nprint k\nwhere y[9]\nshow threads\nrun\nstep\n");
  for (const char* wrong :
       {"there is no command 'foo'; help lists them",
        "break at what? write break store y[0], break line 3, ...",
        "the kernel has no memory called 'q'; it has x and y",
        "'y[1]' is no element of y; write y[0, 0]", "there is no y[5, 0]: axis 0 has 5 items",
        "there is no line 77; list all shows the lines", "there is no thread 9: there are 4",
        "unknown name 'p' in expression 'p == 3'; variables of the loops and sizes may stand in it",
        "if nan is for stores and loads", "'0' is no number of steps; write step 10",
        "write next thread, next block, next barrier or next kernel",
        "show what? write show shared, local, threads, lanes, occupancy or a name",
        "write why not THREAD, or why not THREAD LINE",
        "there is no breakpoint 7; breaks lists them",
        "write order forwards, order backwards, or order and a number as the seed",
        "--where: y[9] has 1 index, and y has rank 2; help: give one index for each axis",
        "no thread has begun; step first",
        "nothing runs; start stands at the beginning, run goes on from there"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\nerror: ") + wrong + "\n"));
  }
}

// Commands put together at random: none ends the session but quit, and none crashes it.
TEST(Debugger, TakesAnyCommands) {
  const std::vector<std::string> words = {
      "start", "run",    "continue", "step",   "step 3",  "next thread", "next block", "break",
      "store", "load",   "line",     "y[1, 2", "y[1, 2]", "x",           "if",         "i == 1",
      "nan",   "delete", "list",     "print",  "show",    "threads",     "lanes",      "shared",
      "where", "why",    "not",      "2",      "-1",      "99999999999", "difference", "order",
      "7",     "x,y",    "1,0,0",    "[",      "]",       "barrier",     "\t",         "help"};
  for (const char* file : {kTwoReads, kNoBarrier}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      SplitMix64 random(seed);
      std::string commands;
      for (int k = 0; k < 30; ++k) {
        for (std::uint64_t n = 1 + random.next() % 4; n > 0; --n) {
          commands += words[random.next() % words.size()] + " ";
        }
        commands += "\n";
      }
      int status = 1;
      const std::string text = dialogue(file, {"--debug"}, commands, &status);
      EXPECT_EQ(status, 0) << seed;
      std::size_t prompts = 0;
      for (std::size_t at = 0; (at = text.find("(selvage) ", at)) != std::string::npos; ++at)
        ++prompts;
      EXPECT_EQ(prompts, 31U) << seed << "\n" << commands;
    }
  }
}

}  // namespace

}  // namespace selvage::test
