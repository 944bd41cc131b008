// Events of thread programs: accepted where they order what meets, refused with the change that
// mends them, and built.
#include <selvage/codegen/cuda.h>
#include <selvage/driver/run_threads.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/threads/builder.h>
#include <selvage/threads/lower_threads.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.h"
#include "event_programs.h"
#include "turned_rows.h"

namespace selvage {
namespace {

using namespace threads;
using testing::HasSubstr;
using testing::Not;

std::string roles(const std::string& from, const std::string& to) { return Mend{from, to}(kRoles); }
// All that is said, errors alone, and the first line of it.
std::string first_error(const std::string& text) {
  const std::string all = said(text);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string line = all.substr(at, end - at);
    if (line.find("error[") != line.npos) return line;
    at = end + 1;
  }
  return all;
}

TEST(ThreadEvents, OrderRolesThatRunBesideOneAnother) {
  EXPECT_EQ(said(kRoles), "accepted");
  // Any number has a parity, and slots of an event may lie idle.
  EXPECT_EQ(said(roles("phase: (j / 2) % 2", "phase: j / 2")), "accepted");
  EXPECT_EQ(said(roles("phase: (k / 2 + 1) % 2", "phase: k / 2 - 1")), "accepted");
  EXPECT_EQ(said(roles("full: {slots: 2", "full: {slots: 3")), "accepted");
  // A wait for a copy of one's own, and regions that are no roles.
  EXPECT_EQ(said(roles("role: load", "async: true")), "accepted");
}

// Every number of rows and of slots, odd ones and none too.
TEST(ThreadEvents, AreRightForEveryNumberOfRowsAndSlots) {
  for (int rows = 0; rows <= 7; ++rows) {
    for (int slots = 1; slots <= 4; ++slots) {
      std::string text = kRoles;
      const auto write = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
          text.replace(at, from.size(), to);
        }
      };
      const std::string n = std::to_string(slots);
      write(") % 2}", ")}");  // any number has a parity
      write(" % 2", " % " + n);
      write(" / 2", " / " + n);
      write("[2, 64]", "[" + n + ", 64]");
      write("slots: 2", "slots: " + n);
      write("in: 5", "in: " + std::to_string(rows));
      if (rows > 5) write("[5, 64]", "[" + std::to_string(rows) + ", 64]");
      EXPECT_EQ(said(text), "accepted") << text;
    }
  }
}

// Blocks that do the same are one to a proof; else each is followed.
TEST(ThreadEvents, OfManyBlocksAreThoseOfOne) {
  const auto in_blocks = [](int blocks, const std::string& first) {
    std::string text = kRoles;
    const auto write = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
        text.replace(at, from.size(), to);
      }
    };
    const std::string n = std::to_string(blocks);
    write("parallel: [{t: 96}]", "parallel: [{b: " + n + "}, {t: 96}]");
    write("[5, 64]", "[" + n + ", 5, 64]");
    write("x[k, ", "x[b, k, ");
    write("y[j, ", "y[b, j, ");
    write("phase: (k / 2 + 1) % 2", "phase: k / 2 + " + first);
    return text;
  };
  EXPECT_EQ(said(in_blocks(100'000, "1")), "accepted");
  EXPECT_THAT(said(in_blocks(100'000, "0")), HasSubstr("a wait for phase 0 that never ends"));
  EXPECT_EQ(said(in_blocks(3, "1 + 2 * b")), "accepted");
  EXPECT_THAT(
      said(in_blocks(3, "1 + b")),
      HasSubstr("a wait for phase 0 that never ends: 0 of 64 arrivals have come: block (1"));
}

struct Wrong {
  std::string from, to;  // in kRoles
  std::string error;     // the first one
};

TEST(ThreadEvents, AreRefusedWithTheChangeThatMendsThem) {
  const Wrong all[] = {
      // A row is used before it has come.
      {"phase: (j / 2) % 2", "phase: (j / 2 + 1) % 2",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0, where phase 1 may have "
       "ended as well: block (0, 0, 0), thread (0, 0, 0), k = 2; help: write phase: j / 2 % 2 at "
       "28:11"},
      {"        - wait: {event: \"full[j % 2]\", phase: (j / 2) % 2}\n", "",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0, where phase 1 may have "
       "ended as well: block (0, 0, 0), thread (0, 0, 0), k = 2; help: put wait: {event: \"full[j "
       "% 2]\", phase: j / 2 % 2} at the beginning of the for at 24:7"},
      // A slot is filled while others still read it.
      {"        - wait: {event: \"empty[k % 2]\", phase: (k / 2 + 1) % 2}\n", "",
       "a.yaml:18:11: error[E829]: arrive: full[k % 2]: an arrival in phase 1, which nothing keeps "
       "from coming in phase 0: block (0, 0, 0), thread (10, 0, 0), k = 4; help: put wait: {event: "
       "\"empty[k % 2]\", phase: (k / 2 + 1) % 2} at the beginning of the for at 14:7"},
      // All wait for what never comes.
      {"phase: (k / 2 + 1) % 2", "phase: (k / 2) % 2",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0 that never ends: 0 of 64 "
       "arrivals have come: block (0, 0, 0), thread (0, 0, 0), k = 0; help: write phase: (k / 2 + "
       "1) % 2 at 18:11"},
      {"        - arrive: {event: \"empty[j % 2]\"}\n", "",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0 that never ends: 0 of 64 "
       "arrivals have come: block (0, 0, 0), thread (0, 0, 0), k = 2; help: put arrive: {event: "
       "\"empty[j % 2]\"} at the end of the for at 24:7"},
      {"event: \"full[k % 2]\", do", "do",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0 that never ends: 0 of 64 "
       "arrivals have come: block (0, 0, 0), thread (0, 0, 0), k = 2; help: give the copy at 19:11 "
       "event: \"full[k % 2]\""},
      {"wait: {event: \"full[j % 2]\"", "wait: {event: \"full[(j + 1) % 2]\"",
       "a.yaml:19:11: error[E829]: arrive: full[k % 2]: the end of phase 1, while a thread may "
       "still wait for phase 0: block (0, 0, 0), thread (31, 0, 0), k = 2; help: write event: "
       "\"full[j % 2]\" at 28:11"},
      {"event: \"full[k % 2]\", do", "event: \"empty[k % 2]\", do",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0 that never ends: 32 of "
       "64 "
       "arrivals have come: block (0, 0, 0), thread (0, 0, 0), k = 2; help: write event: \"full[k "
       "% "
       "2]\" at 19:11"},
      // Another number of threads than the event counts.
      {"full: {slots: 2, arrivals: 32}", "full: {slots: 2, arrivals: 64}",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0 that never ends: 0 of 64 "
       "arrivals have come: block (0, 0, 0), thread (0, 0, 0), k = 2; help: give the event full "
       "arrivals: 32 at 6:3"},
      {"full: {slots: 2, arrivals: 32}", "full: {slots: 2, arrivals: 16}",
       "a.yaml:19:11: error[E829]: arrive: full[k % 2]: an arrival in phase 1, which nothing keeps "
       "from coming in phase 0: block (0, 0, 0), thread (16, 0, 0), k = 0; help: give the event "
       "full arrivals: 32 at 6:3"},
      {"empty: {slots: 2, arrivals: 64}", "empty: {slots: 2, arrivals: 32}",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0, where phase 1 may have "
       "ended as well: block (0, 0, 0), thread (0, 0, 0), k = 2; help: give the event empty "
       "arrivals: 64 at 7:3"},
      // Only some of those who use a row wait for it.
      {"        - wait: {event: \"full[j % 2]\", phase: (j / 2) % 2}\n",
       "        - for: {index: once, in: 1, if: t < 48, do: [{wait: {event: \"full[j % 2]\", "
       "phase: "
       "j / 2}}]}\n",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0, where phase 1 may have "
       "ended as well: block (0, 0, 0), thread (0, 0, 0), k = 2; help: put wait: {event: \"full[j "
       "% 2]\", phase: j / 2 % 2} at the beginning of the for at 24:7"},
      // Half a warp copies a row; it is no role.
      {"    when: t < 32\n    role: load", "    when: t < 16\n    async: true",
       "a.yaml:18:11: error[E829]: wait: empty[k % 2]: a wait for phase 0 that never ends: 0 of 64 "
       "arrivals have come: block (0, 0, 0), thread (0, 0, 0), k = 2; help: let as many threads "
       "arrive in each phase as the event counts, and each wait for the phase before in front"},
      {"when: t < 32", "when: t < 16",
       "a.yaml:10:3: error[E830]: the role load is of no whole warps: of warp 0 it has a part, "
       "where t < 16 holds; help: let the role begin and end where warps do, every 32 threads; or "
       "write async: true in place of the role"},
      {"wait: {event: \"full[j % 2]\"", "wait: {event: \"full[j % 3]\"",
       "a.yaml:28:11: error[E819]: the slot of full[j % 3] is none of the 2 slots of the event: j "
       "= "
       "2; help: give it slots: 3, or use slots in turn, such as full[k % 2] in iteration k"},
      {"        - wait: {event: \"full[j % 2]\"",
       "        - sync: shared\n        - wait: {event: \"full[j % 2]\"",
       "a.yaml:28:11: error[E814]: sync: shared is a barrier that part of its threads cannot "
       "reach: it stands where t >= 32 holds, 64 threads of a block of 96; help: write sync: "
       "region in its place; or write sync: shared behind the inthreads at 20:3 instead"},
      // Of a number of rows that is not known.
      {"in: 5\n        do:\n        - wait: {event: \"full",
       "in: n\n        do:\n        - wait: {event: \"full",
       "a.yaml:26:13: error[E302]: in: unknown name 'n' in expression 'n'; help: use an index, a "
       "named value or a symbol"},
  };
  for (const Wrong& w : all) EXPECT_EQ(first_error(roles(w.from, w.to)), w.error) << w.from;
}

// What a stale read, and a slot that is overwritten, are called themselves.
TEST(ThreadEvents, NameTheTwoThreadsThatMeetTooEarly) {
  EXPECT_THAT(said(roles("        - wait: {event: \"full[j % 2]\", phase: (j / 2) % 2}\n", "")),
              HasSubstr("a.yaml:28:11: error[E817]: the asynchronous regions t < 32 and t >= 32 "
                        "meet with no sync or event between: S[63] is read where a copy that "
                        "accesses it may not have ended: block (0, 0, 0), thread (31, 0, 0), k = "
                        "0; and block (0, 0, 0), thread (32, 0, 0), j = 0; help: put wait: "));
  EXPECT_THAT(
      said(roles("        - wait: {event: \"empty[k % 2]\", phase: (k / 2 + 1) % 2}\n", "")),
      HasSubstr("a.yaml:18:45: error[E818]: S[0] is written where a copy that accesses it may "
                "not have ended: block (0, 0, 0), thread (0, 0, 0), k = 0; and block (0, 0, 0), "
                "thread (0, 0, 0), k = 2; help: put wait: "));
}

// One thread arrives twice; whether the second time is for the first phase is up to chance.
TEST(ThreadEvents, AreNotToBeArrivedAtTooEarly) {
  EXPECT_EQ(said(R"(arrays:
  y: {shape: [1], dtype: int32}
  S: {shape: [1], dtype: int32, memory: shared}
events: {both: {arrivals: 2}}
parallel: [{t: 64}]
body:
- inthreads:
    when: t == 0
    async: true
    do: [{arrive: {event: both}}, "S[0] = 1", {arrive: {event: both}}]
- inthreads:
    when: t == 32
    async: true
    do: [{arrive: {event: both}}, {wait: {event: both, phase: 0}}, "y[0] = S[0]"]
)"),
            "a.yaml:14:11: error[E829]: arrive: both: an arrival in phase 1, which nothing keeps "
            "from coming in phase 0: block (0, 0, 0), thread (32, 0, 0); help: give the event both "
            "arrivals: 3 at 4:10");
}

TEST(ThreadEvents, OfCopiesTellOfCopiesAlone) {
  const std::string text = R"(arrays:
  x: {shape: [32], dtype: float}
  y: {shape: [32], dtype: float}
  S: {shape: [32], dtype: float, memory: shared}
  T: {shape: [32], dtype: float, memory: shared}
events:
  full: {arrivals: 32}
parallel: [{t: 64}]
body:
- inthreads:
    when: t < 32
    role: load
    do:
    - "T[t] = 3"
    - copy: {event: full, do: ["S[t] = x[t]"]}
- inthreads:
    when: t >= 32
    role: use
    do:
    - wait: {event: full, phase: 0}
    - "y[t - 32] = S[63 - t] + T[t - 32]"
)";
  EXPECT_EQ(said(text),
            "a.yaml:21:7: error[E817]: the asynchronous regions t < 32 and t >= 32 meet with no "
            "sync or event between: T[0] is read by one thread and accessed by another with no "
            "barrier between: block (0, 0, 0), thread (0, 0, 0); and block (0, 0, 0), thread (32, "
            "0, 0); help: put arrive: {event: full} behind the copy at 15:7, which tells of what "
            "the thread has stored, and give the event full arrivals: 64");
  EXPECT_EQ(said(Mend{"- inthreads:\n    when: t >=",
                      "    - arrive: {event: full}\n- inthreads:\n"
                      "    when: t >="}(Mend{"arrivals: 32", "arrivals: 64"}(text))),
            "accepted");
}

TEST(ThreadEvents, AreWarnedOfWhereNobodyWaits) {
  EXPECT_EQ(said(roles("events:\n", "events:\n  more: {arrivals: 3}\n")),
            "a.yaml:6:3: warning[E828]: nobody uses the event more; help: remove it, or arrive at "
            "it and wait for it");
  EXPECT_EQ(said(roles("- inthreads:\n    when: t >= 32\n    role: use",
                       "- arrive: {event: more}\n- inthreads:\n    when: t >= 32\n    role: use")
                     .insert(kRoles.find("  full:"), "  more: {arrivals: 96}\n")),
            "a.yaml:6:3: warning[E828]: nobody waits for the event more, so its arrivals order "
            "nothing; help: put a wait: {event: more, phase: ...} where something must have been "
            "done");
}

TEST(ThreadEvents, AreRefusedInFilesWithTheirPlace) {
  const auto refused = [](const std::string& from, const std::string& to) {
    return first_error(roles(from, to));
  };
  EXPECT_EQ(refused("wait: {event: \"full", "wait: {event: \"ful"),
            "a.yaml:28:25: error[E205]: there is no event 'ful'; help: did you mean 'full'?");
  EXPECT_EQ(refused("wait: {event: \"full[j % 2]\"", "wait: {event: full"),
            "a.yaml:28:25: error[E503]: the event full has 2 slots, and none of them is named; "
            "help: say which one, such as full[k % 2]");
  EXPECT_EQ(refused("wait: {event: \"full[j % 2]\"", "wait: {event: \"full[j % 2\""),
            "a.yaml:28:36: error[E301]: event: 'full[j % 2' does not end with ]; help: write it as "
            "full[k % 2]");
  EXPECT_EQ(
      refused("wait: {event: \"full[j % 2]\"", "wait: {event: \"full[i % 2]\""),
      "a.yaml:28:32: error[E302]: the slot: unknown name 'i' in expression 'i % 2'; help: use "
      "an index, a named value or a symbol");
  EXPECT_EQ(refused(", phase: (j / 2) % 2", ""),
            "a.yaml:28:17: error[E110]: wait: the key 'phase' is missing; help: add 'phase: ...'");
  EXPECT_EQ(refused("phase: (j / 2) % 2", "phase: j < 2"),
            "a.yaml:28:47: error[E303]: phase: 'j < 2' is a condition, no number; help: write a "
            "number, such as p - 1");
  EXPECT_EQ(refused("phase: (j / 2) % 2", "phase: 4 / j"),
            "a.yaml:28:11: error[E342]: phase: the number '4 / j' divides by 'j', which may be 0; "
            "help: divide by what is never 0, such as max(j, 1)");
  EXPECT_EQ(refused("arrivals: 32", "arrivals: -1"),
            "a.yaml:6:30: error[E305]: arrivals is -1; help: it is at least 1");
  EXPECT_EQ(refused("slots: 2, arrivals: 32", "slots: 0, arrivals: 32"),
            "a.yaml:6:17: error[E305]: slots is 0; help: it is at least 1");
  EXPECT_EQ(refused("{slots: 2, arrivals: 32}", "{slots: 2}"),
            "a.yaml:6:9: error[E110]: events: full: the key 'arrivals' is missing; help: add "
            "'arrivals: ...'");
  EXPECT_EQ(refused("  full: {", "  x: {"),
            "a.yaml:6:3: error[E204]: the name x is taken; help: give the event another name");
  EXPECT_EQ(refused("index: j", "index: full"),
            "a.yaml:25:16: error[E204]: the name full is taken here; help: give it another name: "
            "nothing hides what is around it");
  EXPECT_EQ(refused("role: load", "role: 3 d"),
            "a.yaml:12:11: error[E201]: role: '3 d' is not a name; help: names consist of letters, "
            "digits and '_' and do not begin with a digit");
  // Levels that are wrong are told first.
  EXPECT_THAT(refused("[{t: 96}]", "[{t: 1096}]"), HasSubstr("error[E820]: "));
  EXPECT_EQ(
      refused("S[j % 2, 95 - t]", "full[j % 2]"),
      "a.yaml:29:27: error[E205]: full is an event, and no array; help: arrive at it, arrive: "
      "{event: ...}, or wait for it");
  EXPECT_EQ(refused("role: load", "role: load\n    async: false"),
            "a.yaml:13:12: error[E109]: inthreads: a role is asynchronous, and async is false; "
            "help: leave async out");
  EXPECT_EQ(refused("arrive: {event: \"empty[j % 2]\"}", "arrive: \"empty[j % 2]\""),
            "a.yaml:30:19: error[E107]: arrive: expected a map, found 'empty[j % 2]'; help: write "
            "{key: value}, or one 'key: value' a line");
  EXPECT_EQ(refused("arrive: {event", "arrive: {events"),
            "a.yaml:30:20: error[E106]: arrive: unknown key 'events'; help: did you mean 'event'?");
}

// Beside an inner level one thread of each instance arrives and waits.
TEST(ThreadEvents, BesideAnInnerLevelAreThoseOfOneThread) {
  EXPECT_EQ(said(R"(arrays:
  y: {shape: [2, 32], dtype: int32}
  S: {shape: [2], dtype: int32, memory: shared}
events: {done: {arrivals: 2}}
parallel: [{warp: [w: 2]}]
body:
- "S[w] = w"
- arrive: {event: done}
- wait: {event: done, phase: 0}
- parallel: {levels: [{thread: [lane: 32]}], do: ["y[w, lane] = S[1 - w]"]}
)"),
            "accepted");
}

// Warpgroups of roles share registers as the rings of schedules do.
TEST(ThreadEvents, OfRolesWithRegistersAreThoseOfWarpgroups) {
  const auto ring = [](const std::string& load, const std::string& use) {
    return "arrays:\n  x: {shape: [3, 128]}\n  y: {shape: [3, 128]}\n"
           "  S: {shape: [128], memory: shared}\n"
           "events: {full: {arrivals: 128}, empty: {arrivals: 128}}\nparallel: [{t: 256}]\nbody:\n"
           "- inthreads:\n    when: t < 128\n    role: load\n    registers: " +
           load +
           "\n    do: [{for: {index: k, in: 3, do: [{wait: {event: empty, phase: k + 1}}, "
           "{copy: {event: full, do: [\"S[t] = x[k, t]\"]}}]}}]\n"
           "- inthreads:\n    when: t >= 128\n    role: use\n    registers: " +
           use +
           "\n    do: [{for: {index: j, in: 3, do: [{wait: {event: full, phase: j}}, "
           "\"y[j, t - 128] = S[255 - t]\", {arrive: {event: empty}}]}}]\n";
  };
  const std::string right = ring("24", "232");
  EXPECT_EQ(said(right), "accepted");
  EXPECT_THAT(
      report_on(right).threads->cuda->text,
      testing::AllOf(HasSubstr("KERNEL(__launch_bounds__(256, 1) kernel_a)"),
                     HasSubstr("fewer_registers(24);"), HasSubstr("fewer_registers(232);")));
  EXPECT_THAT(
      first_error(ring("20", "232")),
      HasSubstr("error[E830]: the role load: a thread would have 20 registers, which is not "
                "24 to 256 in steps of 8; help: let roles with registers be whole "
                "warpgroups, 128 threads each, and have no more of them together than all "
                "begin with"));
  EXPECT_THAT(first_error(Mend{"when: t < 128", "when: t < 96"}(right)),
              HasSubstr("error[E830]: the role load: threads 0 to 95 take or give registers, and "
                        "are no warpgroups; help: "));
  EXPECT_EQ(first_error(Mend{"    role: load\n", ""}(right)),
            "a.yaml:10:16: error[E110]: inthreads: registers stands without a role; help: name the "
            "role, such as role: load, or leave registers out");
}

TEST(ThreadEvents, AreBuiltInCpp) {
  ThreadBuilder b("ring");
  const ArrayRef x = b.array("x", {5, 32}, DataType::Int32),
                 y = b.array("y", {5, 32}, DataType::Int32),
                 s = b.array("s", {2, 32}, DataType::Int32, Memory::Shared);
  const EventRef full = b.event("full", 32, 2), empty = b.event("empty", 32, 2);
  const ThreadIndex t = b.index("t", 64), k = b.index("k", 5), j = b.index("j", 5);
  b.parallel({t}, [&] {
    b.role("load", Expr(t) < 32, [&] {
      b.loop(k, [&] {
        b.wait(empty(Expr(k) % 2), Expr(k) / 2 - 1);
        b.copy_later(full(Expr(k) % 2), [&] { s(Expr(k) % 2, t) = x(k, t); });
      });
    });
    b.role("use", Expr(t) >= 32, [&] {
      b.loop(j, [&] {
        b.wait(full(Expr(j) % 2), Expr(j) / 2);
        y(j, Expr(t) - 32) = s(Expr(j) % 2, 63 - Expr(t));
        b.arrive(empty(Expr(j) % 2));
      });
    });
    EXPECT_THROW(b.arrive(full()), BadInput);
    EXPECT_THROW(b.wait(full(Expr(k) % 2), Expr(k)), BadInput);
  });
  EXPECT_THROW(b.event("none", 0), BadInput);
  EXPECT_THROW(b.event("x", 1), BadInput);
  ThreadBuilder other("other");
  EXPECT_THROW(other.arrive(full(Expr(k) % 2)), BadInput);
  expect_turned_rows(b.take(), 5);
}

TEST(ThreadEvents, ComeToTheInstructionsOfEachArchitecture) {
  const Report report = report_on(kRoles);
  const CudaText& text = *report.threads->cuda;
  EXPECT_THAT(text.text, HasSubstr("wait_for_phase(&empty[t0], ((k >> 1) + 1) & 1);"));
  EXPECT_THAT(text.text, HasSubstr("arrive_with_copies(&full[t0]);"));
  EXPECT_THAT(text.text, HasSubstr("    init_object(&full[0], 32);\n"));
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "NVRTC: " << Nvrtc::why_absent();
  const KernelSource source{text.text, text.name, text.parameter_types};
  for (const char* arch : {"sm_80", "sm_90a"}) {
    EXPECT_NO_THROW(nvrtc->compile(std::span(&source, 1), {.arch = arch})) << arch;
  }
}

}  // namespace
}  // namespace selvage
