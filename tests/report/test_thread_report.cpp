// What a thread program is told to be: the page, the JSON, the pictures.
#include <selvage/report/json.h>
#include <selvage/report/page.h>
#include <selvage/report/picture.h>
#include <selvage/report/run_file.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawings.h"
#include "golden.h"
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
            "  whether a thread is in two of them, or in none, is not the same in every run or "
            "iteration\n");
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
        "t < 32 async", "t >= 32 async", "stage", "part", "total", "sync: shared", "sync: region",
        "32 of 96 threads, 3 warps: 1 full, 2 idle", "64 of 96 threads, 3 warps: 2 full, 1 idle"}) {
    EXPECT_THAT(texts, Contains(text));
  }
  std::vector<std::string> barriers;
  for (const XmlElement* e : of_class(root, "read")) {
    if (!e->children.empty()) barriers.push_back(e->children[0].text);
  }
  EXPECT_THAT(barriers,
              testing::ElementsAre("sync: shared: 96 threads", "sync: region: 64 threads"));
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

}  // namespace
}  // namespace selvage
