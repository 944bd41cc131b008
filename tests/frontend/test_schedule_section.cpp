// `schedule` of a fusion beyond the loops of one tensor: caches, rfactor, like, places, memories.
#include <tests/frontend/schedule_files.h>

#include <selvage/expr/text.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/defaults.h>

#include <gtest/gtest.h>

#include <memory>

namespace selvage {
namespace {

using namespace schedule_files;

// s[m] = sum over n, y = x - s.
const std::string kRows =
    "inputs: {x: {shape: [M, N], dtype: float}}\ncompute:\n  - s[m] = sum(x[m, n])\n"
    "  - t[m, n] = x[m, n] * 2\n  - y[m, n] = t[m, n] - s[m]\nschedule:\n";

// "m {M} BIDx, n {N}; at m of y shared": loops, place, memory.
std::string nest(const Schedule& s, const std::string& tensor) {
  static constexpr const char* kMemories[] = {" global", " shared", " local"};
  const auto t = s.fusion().find(tensor);
  if (!t) return "no tensor " + tensor;
  std::string text;
  for (DomainId d : s.loop_domains(*t)) {
    text +=
        (text.empty() ? "" : ", ") + s.name(*t, d) + " {" + to_string(s.graph()[d].extent) + "}";
    if (s.parallel(*t, d) != ParallelType::Serial) {
      text += " " + std::string(to_string(s.parallel(*t, d)));
    }
  }
  text += s.is_inlined(*t) ? "; inlined" : s.follows(*t) ? "; follows" : ";";
  if (const auto& site = s.site(*t)) {
    const std::string& host = s.fusion()[site->tensor].name;
    text += site->loop ? " at " + s.name(site->tensor, *site->loop) + " of " + host : " in " + host;
  }
  if (const auto memory = s.memory(*t)) text += kMemories[std::size_t(*memory)];
  return text;
}

// A schedule is one of a fusion, which the file has.
struct Scheduled : Schedule {
  explicit Scheduled(ScheduleFile read)
      : Schedule(*read.schedule), file(std::make_shared<ScheduleFile>(std::move(read))) {}
  std::shared_ptr<ScheduleFile> file;
};
Scheduled schedule(const std::string& text, const Sizes& sizes = {}) {
  return Scheduled(read(text, sizes));
}

TEST(ScheduleSection, AnUnlistedReductionFollowsItsReaders) {
  const Scheduled s = schedule(kRows + "  y: [{bind: {m: BIDx, n: TIDx}}]\n");
  EXPECT_EQ(nest(s, "s"), "m {M}, n {N}; follows");
  EXPECT_EQ(nest(s, "t"), "m {M}, n {N}; inlined");
  EXPECT_EQ(nest(with_defaults(s), "s"), "m {M} BIDx, n {N} TIDx; at m of y");
}

TEST(ScheduleSection, ALoopOfNoReaderIsNoPlaceForACache) {
  const std::string file =
      "inputs: {x: {shape: [N], dtype: float}, a: {shape: [N], dtype: float}}\n"
      "outputs: {y: {dtype: float}}\ncompute:\n"
      "  - t[n] = relu(x[n])\n  - y[n] = a[n]\nschedule:\n"
      "  x: [{cache: {as: x_s, memory: shared, at: n}}]\n";
  EXPECT_EQ(refusal(file + "  t: inline\n"),
            "a.yaml:7:45: error[E205]: cache.at: nothing that is computed in loops reads x_s; "
            "help: leave at out, or compute a reader in loops of its own: t: []\n");
  EXPECT_EQ(refusal(file + "  t: []\n"), "accepted");
}

TEST(ScheduleSection, AnInputIsCachedAtALoopOfItsReader) {
  const Schedule s =
      schedule(kRows +
               "  x: [{cache: {as: x_s, memory: shared, at: mo, by: ldst, stages: 1}}]\n"
               "  s: {inline: {into: y, at: mo}}\n"
               "  y: [{split: {in: m, factor: 4, out: [mo, mi]}}, {bind: {mo: BIDx, n: TIDx}}]\n");
  EXPECT_EQ(nest(s, "x_s"), "mo {(M + 3) / 4} BIDx, mi {4}, n {N} TIDx; at mo of y shared");
  EXPECT_EQ(nest(s, "s"), "m {M}, n {N}; at mo of y");
}

TEST(ScheduleSection, ATensorThatAListMakesHasAListOfItsOwn) {
  // The list of x_s comes before the one that makes it; its names are those of x's first reader.
  const Scheduled s = schedule(
      kRows +
      "  x_s: [{merge: {in: [m, n], out: all}}, {bind: {all: TIDx}}, {inline: {into: y}}]\n"
      "  x: [{cache: {as: x_s, memory: shared}}]\n");
  EXPECT_EQ(nest(s, "x_s"), "all {M * N} TIDx; in y shared");
  EXPECT_EQ(nest(s, "y"), "m {M}, n {N};");
}

TEST(ScheduleSection, AnOutputIsComputedInItsCache) {
  const Schedule s =
      schedule(kRows +
               "  y: [{split: {in: n, factor: 4, out: [no, v]}}, {bind: {v: Vectorize}},\n"
               "      {cache: {as: y_l, memory: local, at: no}}]\n");
  EXPECT_EQ(nest(s, "y"), "m {M}, no {(N + 3) / 4}, v {4} Vectorize;");
  EXPECT_EQ(nest(s, "y_l"), "m {M}, no {(N + 3) / 4}, v {4} Vectorize; at no of y local");
}

TEST(ScheduleSection, CachesOfOneTensorAreChained) {
  const Scheduled s = schedule(kRows +
                               "  x: [{cache: {as: x_s, memory: shared}}]\n"
                               "  x_s: [{cache: {as: x_l, memory: local}}]\n"
                               "  t: [{cache: {as: t_l, memory: local, at: n}}]\n");
  EXPECT_EQ(nest(s, "x_l"), "m {M}, n {N}; local");
  EXPECT_EQ(nest(s, "t"), "m {M}, n {N}; inlined");
  EXPECT_EQ(nest(s, "t_l"), "m {M}, n {N}; at n of y local");
  EXPECT_EQ(tensors_read(s.fusion(), *s.fusion().find("x_l")),
            std::vector<TensorId>{*s.fusion().find("x_s")});
}

TEST(ScheduleSection, RfactorMakesAPartThatIsCutUpOnItsOwn) {
  const Schedule s =
      schedule(kRows +
               "  p: [{split: {in: no, factor: 2, out: [a, b]}}, {reorder: [m, ni, b, a]}]\n"
               "  s: [{split: {in: n, factor: 32, out: [no, ni]}}, {bind: {ni: TIDx}},\n"
               "      {rfactor: {in: [no], as: p}}, {inline: {into: y, at: m}}]\n");
  EXPECT_EQ(nest(s, "s"), "m {M}, ni {32} TIDx; at m of y");
  EXPECT_EQ(nest(s, "p"), "m {M}, ni {32} TIDx, b {2}, a {(N + 63) / 64};");
  EXPECT_EQ(nest(with_defaults(s), "p"),
            "m {M}, ni {32} TIDx, b {2}, a {(N + 63) / 64}; at ni of s");
}

TEST(ScheduleSection, RfactorTwiceAndAPartThatIsKeptInSharedMemory) {
  const Scheduled s = schedule(
      kRows +
      "  s: [{split: {in: n, factor: 64, out: [a, r]}}, {split: {in: r, factor: 8, out: [b, "
      "c]}},\n      {rfactor: {in: a, as: p}}, {rfactor: {in: [b], as: q}}]\n"
      "  p: [{memory: shared}, {split: {in: c, factor: 2, out: [d, e]}}]\n");
  EXPECT_EQ(nest(s, "s"), "m {M}, c {8};");
  EXPECT_EQ(nest(s, "q"), "m {M}, b {8}, c {8};");
  EXPECT_EQ(nest(s, "p"), "m {M}, a {(N + 63) / 64}, b {8}, d {4}, e {2}; shared");
}

TEST(ScheduleSection, LikeReplaysAndItsLoopsGoByTheOthersNames) {
  const Schedule s =
      schedule(kRows +
               "  s: [{like: y}, {split: {in: mi, factor: 2, out: [p, q]}}, {bind: {p: TIDy}},\n"
               "      {rfactor: {in: no, as: part}}, {inline: {into: y, at: mo}}]\n"
               "  y: [{split: {in: m, factor: 4, out: [mo, mi]}}, {bind: {mo: BIDx}},\n"
               "      {split: {in: n, factor: 32, out: [no, ni]}}, {bind: {ni: TIDx}}]\n");
  EXPECT_EQ(nest(s, "s"), "mo {(M + 3) / 4} BIDx, p {2} TIDy, q {2}, ni {32} TIDx; at mo of y");
  EXPECT_EQ(nest(s, "part"),
            "mo {(M + 3) / 4} BIDx, p {2} TIDy, q {2}, no {(N + 31) / 32}, ni {32} TIDx;");
}

TEST(ScheduleSection, MemoriesAndPlainInlining) {
  const Scheduled s = schedule(kRows +
                               "  s: [{memory: shared}]\n"
                               "  t: [{memory: local}, {inline: {into: y, at: m}}]\n");
  EXPECT_EQ(nest(s, "s"), "m {M}, n {N}; follows shared");
  EXPECT_EQ(nest(s, "t"), "m {M}, n {N}; at m of y local");
  EXPECT_EQ(nest(schedule(kRows + "  t: inline\n"), "t"), "m {M}, n {N}; inlined");
  EXPECT_EQ(nest(schedule(kRows + "  t: []\n"), "t"), "m {M}, n {N};");
}

TEST(ScheduleSection, LayoutsAreOverWhatTheListHasMade) {
  const Scheduled s =
      schedule(kRows +
               "  t: [{memory: shared}, {split: {in: n, factor: 4, out: [no, ni]}},\n"
               "      {layout: {transforms: [{resize: {in: m, left: 0, right: 1, out: p}}], order: "
               "[n, p]}}]\n");
  const TensorId t = *s.fusion().find("t");
  ASSERT_EQ(s.allocation(t).size(), 2u);
  EXPECT_EQ(s.name(t, s.allocation(t)[0]) + s.name(t, s.allocation(t)[1]), "np");
  EXPECT_EQ(to_string(s.graph()[s.allocation(t)[1]].extent), "M + 1");
  EXPECT_EQ(nest(s, "t"), "m {M}, no {(N + 3) / 4}, ni {4}; shared");
}

TEST(ScheduleSection, AnAutomaticScheduleComputesAFoldInTheRowsOfItsReader) {
  const std::string file = kRows.substr(0, kRows.find("schedule:")) + "outputs: {s: {}, y: {}}\n";
  const Scheduled s = schedule(file, {{"M", 200}, {"N", 10}});
  EXPECT_EQ(nest(s, "s"),
            "block {4} BIDx, row {64} TIDy, group {4} TIDx, v {4} Vectorize; at row of y");
}

// Many lists that wait for one another: each is read and carried out once.
TEST(ScheduleSection, AThousandCachesInARow) {
  std::string text =
      "inputs: {x: {shape: [M], dtype: float}}\ncompute: ['y[m] = x[m]']\nschedule:\n";
  for (int k = 998; k >= 0; --k) {
    const std::string from = k == 0 ? "x" : "c" + std::to_string(k - 1);
    text += "  " + from + ": [{cache: {as: c" + std::to_string(k) + ", memory: local}}]\n";
  }
  const Scheduled s = schedule(text);
  EXPECT_EQ(s.fusion().size(), 1001U);
  EXPECT_EQ(nest(s, "c998"), "m {M}; local");
}

// clang-format off
const Refused kWrong[] = {
    {"  x: [{split: {in: m, factor: 2, out: [a, b]}}]\n",
     "a.yaml:7:8: error[E205]: schedule.x: x is an input and has no loops; help: cache it, and "
     "schedule the copy"},
    {"  x: [{cache: {memory: shared}}]\n",
     "a.yaml:7:15: error[E110]: cache: the key 'as' is missing; help: add 'as: ...'"},
    {"  x: [{cache: {as: x_s}}]\n",
     "a.yaml:7:15: error[E110]: cache: the key 'memory' is missing; help: add 'memory: ...'"},
    {"  x: [{cache: {as: y, memory: shared}}]\n",
     "a.yaml:7:20: error[E204]: cache: there is a tensor y already; help: choose another name"},
    {"  x: [{cache: {as: M, memory: shared}}]\n",
     "a.yaml:7:20: error[E204]: the tensor M has the name of a symbol; the symbol is declared at "
     "a.yaml:1:22; help: rename one of the two"},
    {"  x: [{cache: {as: x_s, memory: sharde}}]\n",
     "a.yaml:7:33: error[E304]: cache.memory: 'sharde' is none of global, shared, local; help: did "
     "you mean 'shared'?"},
    {"  x: [{cache: {as: x_s, memory: shared, by: tmo}}]\n",
     "a.yaml:7:45: error[E304]: cache.by: 'tmo' is none of ldst, cp_async, bulk, tma; help: did you "
     "mean 'tma'?"},
    {"  x: [{cache: {as: x_s, memory: shared, stages: 65}}]\n",
     "a.yaml:7:49: error[E305]: cache.stages is 65; help: it is at most 64"},
    {"  t: [{stages: 0}]\n",
     "a.yaml:7:16: error[E305]: schedule.t.stages is 0; help: it is at least 1"},
    {"  x: [{cache: {as: x_s, memory: shared, at: q}}]\n",
     "a.yaml:7:45: error[E205]: cache.at: none of those who read x_s (s, y) has a loop q in the end; help: the loops of s are m, n"},
    {"  x: [{cache: {as: x_s, memory: shared, at: m}}]\n",
     "a.yaml:7:45: error[E331]: cache.at: s, y all read x_s, and have a loop m; help: say which "
     "under x_s: {inline: {into: s, at: m}}, and leave at out here"},
    {"  x: [{cache: {as: x_s, memory: shared, at: n}}]\n  x_s: {inline: {into: y, at: m}}\n",
     "a.yaml:8:9: error[E331]: where x_s is computed is said twice; the first is at a.yaml:7:8; "
     "help: leave one of the two out"},
    {"  x_q: [{reorder: [m, n]}]\n  x: [{cache: {as: x_s, memory: shared}}]\n",
     "a.yaml:7:3: error[E205]: schedule: no statement computes 'x_q'; help: did you mean 'x_s'?"},
    {"  t: [{layout: {}}]\n",
     "a.yaml:7:16: error[E110]: layout: the key 'order' is missing; help: add 'order: ...'"},
    {"  t: [{layout: {order: [m, q]}}]\n",
     "a.yaml:7:28: error[E205]: layout.order: t has no iterdomain 'q'; help: name an iterdomain "
     "that is made before this line"},
    {"  t: [{layout: {order: [a], transforms: [{merge: {in: [m, n], out: a}}, {split: {in: n, factor: 2, out: [b, c]}}]}}]\n",
     "a.yaml:7:86: error[E306]: the iterdomain n of t feeds two transforms; the first is at "
     "a.yaml:7:59; help: use what comes out of the first"},
    {"  p: [{rfactor: {in: n, as: p}}]\n",
     "a.yaml:7:3: error[E205]: schedule: no statement computes 'p'; help: name a tensor that "
     "stands on the left of a statement"},
    {"  s: [{rfactor: {in: [q], as: p}}]\n",
     "a.yaml:7:23: error[E205]: rfactor.in: s has no iterdomain 'q'; help: name an iterdomain that "
     "is made before this line"},
    {"  s: [{split: {in: n, factor: 4, out: [no, ni]}}, {rfactor: {in: no, as: p}}, {bind: {no: "
     "TIDx}}]\n",
     "a.yaml:7:91: error[E313]: bind: no is no loop of s any more; help: it is a loop of p now: "
     "schedule that"},
    {"  s: [{split: {in: n, factor: 4, out: [no, ni]}}, {rfactor: {in: no, as: p}}, {split: {in: "
     "no, factor: 4, out: [a, b]}}]\n",
     "a.yaml:7:80: error[E313]: split.in: no is no loop of s any more; help: it is a loop of p now: "
     "schedule that"},
    {"  s: [{split: {in: n, factor: 4, out: [no, ni]}}, {rfactor: {in: no, as: p}}, {reorder: [m, "
     "no]}]\n",
     "a.yaml:7:93: error[E307]: reorder: no is no loop of s any more; help: it is a loop of p now: "
     "schedule that"},
    {"  s: [{like: q}]\n",
     "a.yaml:7:14: error[E205]: like: no statement computes 'q'; help: name a tensor that "
     "stands on the left of a statement"},
    {"  s: [{like: x}]\n",
     "a.yaml:7:14: error[E205]: like: x is an input and has no loops; help: cache it, and take the "
     "copy"},
    {"  s: [{like: y}, {bind: {q: TIDx}}]\n",
     "a.yaml:7:26: error[E205]: s has no loop q in the end; help: its loops are m, n"},
    {"  s: [{like: y}, {reorder: [n]}]\n",
     "a.yaml:7:19: error[E307]: reorder: m of s is missing; help: name every loop once: m, n"},
    {"  s: [{like: y}]\n  y: [{like: s}]\n",
     "a.yaml:8:3: error[E330]: the lists of y and s wait for each other; help: cut one of the two "
     "up by itself, without like"},
    {"  s: [{like: p}, {split: {in: n, factor: 4, out: [no, ni]}}, {rfactor: {in: no, as: p}}]\n",
     "a.yaml:7:8: error[E330]: like: p is made after this only; help: write like where p is there"},
    {"  s: {inline: {into: q}}\n",
     "a.yaml:7:22: error[E205]: inline.into: no statement computes 'q'; help: name a tensor "
     "that stands on the left of a statement"},
    {"  s: {inline: {into: y, at: q}}\n",
     "a.yaml:7:29: error[E205]: y has no loop q in the end; help: its loops are m, n"},
    {"  s: {inlin: {into: y}}\n",
     "a.yaml:7:7: error[E304]: schedule.s: 'inlin' is none of inline; help: did you mean 'inline'?"},
    {"  s: [{memory: sharde}]\n",
     "a.yaml:7:16: error[E304]: schedule.s.memory: 'sharde' is none of global, shared, local; help: "
     "did you mean 'shared'?"},
};
const Refused kIllegalSchedules[] = {
    {"  s: inline\n",
     "a.yaml:7:3: error[E415]: s folds elements, and recomputing that in every reader is not what inlining does; help: leave inline out, and it is computed inside of its readers where that can be"},
    {"  s: [{merge: {in: [m, n], out: q}}]\n",
     "a.yaml:7:8: error[E417]: s folds over n and not over m: no loop is both; help: transform "
     "loops that are folded over, or loops that are not, among themselves"},
    {"  s: [{rfactor: {in: n, as: p}}]\n",
     "a.yaml:7:8: error[E421]: a part of s would fold over all of it, n, and leave nothing to "
     "merge; help: split a loop, and take one of the two"},
    {"  s: [{like: t}]\n",
     "a.yaml:7:8: error[E422]: t is inlined and has no loops; help: leave like out; or take a tensor that is computed in loops"},
    {"  y: {inline: {into: s, at: m}}\n  s: {inline: {into: y, at: m}}\n",
     "a.yaml:7:7: error[E418]: y would be computed at a loop of s, which is computed inside y; help: leave inline out of the schedule of y"},
    {"  y: [{layout: {order: [n, m]}}]\n",
     "a.yaml:7:8: error[E419]: y is an output, kept in global memory, which lies as the fusion says; help: cache it in shared or local memory, and lay out the copy"},
    {"  t: [{layout: {order: [n, n]}}]\n",
     "a.yaml:7:8: error[E412]: n stands twice in the layout of t; help: name every iterdomain once"},
    {"  t: [{layout: {order: [a, n], transforms: [{resize: {in: m, left: 0, right: 0 - M, out: a}}]}}]\n",
     "a.yaml:7:46: error[E403]: the resize of m by 0 and 0 - M leaves an extent of 0; help: resize by more; an extent is at least 1"},
    {"  y: [{memory: shared}]\n",
     "a.yaml:7:8: error[E419]: y is an output and lies in global memory; help: cache it, and keep the copy there: {cache: {as: y_copy, memory: shared}}"},
};
// clang-format on

TEST(ScheduleSectionRefusals, ListsThatMakeNoSenseAreWrong) {
  for (const auto& [text, message] : kWrong) {
    EXPECT_EQ(refusal(kRows + text), std::string(message) + "\n") << text;
    EXPECT_EQ(status(kRows + text), 2) << text;
  }
}

TEST(ScheduleSectionRefusals, ListsThatCannotBeAreIllegal) {
  for (const auto& [text, message] : kIllegalSchedules) {
    EXPECT_EQ(refusal(kRows + text), std::string(message) + "\n") << text;
    EXPECT_EQ(status(kRows + text), 1) << text;
  }
}

TEST(ScheduleSectionRefusals, TheSmallestChangeThatTheHelpNamesMendsIt) {
  for (const char* text : {
           "  x: [{cache: {as: x_s, memory: shared}}]\n  x_s: {inline: {into: s, at: m}}\n",
           "  s: [{split: {in: n, factor: 4, out: [no, ni]}}, {rfactor: {in: no, as: p}}]\n"
           "  p: [{bind: {no: TIDx}}]\n",
           "  s: [{like: y}, {bind: {n: TIDx}}]\n",
           "  s: [{like: y}, {reorder: [n, m]}]\n",
           "  s: [{split: {in: n, factor: 4, out: [no, ni]}}, {rfactor: {in: no, as: p}}, "
           "{like: p}]\n",
           "  s: [{like: y}]\n  y: [{bind: {m: TIDx}}]\n",
           "  t: [{like: s_l}]\n  s: [{cache: {as: s_l, memory: local}}]\n",
           "  s: {inline: {into: y, at: m}}\n",
       }) {
    EXPECT_EQ(refusal(kRows + text), "accepted") << text;
  }
}

}  // namespace
}  // namespace selvage
