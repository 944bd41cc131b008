#include <selvage/pictures/parts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pictures/drawings.h"
#include "tests/pictures/mask_drawings.h"

namespace selvage {
namespace {

using test::elements_of;
using test::MaskCase;
using test::number;
using test::of_class;
using test::texts_of;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using Kind = TimelineStep::Kind;

// Left edge and width of the shapes of a class, top down, the legend's left out.
std::vector<std::pair<int, int>> spans_of(const XmlElement& root, const char* name) {
  std::vector<std::tuple<int, int, int>> found;
  for (const XmlElement* e : of_class(root, name)) {
    if (e->name != "rect" || e->children.empty()) continue;
    found.emplace_back(number(*e, "y"), number(*e, "x"), number(*e, "width"));
  }
  std::ranges::sort(found);
  std::vector<std::pair<int, int>> spans;
  for (const auto& [y, x, width] : found) spans.emplace_back(x, width);
  return spans;
}

struct Timeline : MaskCase {
  using MaskCase::MaskCase;
  void add(Kind kind, const std::string& label, const std::string& when, int depth = 0,
           bool is_async = false) {
    steps.push_back({kind, label, mask(when), depth, is_async});
  }
  XmlElement drawn() const {
    const Drawing drawing = timeline_picture(steps);
    EXPECT_LE(drawing.width(), kPictureWidth);
    return elements_of(drawing);
  }
  std::vector<TimelineStep> steps;
};

TEST(TimelinePicture, RegionsStandAtTheirThreadsAndTheBarrierAtAll) {
  Timeline t({{{"p", 6}}});
  t.add(Kind::Region, "inthreads p <= 2", "p <= 2", 0, true);
  t.add(Kind::Code, "A", "p <= 2", 1);
  t.add(Kind::Region, "inthreads p > 2", "p > 2", 0, true);
  t.add(Kind::Code, "B", "p > 2", 1);
  t.add(Kind::Barrier, "sync shared", "true");
  const XmlElement root = t.drawn();
  const auto regions = spans_of(root, "load");
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_GT(regions[0].first, regions[1].first);  // threads 0 to 2 are right
  EXPECT_EQ(regions[0].second, regions[1].second);
  const auto bars = spans_of(root, "read");
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_LE(bars[0].first, regions[1].first);
  EXPECT_GE(bars[0].first + bars[0].second, regions[0].first + regions[0].second);
  const auto texts = texts_of(root);
  EXPECT_THAT(texts, Contains("0–2"));
  EXPECT_THAT(texts, Contains("3–5"));
  EXPECT_THAT(texts, Contains("inthreads p <= 2 async"));
  EXPECT_THAT(texts, Contains("asynchronous region"));
  EXPECT_THAT(texts, Not(Contains("region")));
}

TEST(TimelinePicture, ThreadsThatDoTheSameShareAColumnWhereverTheyAre) {
  Timeline t({{{"p", 3}}, {{"q", 4}}}, 1);
  t.add(Kind::Code, "A", "q == 1");
  t.add(Kind::Code, "B", "q == 1 || p == 2");
  const XmlElement root = t.drawn();
  // q == 1; what is left of p == 2; the rest.
  EXPECT_EQ(spans_of(root, "valid").size(), 2u);
  const auto texts = texts_of(root);
  EXPECT_THAT(texts, Contains("111-0010"));
  EXPECT_THAT(texts, Contains("100-1101"));
  EXPECT_THAT(texts, Contains("011-1101"));
}

TEST(TimelinePicture, ABarrierOfPartOfTheThreadsIsInPieces) {
  Timeline t({{{"p", 9}}});
  t.add(Kind::Code, "A", "p < 3 || p >= 6");
  t.add(Kind::Code, "B", "p < 3");
  t.add(Kind::Barrier, "barrier", "p < 3 || p >= 6");
  EXPECT_EQ(spans_of(t.drawn(), "read").size(), 2u);
}

TEST(TimelinePicture, FramesHoldWhatStandsInThem) {
  Timeline t({{{"p", 64}}});
  t.add(Kind::Region, "outer", "p < 32");
  t.add(Kind::Region, "inner", "p < 8", 1);
  t.add(Kind::Code, "A", "p < 8", 2);
  t.add(Kind::Barrier, "warp", "p < 32", 1);
  t.add(Kind::Code, "B", "true");
  const XmlElement root = t.drawn();
  std::vector<const XmlElement*> frames;
  for (const XmlElement* e : of_class(root, "loop")) {
    if (!e->children.empty()) frames.push_back(e);
  }
  ASSERT_EQ(frames.size(), 2u);
  const auto bottom = [](const XmlElement* e) { return number(*e, "y") + number(*e, "height"); };
  EXPECT_LT(number(*frames[0], "y"), number(*frames[1], "y"));
  EXPECT_GT(bottom(frames[0]), bottom(frames[1]));
  for (const XmlElement* e : of_class(root, "valid")) {
    if (e->children.empty() || e->children[0].text != "A: 8 threads") continue;
    EXPECT_GT(number(*e, "y"), number(*frames[1], "y"));
    EXPECT_LT(bottom(e), bottom(frames[1]));
  }
}

TEST(TimelinePicture, LabelsOfColumnsDoNotMeet) {
  Timeline t({{{"p", 4096}}});
  for (int i = 1; i < 24; ++i) t.add(Kind::Code, "S", "p < " + std::to_string(170 * i));
  const XmlElement root = t.drawn();
  std::vector<std::pair<int, int>> labels;
  for (const XmlElement* e : root.all()) {
    if (e->name != "text" || number(*e, "y") != 12 || e->has_class("end")) continue;
    const int width = text_width(e->text, TextStyle::Small);
    labels.emplace_back(number(*e, "x") - width / 2, number(*e, "x") + width / 2);
  }
  ASSERT_EQ(labels.size(), 24u);
  std::ranges::sort(labels);
  for (std::size_t i = 1; i < labels.size(); ++i) EXPECT_LT(labels[i - 1].second, labels[i].first);
}

TEST(TimelinePicture, WhatIsTooMuchIsSaid) {
  Timeline t({{{"p", 64}}});
  for (int i = 0; i < 30; ++i) t.add(Kind::Code, "S", "p == " + std::to_string(i));
  EXPECT_THAT(texts_of(t.drawn()),
              ElementsAre("More than 24 groups of threads do different things: not drawn."));
  Timeline many({{{"p", 4}}});
  for (int i = 0; i < 400; ++i) many.add(Kind::Code, std::string(1000, 'x'), "p < 2", i);
  EXPECT_THAT(texts_of(many.drawn()), Contains("The first 300 of 400 steps."));
  EXPECT_THAT(texts_of(elements_of(timeline_picture({}))), ElementsAre("No thread does anything."));
}

}  // namespace
}  // namespace selvage
