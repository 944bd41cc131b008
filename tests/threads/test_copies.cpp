// Copies in thread programs that end later: accepted, refused with a help that mends, and built.
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run_threads.h>
#include <selvage/threads/builder.h>
#include <selvage/threads/lower_threads.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.h"
#include "turned_rows.h"

namespace selvage {
namespace {

using namespace threads;
using testing::HasSubstr;

const std::string kRing = R"(arrays:
  x: {shape: [8, 64], dtype: float}
  y: {shape: [8, 64], dtype: float}
  S: {shape: [3, 64], dtype: float, memory: shared}
parallel: [{t: 64}]
body:
- for:
    index: k
    in: 10
    do:
    - await: 1
    - sync: shared
    - copy: {if: k < 8, do: ["S[k % 3, t] = x[k, t]"]}
    - for: {index: once, in: 1, if: k >= 2, do: ["y[k - 2, t] = S[(k - 2) % 3, 63 - t]"]}
)";

std::string with(const Mend& change) { return change(kRing); }

TEST(ThreadCopies, AreAcceptedWhereTheyHaveEndedWhenTheyAreUsed) {
  EXPECT_EQ(said(kRing), "accepted");
  // Further ahead than needed, and each awaited at once.
  EXPECT_EQ(said(with({"await: 1", "await: 0"})), "accepted");
  EXPECT_EQ(said(R"(arrays:
  x: {shape: [64], dtype: int32}
  y: {shape: [64], dtype: int32}
  S: {shape: [64], dtype: int32, memory: shared}
parallel: [{t: 64}]
body:
- copy: {do: ["S[t] = x[t]"]}
- await: 0
- sync: shared
- "y[t] = S[63 - t]"
)"),
            "accepted");
}

TEST(ThreadCopies, AreRefusedWithTheAwaitThatMendsThem) {
  expect_mended(with({"await: 1", "await: 2"}),
                "a.yaml:14:50: error[E818]: S[63] is read where a copy that accesses it may not "
                "have ended: block (0, 0, 0), thread (63, 0, 0), k = 0; and block (0, 0, 0), "
                "thread (0, 0, 0), k = 2; help: write await: 1 at 11:7",
                {"await: 2", "await: 1"});
  expect_mended(R"(arrays:
  x: {shape: [64], dtype: int32}
  y: {shape: [64], dtype: int32}
  S: {shape: [64], dtype: int32, memory: shared}
parallel: [{t: 64}]
body:
- copy: {do: ["S[t] = x[t]"]}
- "y[t] = S[63 - t]"
)",
                "a.yaml:8:3: error[E818]: S[32] is read by one thread and accessed by another with "
                "no barrier between: block (0, 0, 0), thread (32, 0, 0); and block (0, 0, 0), "
                "thread (31, 0, 0); help: put await: 0 and sync: shared in front of 8:3",
                {"- \"y", "- await: 0\n- sync: shared\n- \"y"});
  // What the thread itself has copied needs no sync.
  expect_mended(R"(arrays:
  x: {shape: [64], dtype: int32}
  y: {shape: [64], dtype: int32}
  S: {shape: [64], dtype: int32, memory: shared}
parallel: [{t: 64}]
body:
- copy: {do: ["S[t] = x[t]"]}
- "y[t] = S[t]"
)",
                "a.yaml:8:3: error[E818]: S[0] is read where a copy that accesses it may not have "
                "ended: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (0, 0, 0); "
                "help: put await: 0 in front of 8:3",
                {"- \"y", "- await: 0\n- \"y"});
  // Two slots for three tiles: a copy overwrites what others read.
  EXPECT_THAT(said(Mend{"[3, 64]", "[2, 64]"}(
                  Mend{"(k - 2) % 3", "(k - 2) % 2"}(Mend{"S[k % 3", "S[k % 2"}(kRing)))),
              HasSubstr("error[E818]: S[32] is read by one thread and accessed by another"));
}

// A thread that leaves the loop, or goes on with the next iteration, between a copy and its await.
TEST(ThreadCopies, HaveNotEndedWhereAnAwaitIsSkipped) {
  const std::string head = R"(arrays:
  x: {shape: [8, 64], dtype: float}
  y: {shape: [8, 64], dtype: float}
  S: {shape: [8, 64], dtype: float, memory: shared}
parallel: [{t: 64}]
body:
- for:
    index: k
    in: 8
    label: outer
    do:
    - copy: {do: ["S[k, t] = x[k, t]"]}
    - for: {index: once, in: 1, if: k >= 4, do: [)",
                    tail = R"(: outer}]}
    - await: 0
- sync: shared
- for: {index: j, in: 4, do: ["y[j, t] = S[j, 63 - t]"]}
)";
  EXPECT_THAT(said(Mend{"j, in: 4", "j, in: 8"}(head + "{continue" + tail)),
              HasSubstr("error[E818]: S[319] is read where a copy that accesses it may not have"));
  EXPECT_THAT(said(Mend{"j, in: 4", "j, in: 5"}(head + "{break" + tail)),
              HasSubstr("error[E818]: S[319] is read where a copy that accesses it may not have"));
}

// What a thread knows where it reads says nothing of the thread that was to copy.
TEST(ThreadCopies, AreMissedWhereAnotherThreadDidNotCopy) {
  const auto ring = [](const std::string& copies, const std::string& reads,
                       const std::string& item) {
    return said(
        "arrays:\n  x: {shape: [8, 64], dtype: float}\n  y: {shape: [8, 64], dtype: float}\n"
        "  S: {shape: [2, 64], dtype: float, memory: shared}\nparallel: [{t: 64}]\nbody:\n"
        "- for:\n    index: k\n    in: 9\n    do:\n    - await: 0\n    - sync: shared\n"
        "    - copy: {if: \"k < 8 && " +
        copies + "\", do: [\"S[k % 2, t] = x[k, t]\"]}\n" +
        "    - for: {index: once, in: 1, if: \"k >= 1 && " + reads +
        "\", do: [\"y[k - 1, t] = S[(k - 1) % 2, " + item + "] + 1\"]}\n");
  };
  EXPECT_THAT(ring("t >= 8 * k", "t >= 8 * (k - 1)", "63 - t"), HasSubstr("error[E824]: S[71]"));
  EXPECT_THAT(ring("t >= k", "t >= k - 1", "t - k + 1"), HasSubstr("error[E824]: S[64]"));
  // Nor of one that was to store.
  EXPECT_THAT(said(R"(arrays:
  x: {shape: [64], dtype: float}
  y: {shape: [64], dtype: float}
  S: {shape: [192], dtype: float, memory: shared}
parallel: [{t: 64}]
body:
- "S[3 * t % 128] = x[t]"
- sync: shared
- inthreads: {when: t < 32, do: ["y[t] = S[3 * t + 96]"]}
)"),
              HasSubstr("error[E824]: S[129] is read before anything is written there"));
}

TEST(ThreadCopies, TakeElementsOfGlobalMemoryAsTheyAre) {
  const auto refused = [](const std::string& from, const std::string& to) {
    return said(with({from, to}));
  };
  EXPECT_EQ(refused("x[k, t]\"]", "x[k, t] * 2\"]"),
            "a.yaml:13:30: error[E827]: a copy that ends later takes an element as it is: S[i] = "
            "A[j]; help: write what is computed as a statement outside of copy");
  EXPECT_EQ(refused("S[k % 3, t] = x[k, t]", "y[k, t] = x[k, t]"),
            "a.yaml:13:30: error[E827]: a copy that ends later goes from global to shared memory, "
            "and x is global, y global; help: write it as a statement outside of copy");
  EXPECT_EQ(refused("x: {shape: [8, 64], dtype: float}", "x: {shape: [8, 64], dtype: half}"),
            "a.yaml:13:30: error[E827]: a copy that ends later takes 4 or 8 bytes as they are, and "
            "x is of half, S of float; help: write it as a statement outside of copy");
  EXPECT_THAT(refused("await: 1", "await: -1"), HasSubstr("error[E305]: await is -1"));
  EXPECT_THAT(refused("{if: k < 8, do:", "{when: k < 8, do:"), HasSubstr("error[E106]"));
  EXPECT_THAT(refused("x[k, t]\"]", "x[k + 1, t]\"]"), HasSubstr("error[E8"));
}

TEST(ThreadCopies, AreBuiltInCpp) {
  ThreadBuilder b("ring");
  const ArrayRef x = b.array("x", {4, 32}, DataType::Int32),
                 y = b.array("y", {4, 32}, DataType::Int32),
                 s = b.array("s", {2, 32}, DataType::Int32, Memory::Shared);
  const ThreadIndex t = b.index("t", 32), k = b.index("k", 5), once = b.index("once", 1);
  b.parallel({t}, [&] {
    b.loop(k, [&] {
      b.await_copies();
      b.sync_shared();
      b.copy_later(Expr(k) < 4, [&] { s(Expr(k) % 2, t) = x(k, t); });
      b.loop(once, 1 <= Expr(k), [&] { y(Expr(k) - 1, t) = s((Expr(k) - 1) % 2, 31 - Expr(t)); });
    });
  });
  expect_turned_rows(b.take(), 4);
}

}  // namespace
}  // namespace selvage
