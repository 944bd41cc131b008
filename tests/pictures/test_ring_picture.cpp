#include <selvage/pictures/parts.h>
#include <selvage/pictures/picture.h>
#include <selvage/pictures/picture_style.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using test::elements_of;
using test::Inspected;
using test::number;
using test::of_class;
using test::texts_of;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct Box {
  int x = 0, y = 0, width = 0, height = 0;
  int right() const { return x + width; }
  int bottom() const { return y + height; }
};
struct Line {
  int x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// The bars and arrows of a picture, by what they say and the tile that they are about.
struct RingShapes {
  explicit RingShapes(const RingTimeline& ring) {
    const Drawing drawing = ring_picture(ring);
    EXPECT_LE(drawing.width(), kPictureWidth);
    root = elements_of(drawing);
    for (const XmlElement* e : of_class(root, "slot")) {
      std::int64_t tile = 0, slot = 0;
      EXPECT_EQ(std::sscanf(title(*e).c_str(), "tile %ld, slot %ld", &tile, &slot), 2);
      EXPECT_EQ(slot, tile % ring.slots);
      EXPECT_TRUE(e->has_class(fmt::format("slot-{}", slot % kSlotColors)));
      EXPECT_THAT(texts_of(root), Contains(fmt::format("{}:{}", tile, slot)));
      const Box box{number(*e, "x"), number(*e, "y"), number(*e, "width"), number(*e, "height")};
      EXPECT_GT(box.width, 0);
      const bool is_first = bars[what(*e)].emplace(tile, box).second;
      EXPECT_TRUE(is_first) << title(*e);
    }
    for (const XmlElement* e : of_class(root, "wait")) {
      std::int64_t tile = 0;
      if (e->children.empty()) continue;  // of the legend
      EXPECT_EQ(std::sscanf(title(*e).c_str(), "tile %ld", &tile), 1);
      Line line;
      const char* d = (*e)["d"].c_str();
      if (e->has_class("release")) {
        EXPECT_EQ(std::sscanf(d, "M%d %dL%d %d", &line.x1, &line.y1, &line.x2, &line.y2), 4);
        releases.emplace(tile, line);
      } else {
        EXPECT_EQ(std::sscanf(d, "M%d %dH%dV%d", &line.x1, &line.y1, &line.x2, &line.y2), 4);
        arrivals.emplace(tile, line);
      }
    }
  }
  static std::string title(const XmlElement& e) { return e.children.at(0).text; }
  // begin, under, used
  static std::string what(const XmlElement& e) {
    const std::string text = title(e);
    return text.find("under way") != text.npos      ? "under"
           : text.find("copies begin") != text.npos ? "begin"
                                                    : "used";
  }

  XmlElement root;
  std::map<std::string, std::map<std::int64_t, Box>> bars;
  std::map<std::int64_t, Line> arrivals, releases;
};

// What is drawn of `columns` iterations.
void expect_drawn(const RingTimeline& ring, std::int64_t columns) {
  RingShapes drawn(ring);
  std::map<std::int64_t, Box>&begin = drawn.bars["begin"], &under = drawn.bars["under"],
                         &used = drawn.bars["used"];
  std::size_t copies = 0, uses = 0, arrivals = 0, releases = 0;
  std::map<std::int64_t, int> ends;  // of the bars in a slot
  for (std::int64_t k = 0; k < columns && (!ring.tiles || k < *ring.tiles); ++k) {
    ++copies;
    ASSERT_TRUE(begin.contains(k) && under.contains(k));
    EXPECT_EQ(begin[k].x, under[k].x);
    // The bar is in the row of its slot, behind the one before.
    EXPECT_EQ(under[k].y, under[k % ring.slots].y);
    if (k >= ring.slots) {
      EXPECT_GT(under[k].x, ends[k % ring.slots]);
    }
    ends[k % ring.slots] = under[k].right();
    if (k > 0) {
      EXPECT_GT(begin[k].x, begin[k - 1].right());
    }
    if (k + ring.ahead < columns) {
      ++uses;
      ++arrivals;
      ASSERT_TRUE(used.contains(k) && drawn.arrivals.contains(k));
      EXPECT_LE(under[k].right(), used[k].x);
      const Line arrow = drawn.arrivals[k];
      EXPECT_EQ(arrow.x1, under[k].right());
      EXPECT_GT(arrow.y1, under[k].y);
      EXPECT_LT(arrow.y1, under[k].bottom());
      EXPECT_GT(arrow.x2, used[k].x);
      EXPECT_LT(arrow.x2, used[k].right());
      EXPECT_EQ(arrow.y2, used[k].y - 1);
    }
    if (k >= ring.slots) {
      ++releases;
      ASSERT_TRUE(used.contains(k - ring.slots) && drawn.releases.contains(k));
      const Box before = used[k - ring.slots];
      const Line arrow = drawn.releases[k];
      EXPECT_LT(before.right(), begin[k].x);
      EXPECT_GT(arrow.x1, before.x);
      EXPECT_LE(arrow.x1, before.right());
      EXPECT_EQ(arrow.y1, before.y);
      EXPECT_GT(arrow.x2, begin[k].x);
      EXPECT_LT(arrow.x2, begin[k].right());
      EXPECT_EQ(arrow.y2, begin[k].bottom() + 1);
    }
  }
  EXPECT_EQ(begin.size(), copies);
  EXPECT_EQ(under.size(), copies);
  EXPECT_EQ(used.size(), uses);
  EXPECT_EQ(drawn.arrivals.size(), arrivals);
  EXPECT_EQ(drawn.releases.size(), releases);
}

TEST(RingPicture, HasABarForEachCopyAndAnArrowForEachWait) {
  for (std::int64_t slots = 1; slots <= 8; ++slots) {
    for (std::int64_t ahead = 0; ahead < slots; ++ahead) {
      for (std::int64_t tiles = 0; tiles <= 12; ++tiles) {
        SCOPED_TRACE(testing::Message() << slots << " slots, " << ahead << " ahead, " << tiles);
        RingTimeline ring{.ahead = ahead, .slots = slots};
        if (tiles > 0) ring.tiles = tiles;
        const bool is_whole = tiles > 0 && tiles + ahead <= 14;
        expect_drawn(ring,
                     is_whole ? tiles + ahead : std::min<std::int64_t>(ahead + slots + 2, 14));
      }
    }
  }
  expect_drawn({.ahead = 20, .slots = 40}, 14);
  expect_drawn({.ahead = 2, .slots = 3, .tiles = 1000}, 7);
}

TEST(RingPicture, NamesWhoCopiesAndWhoUses) {
  RingTimeline ring{.ahead = 1, .slots = 2, .by = CopyBy::Bulk, .role = "load"};
  auto texts = texts_of(elements_of(ring_picture(ring)));
  EXPECT_THAT(texts, Contains("load"));
  EXPECT_THAT(texts, Contains("compute"));
  EXPECT_THAT(texts, Contains("by bulk"));
  EXPECT_THAT(texts, Contains("slot 1"));
  EXPECT_THAT(
      texts,
      Contains("empty: a slot is copied into once those who compute have used the tile in it"));
  ring.role.clear();
  texts = texts_of(elements_of(ring_picture(ring)));
  EXPECT_THAT(texts, Not(Contains("compute")));
  EXPECT_THAT(texts, Contains("threads"));
  EXPECT_THAT(texts,
              Contains("barrier: a slot is copied into once all threads have used the tile in it"));
}

TEST(RingPicture, SaysWhatIsLeftOut) {
  const auto texts = [](const RingTimeline& ring) {
    return texts_of(elements_of(ring_picture(ring)));
  };
  EXPECT_THAT(texts({.ahead = 2, .slots = 3}),
              Contains("Drawn are the first 7 iterations; how many there are, a launch decides."));
  EXPECT_THAT(texts({.ahead = 2, .slots = 3, .tiles = 128}),
              Contains("Drawn are the first 7 iterations, of a ring of 128 tiles."));
  EXPECT_THAT(texts({.ahead = 2, .slots = 3, .tiles = 12}), Not(Contains(HasSubstr("Drawn"))));
  EXPECT_THAT(texts({.ahead = 1, .slots = 2, .tiles = 3}),
              Contains("Nothing is used in the first iteration, and nothing is copied in the "
                       "last."));
  // With one tile, no slot is used again.
  EXPECT_THAT(texts({.ahead = 0, .slots = 1, .tiles = 1}), Not(Contains(HasSubstr("barrier"))));
  EXPECT_THAT(texts({.ahead = 1, .slots = 4, .role = "load"}),
              Contains("Before it copies tile k, load waits for the use of tile k - 2, which comes "
                       "after that of tile k - 4."));
}

TEST(RingPicture, NamesAreEscaped) {
  const RingTimeline ring{.ahead = 1, .slots = 3, .role = "<a>&\"\x01\xFF"};
  EXPECT_THAT(texts_of(elements_of(ring_picture(ring))), Contains(HasSubstr("<a>&\"")));
  EXPECT_EQ(ring_picture(ring).elements().find("<a>"), std::string::npos);
  const RingTimeline wide{.ahead = 1, .slots = 3, .role = std::string(1000, 'x')};
  EXPECT_LE(ring_picture(wide).width(), kPictureWidth);
}

TEST(RingPicture, StandsBelowTheTensorsWhoseCopiesEndLater) {
  const auto headings = [](const std::string& by) {
    const Inspected i(
        "inputs: {x: {shape: [8, N], dtype: float}}\n"
        "compute: [\"y[m, n] = exp(x[m, n])\"]\nschedule:\n"
        "  x: [{cache: {as: xs, memory: shared, at: no, stages: 2, by: " +
        by +
        "}}]\n  xs: [{split: {in: n, factor: 32, out: [no, ni]}}, "
        "{bind: {m: BIDx, ni: TIDx}}]\n"
        "  y: [{split: {in: n, factor: 32, out: [no, ni]}}, "
        "{bind: {m: BIDx, ni: TIDx}}]\n");
    return texts_of(parse_xml(to_svg(i.report)));
  };
  EXPECT_EQ(std::ranges::count(headings("cp_async"), "How its copies go round"), 1);
  EXPECT_EQ(std::ranges::count(headings("ldst"), "How its copies go round"), 0);
}

}  // namespace
}  // namespace selvage
