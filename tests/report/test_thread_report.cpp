// What a thread program is told to be: the page, the JSON, the pictures.
#include <selvage/pictures/picture.h>
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <selvage/report/run_file.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.h"
#include "tests/pictures/drawings.h"
#include "thread_files.h"

namespace selvage {
namespace {

using test::Inspected;
using test::of_class;
using test::texts_of;
using test::ThreadExample;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

ThreadExample run(const std::string& name, bool check = false) {
  ThreadExample e(name);
  run_file(e.file, {.check = check, .on = Machine::Virtual}, e.report);
  return e;
}

std::string page_of(const Inspected& i, const PageOptions& options = {}) {
  return page(i.report, options);
}

TEST(ThreadReport, ThePageOfLevelsIsAsReviewed) {
  test::expect_golden("threads_levels.txt", page(run("threads_levels.yaml", true).report));
}

TEST(ThreadReport, TheJsonOfMasksIsAsReviewed) {
  test::expect_golden("threads_masks.json", to_json(run("threads_masks.yaml").report));
}

TEST(ThreadReport, TheJsonOfChunksIsAsReviewed) {
  test::expect_golden("threads_chunks.json", to_json(run("threads_chunks.yaml").report));
}

TEST(ThreadReport, NoPageIsWiderThanAHundredColumns) {
  for (const char* name : {"threads_masks.yaml", "threads_async.yaml", "threads_chunks.yaml",
                           "threads_levels.yaml", "threads_pipeline.yaml"}) {
    const std::string text = page(run(name, true).report, {.loops = true, .predicates = true});
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(ThreadReport, ChosenPartsComeAlone) {
  const ThreadExample e("threads_chunks.yaml");
  EXPECT_EQ(page(e.report, {.loops = true}),
            "Kernel kernel_threads_chunks: 1 block of 4 threads\n"
            "  parallel p in 4 (TIDx)\n"
            "    for i in 4\n"
            "      if (i * 4 + p < 13)  // i * 4 + p < 13: other threads in other iterations\n"
            "        for k in 8\n"
            "          target[i * 32 + p * 8 + k] = source[i * 32 + p * 8 + k]\n");
  EXPECT_EQ(page(e.report, {.predicates = true}),
            "Levels: 1 block of 4 threads\n"
            "  thread: p in 4\n"
            "\n"
            "Masks, bit 0 rightmost\n"
            "  i * 4 + p < 13: asynchronous, by iteration of i\n"
            "    i = 0 to 2: 1111\n"
            "    i = 3: 0001\n");
  EXPECT_EQ(page(e.report, {.cuda = true}), e.report.threads->cuda->text);
}

// Every mask is told as it is: of a nested region with what it is in, by rows where it is no
// product, by values of both loops, or that it is known only at run time.
TEST(ThreadReport, MasksOfAllKindsAreTold) {
  const Inspected i(R"(
symbols: {limit: {min: 0, max: 4}}
arrays: {A: {shape: [2, 4], dtype: int32}}
parallel: [{block: {p: 2}}, {thread: {q: 4}}]
body:
  - inthreads:
      when: q > 0
      async: true
      do:
        - inthreads: {when: "p == 0 || q == 3", do: ["A[p, q] = 1"]}
        - for: {index: i, in: 2, do: [{for: {index: j, in: 2, do: [
            {inthreads: {when: q < i + j, do: ["A[p, q] = i"]}},
            {inthreads: {when: "p == i || q == j", do: ["A[p, q] = j"]}}]}}]}
  - inthreads: {when: q < limit, async: true, do: ["A[p, q] = 2"]}
)");
  EXPECT_EQ(page_of(i, {.predicates = true}),
            "Levels: 2 blocks of 4 threads\n"
            "  block: p in 2\n"
            "  thread: q in 4\n"
            "\n"
            "Masks, bit 0 rightmost\n"
            "  q > 0: asynchronous, 6 of 8 threads\n"
            "    11-1110\n"
            "  p == 0 || q == 3, in q > 0: 4 of 8 threads\n"
            "    1110\n"
            "    1000\n"
            "  q < i + j, in q > 0: by iteration of i, j\n"
            "    i = 0, j = 0: 00-0000\n"
            "    i = 0, j = 1: 00-0000\n"
            "    i = 1, j = 0: 00-0000\n"
            "    i = 1, j = 1: 11-0010\n"
            "  p == i || q == j, in q > 0: by iteration of i, j\n"
            "    i = 0, j = 0: 01-1110\n"
            "    i = 0, j = 1:\n"
            "      1110\n"
            "      0010\n"
            "    i = 1, j = 0: 10-1110\n"
            "    i = 1, j = 1:\n"
            "      0010\n"
            "      1110\n"
            "  q < limit: asynchronous, dynamic, known at run time\n"
            "\n"
            "Run side by side: q > 0, q < limit\n"
            "  whether a thread is in two of them, or in none, is not known, or not the same in "
            "every run\n");
}

TEST(ThreadReport, OfAProgramThatIsRefusedThePageHasWhatIsKnown) {
  const Inspected i(R"(
arrays: {A: {shape: [64], dtype: int32}, S: {shape: [64], dtype: int32, memory: shared}}
parallel: [{thread: {t: 64}}]
body:
  - inthreads: {when: t < 32, async: true, do: ["S[t] = t"]}
  - "A[t] = S[63 - t]"
)");
  EXPECT_EQ(i.report.exit_status(), 1);
  const std::string text = page_of(i);
  EXPECT_THAT(text, HasSubstr("  t < 32: asynchronous, 32 of 64 threads\n"));
  EXPECT_THAT(text, Not(HasSubstr("Kernel")));
  const std::string json = to_json(i.report);
  EXPECT_THAT(json, HasSubstr("\"kernels\": []"));
  EXPECT_THAT(json, HasSubstr("\"code\": \"E8"));
}

// ---- pictures ----

TEST(ThreadReport, ThePictureHasEveryRegionAndEveryBarrier) {
  const XmlElement root = parse_xml(to_svg(ThreadExample("threads_pipeline.yaml").report));
  const auto texts = texts_of(root);
  for (const char* text :
       {"Threads of threads_pipeline", "1 block of 96 threads, 2 regions", "for k in 4",
        "t < 32 async", "t >= 32 async", "stage", "part", "total", "sync: shared, the block",
        "sync: region, 2 warps", "32 of 96 threads, 3 warps: 1 full, 2 idle",
        "64 of 96 threads, 3 warps: 2 full, 1 idle"}) {
    EXPECT_THAT(texts, Contains(text));
  }
  std::vector<std::string> barriers;
  for (const XmlElement* e : of_class(root, "read")) {
    if (!e->children.empty()) barriers.push_back(e->children[0].text);
  }
  EXPECT_THAT(barriers, testing::ElementsAre("sync: shared, the block: 96 threads",
                                             "sync: region, 2 warps: 64 threads"));
}

TEST(ThreadReport, IterationsThatAreAlikeAreDrawnOnce) {
  const auto texts = texts_of(parse_xml(to_svg(ThreadExample("threads_chunks.yaml").report)));
  EXPECT_THAT(texts, Contains("i * 4 + p < 13, i = 0 to 2"));
  EXPECT_THAT(texts, Contains("i * 4 + p < 13, i = 3"));
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "1111"), 1);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "0001"), 1);
}

TEST(ThreadReport, ADynamicMaskIsDrawnAsOne) {
  const Inspected i(R"(
symbols: {limit: {min: 0, max: 4}}
arrays: {A: {shape: [4], dtype: int32}}
parallel: [{thread: {q: 4}}]
body: [{inthreads: {when: q < limit, do: ["A[q] = 2"]}}]
)");
  const auto texts = texts_of(parse_xml(to_svg(i.report)));
  EXPECT_THAT(texts, Contains("dynamic: values that are known only at run time decide"));
  EXPECT_THAT(texts, Contains("q < limit (dynamic)"));
}

TEST(ThreadReport, WithoutATimelineThePictureSaysWhy) {
  const std::string text = R"(
arrays: {A: {shape: [2, 4, 8], dtype: int32, memory: local}}
parallel: [{block: {b: 2}}]
body:
  - parallel: {levels: [{thread: {x: 4, y: 8}}], do: ["A[b, x, y] = x"]}
  - parallel: {levels: [{thread: {x: 4}}, {thread: {z: 8}}], do: ["A[b, x, z] = 1"]}
)";
  const std::string why =
      "Levels side by side number the threads in different ways: there is no timeline.";
  EXPECT_THAT(texts_of(parse_xml(to_svg(Inspected(text).report))), Contains(why));
  const std::string other = "[{thread: {x: 4}}, {thread: {z: 8}}]";
  std::string mended = text;
  mended.replace(mended.find(other), other.size(), "[{thread: {x: 4, z: 8}}]");
  const auto texts = texts_of(parse_xml(to_svg(Inspected(mended).report)));
  EXPECT_THAT(texts, Not(Contains(why)));
  EXPECT_THAT(texts, Contains("One thing after the other"));
}

// Blocks times iterations: as many as are worth a look.
TEST(ThreadReport, APictureOfManyLargeMasksHasTheFirst) {
  const Inspected i(R"(
arrays: {A: {shape: [8, 1024], dtype: int32}}
parallel: [{b: 8}, {t: 1024}]
body:
  - for: {index: i, in: 40, do: [{inthreads: {when: 't - b - i > 0', async: true, do: ['A[b, t] = 1']}}]}
)");
  const std::string svg = to_svg(i.report);
  EXPECT_LT(svg.size(), std::size_t{2'000'000});
  const XmlElement root = parse_xml(svg);
  EXPECT_LT(test::number(root, "height"), 12'000);
  EXPECT_THAT(texts_of(root), Contains("and 38 more masks"));
}

// ---- reasons ----

std::string reasons(const std::string& text) {
  const Inspected i(text);
  const std::string more = page_of(i, {.why = true});
  EXPECT_THAT(more, testing::StartsWith(page_of(i, {.predicates = true})));
  return more.substr(page_of(i, {.predicates = true}).size());
}

TEST(ThreadReport, ReasonsOfMasksAndBarriersAreGiven) {
  EXPECT_EQ(
      reasons(R"(
symbols: {n: {min: 0, max: 9}, m: {min: 1, max: 9}}
arrays: {A: {shape: [96], dtype: int32}}
parallel: [{thread: {t: 96}}]
body:
  - inthreads: {when: t < 32, async: true, do: ["A[t] = 1", {sync: region}, "A[t] = 2"]}
  - inthreads: {when: t >= 32 * m && t > 40 + n, async: true, do: ["A[t] = 3"]}
  - sync: shared
  - for: {index: i, in: 4, do: [{inthreads: {when: t <= i, do: ["A[t] = 4"]}}]}
  - for: {index: j, in: n, do: [{inthreads: {when: t <= j, do: ["A[t] = 4"]}}]}
)"),
      "\n"
      "Why the masks are what they are\n"
      "  t < 32: constant, it depends on t alone\n"
      "  t >= 32 * m && t > 40 + n: dynamic, it depends on m and n, known "
      "when it is launched\n"
      "  t <= i: by iteration, it depends on i, of which all iterations are known\n"
      "  t <= j: dynamic, it depends on j, of which the iterations are not known, or too many\n"
      "\n"
      "Why there are barriers\n"
      "  sync: region, each warp: the program asks for it\n"
      "  sync: shared, the block: the program asks for it\n"
      "  the end of inthreads, the block: the region is not asynchronous: who runs the code "
      "around waits\n"
      "      for it\n"
      "  none behind t < 32 and t >= 32 * m && t > 40 + n: asynchronous\n");
}

TEST(ThreadReport, WithoutBarriersThatIsSaid) {
  EXPECT_EQ(reasons(R"(
symbols: {n: {min: 9, max: 20}}
arrays: {A: {shape: [8], dtype: int32}}
parallel: [{thread: {t: 8}}]
body: [{inthreads: {when: t < 4 || t > n, async: true, do: ["A[t] = 1"]}}]
)"),
            "\n"
            "Why the masks are what they are\n"
            "  t < 4 || t > n: constant, the same whatever n may be\n"
            "\n"
            "Why there are barriers\n"
            "  there is none\n"
            "  none behind t < 4 || t > n: asynchronous\n");
}

// ---- runs ----

std::string run_lines(const std::string& text, const std::map<std::string, std::int64_t>& sizes) {
  Inspected i(text, sizes);
  run_file(i.file, {.on = Machine::Virtual}, i.report);
  const std::string whole = page(i.report, {.predicates = true});
  return whole.substr(whole.find("Run "));
}

TEST(ThreadReport, CountsAreToldWhereTheMaskDoesNotTellThem) {
  const std::string text = R"(
symbols: {limit: {min: 0, max: 40}}
arrays: {A: {shape: [2, 40], dtype: int32}}
parallel: [{block: {b: 2}}, {thread: {q: 40}}]
body:
  - inthreads: {when: q == 1, do: ["A[b, q] = 1"]}
  - inthreads: {when: q < limit, do: ["A[b, q] = 2"]}
  - for: {index: i, in: 12, do: [
      {inthreads: {when: "b == 0 && q <= i", async: true, do: ["A[b, q] += 1"]}}]}
)";
  EXPECT_EQ(run_lines(text, {{"limit", 3}}),
            "Run on the virtual device: as the masks say\n"
            "  q == 1: run by 2 of 80 threads, once each\n"
            "  q < limit: run by 6 of 80 threads, once each\n"
            "  b == 0 && q <= i: run by 12 of 80 threads, 78 times in all: 0{40} "
            "0{28}123456789(10)(11)(12)\n");
  EXPECT_EQ(run_lines(text, {{"limit", 0}}),
            "Run on the virtual device at limit = 0: as the masks say\n"
            "  q == 1: run by 2 of 80 threads, once each\n"
            "  q < limit: run by no thread\n"
            "  b == 0 && q <= i: run by 12 of 80 threads, 78 times in all: 0{40} "
            "0{28}123456789(10)(11)(12)\n");
}

TEST(ThreadReport, APartitionByIterationIsSaidToBeOne) {
  const Inspected i(R"(
arrays: {A: {shape: [8], dtype: int32}}
parallel: [{t: 8}]
body:
  - for: {index: i, in: 8, do: [{inthreads: {when: t < i, async: true, do: ["A[t] = 1"]}},
                                {inthreads: {when: t > 3, async: true, do: ["A[t] = 2"]}}]}
)");
  EXPECT_THAT(page_of(i, {.predicates = true}),
              HasSubstr("Run side by side: t < i, t > 3\n"
                        "  whether a thread is in two of them, or in none, is not known, or not "
                        "the same in every run and\n"
                        "      iteration\n"));
}

// What is not compared is not said to be as the masks say.
TEST(ThreadReport, OnlyCountsThatAreComparedAreAsTheMasksSay) {
  const std::string alone = R"(
symbols: {n: {min: 0, max: 5000}}
arrays: {A: {shape: [2], dtype: int32}}
parallel: [{thread: {t: 2}}]
body:
  - for: {index: i, in: n, do: [{inthreads: {when: t < i, async: true, do: ["A[t] += 1"]}}]}
)";
  EXPECT_EQ(run_lines(alone, {{"n", 4096}}),
            "Run on the virtual device: as the masks say\n"
            "  t < i: run by 2 of 2 threads, 8189 times in all: (4094)(4095)\n");
  EXPECT_EQ(run_lines(alone, {{"n", 4097}}),
            "Run on the virtual device\n"
            "  t < i: run by 2 of 2 threads, 8191 times in all: (4095)(4096)\n"
            "    not compared: there are more iterations than are told apart\n");
  EXPECT_EQ(run_lines(alone + "  - inthreads: {when: t < 1, do: [\"A[t] = 1\"]}\n", {{"n", 4097}}),
            "Run on the virtual device: as the masks say that are compared\n"
            "  t < i: run by 2 of 2 threads, 8191 times in all: (4095)(4096)\n"
            "    not compared: there are more iterations than are told apart\n"
            "  t < 1: run by 1 of 2 threads, once\n");
}

}  // namespace
}  // namespace selvage
