// Faults planted in thread programs: --check names the element, block, thread and line before
// anything runs, and the debugger shows the cause within five commands.
#include "tests/debugger/dialogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace selvage::test {

namespace {

using testing::HasSubstr;

// Sums of three neighbours from a tile that has room for its halo, and is filled without it.
constexpr const char* kMissingHalo = R"(
arrays:
  x: {shape: [34], dtype: int32}
  y: {shape: [32], dtype: int32}
  tile: {shape: [10], dtype: int32, memory: shared}
parallel: [{b: 4}, {t: 8}]
body:
  - do: ["tile[t] = x[b * 8 + t]"]
  - sync: shared
  - do: ["y[b * 8 + t] = tile[t] + tile[t + 1] + tile[t + 2]"]
)";

// A workspace of five items of which four are stored.
constexpr const char* kUnsetWorkspace = R"(
arrays:
  x: {shape: [8, 5], dtype: int32}
  y: {shape: [8], dtype: int32}
  best: {shape: [5], dtype: int32, memory: local}
parallel: [{t: 8}]
body:
  - for: {index: k, in: 4, do: ["best[k] = x[t, k] * x[t, k]"]}
  - for: {index: j, in: 5, do: ["y[t] += best[j]"]}
)";

// Two threads leave a loop in which the others wait for them.
constexpr const char* kDivergentExit = R"y(
arrays:
  x: {shape: [8], dtype: int32}
  y: {shape: [8], dtype: int32}
  s: {shape: [8], dtype: int32, memory: shared}
parallel: [{t: 8}]
body:
  - for:
      index: k
      in: 4
      do:
        - inthreads: {when: "t >= 6", async: true, do: [{break: k}]}
        - do: ["s[t] = x[t] + int32(k)"]
        - sync: shared
        - do: ["y[t] += s[7 - t]"]
        - sync: shared
)y";

// --check refuses the program with this diagnostic, and the debugger answers these commands so.
void expect_found(const std::string& file, const std::string& diagnostic,
                  const std::string& commands, const std::string& answers) {
  int status = 0;
  EXPECT_THAT(dialogue(file, {"--check"}, "", &status), HasSubstr(diagnostic));
  EXPECT_EQ(status, 1);
  EXPECT_THAT(dialogue(file, {"--debug"}, commands), HasSubstr(answers));
}

TEST(DebuggedFaults, AMissingHalo) {
  expect_found(kMissingHalo,
               "a.yaml:10:10: error[E824]: tile[8] is read before anything is written there: "
               "block (0, 0, 0), thread (6, 0, 0); help: ",
               "run\nshow shared\nshow threads\n",
               R"((selvage) run
fault: tile[8] is read before anything is stored there
block (0, 0, 0), thread (6, 0, 0), b = 0, t = 6, a.yaml:10
>   5  y[b * 8 + t] = tile[t] + tile[t + 1] + tile[t + 2]
(selvage) show shared
tile, 10 elements of int32 in shared memory
  tile[0]: 0 0 0 0 0 0 0 0
  tile[8]: ? ?
  ?: nothing was stored there yet
(selvage) show threads
  threads 0 to 5: at the end
  thread 6: at line 5
  thread 7: ready to go on
)");
}

TEST(DebuggedFaults, AnUnsetWorkspace) {
  expect_found(kUnsetWorkspace,
               "a.yaml:9:33: error[E824]: best[4] is read before anything is written there: "
               "block (0, 0, 0), thread (0, 0, 0), j = 4; help: ",
               "run\nshow local\nlist\n",
               R"((selvage) run
fault: best[4] is read before anything is stored there
block (0, 0, 0), thread (0, 0, 0), t = 0, j = 4, a.yaml:9
>   5  y[t] = y[t] + best[j]
(selvage) show local
best, 5 elements of int32 in local memory
  best[0]: 0 0 0 0 ?
  ?: nothing was stored there yet
(selvage) list
    1  parallel t in 8 (TIDx)
    2    for k in 4
    3      best[k] = x[t * 5 + k] * x[t * 5 + k]
    4    for j in 5
>   5      y[t] = y[t] + best[j]
)");
}

TEST(DebuggedFaults, ADivergentExit) {
  expect_found(kDivergentExit,
               "a.yaml:14:11: error[E814]: sync: shared is a barrier that part of its threads "
               "cannot reach: block (0, 0, 0), thread (0, 0, 0), k = 0 comes there, and block "
               "(0, 0, 0), thread (6, 0, 0), k = 0 does not; help: ",
               "run\nshow threads\nwhy not 6\nwhy not 5\n",
               R"((selvage) run
fault: thread (0, 0, 0) waits at a barrier that thread (6, 0, 0) does not reach
block (0, 0, 0), thread (0, 0, 0), t = 0, k = 0, a.yaml:14
>   6  barrier
(selvage) show threads
  threads 0 to 5: waiting at line 6, barrier
  threads 6 to 7: at the end
(selvage) why not 6
  thread (6, 0, 0) does not come to line 6: it leaves loop k at line 4, as 6 <= t is true: t is 6
(selvage) why not 5
  no mask keeps thread (5, 0, 0) from line 6
)");
}

}  // namespace

}  // namespace selvage::test
