#include <selvage/pictures/parts.h>
#include <selvage/report/holes.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/oracle/random_graph.h"
#include "tests/pictures/drawings.h"
#include "tests/support/counts.h"
#include "tests/support/engine_schedule.h"

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

// A cell as it is drawn. What it shows stands within it.
struct Cell {
  int y = 0, x = 0, width = 0, height = 0;
  bool is_hole = false, is_repeated = false;
  std::string text = {};  // the last one within: numbers of threads come first
};

bool is_legend(const XmlElement& e) { return e["height"] == "18"; }

std::vector<Cell> cells_of(const XmlElement& root) {
  std::vector<Cell> cells;
  for (const XmlElement* e : of_class(root, "cell")) {
    const bool is_hole = e->has_class("hole"), is_repeated = e->has_class("repeated");
    EXPECT_EQ(is_hole + is_repeated + e->has_class("valid"), 1);
    if (e->name == "rect") {
      if (is_legend(*e)) continue;
      cells.push_back({number(*e, "y"), number(*e, "x"), number(*e, "width"), number(*e, "height"),
                       is_hole, is_repeated});
      continue;
    }
    // Squares: M12 40h7v7h-7z
    const std::string& data = (*e)["d"];
    for (std::size_t at = 0; at < data.size();) {
      const std::size_t blank = data.find(' ', at), end = data.find('z', at);
      cells.push_back({std::stoi(data.substr(blank + 1)), std::stoi(data.substr(at + 1)), 7, 7,
                       is_hole, is_repeated});
      at = end + 1;
    }
  }
  std::sort(cells.begin(), cells.end(),
            [](const Cell& a, const Cell& b) { return std::pair(a.y, a.x) < std::pair(b.y, b.x); });
  for (const XmlElement* e : root.all()) {
    if (e->name != "text" || !e->has_class("middle")) continue;
    for (Cell& c : cells) {
      const int x = number(*e, "x"), y = number(*e, "y");
      const bool is_within = c.x <= x && x < c.x + c.width && c.y <= y && y <= c.y + c.height;
      if (is_within) c.text = e->text;
    }
  }
  return cells;
}

// Every point once, in the order of the points, each with its item or as a hole.
void expect_all_points(const TensorReport& tensor) {
  const auto drawing = hole_picture(tensor);
  ASSERT_TRUE(drawing);
  EXPECT_LE(drawing->width(), kPictureWidth);
  const XmlElement root = elements_of(*drawing);
  const std::vector<Cell> cells = cells_of(root);
  const auto holes = holes_of(tensor);
  ASSERT_TRUE(holes);
  ASSERT_EQ(std::int64_t(cells.size()), holes->points());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::int64_t item = holes->items[k];
    EXPECT_EQ(cells[k].is_hole, item == Holes::kHole);
    if (item != Holes::kHole && !cells[k].text.empty()) {
      EXPECT_EQ(cells[k].text, std::to_string(item));
    }
    if (k > 0 && cells[k].y == cells[k - 1].y) {
      EXPECT_GE(cells[k].x, cells[k - 1].x + cells[k - 1].width) << "cells lie upon each other";
    }
  }
}

TEST(HolePicture, EveryLoopPointIsDrawnOnceAndAsItIs) {
  std::mt19937_64 random(9);
  int compared = 0;
  for (int round = count(60, 1500); round > 0; --round) {
    const EngineSchedule engine(
        oracle::random_graph(random, {.max_extent = 12, .max_points = 2'000}));
    std::array types = {ParallelType::BIDx, ParallelType::TIDx, ParallelType::TIDy};
    for (ParallelType type : types) {
      const auto loops = engine.schedule->loops(engine.tensor);
      const ScheduledLoop loop = loops[random() % loops.size()];
      if (engine.schedule->parallel(engine.tensor, loop.domain) == ParallelType::Serial) {
        engine.schedule->bind(loop, type);
      }
    }
    const TensorReport tensor =
        report_of(*engine.schedule, analyze(*engine.fusion, *engine.schedule, engine.tensor));
    const auto drawing = hole_picture(tensor);
    ASSERT_TRUE(drawing);
    if (drawing->elements().find("left out") != std::string::npos) continue;
    expect_all_points(tensor);
    ++compared;
  }
  EXPECT_GE(compared, count(60, 1500) / 2);
}

TEST(HolePicture, Figure2ShowsTheChecksThatStopAPoint) {
  const Inspected i(
      "tensors: {T0: {dtype: float, logical: {I0: 15}, transforms: [{split: {in: I0, "
      "factor: 6, out: [I1, I2]}}, {split: {in: I1, factor: 2, out: [I3, I4]}}, "
      "{split: {in: I2, factor: 4, out: [I5, I6]}}]}}\n");
  expect_all_points(i.tensor());
  const XmlElement root = elements_of(*hole_picture(i.tensor()));
  std::string rows;
  int y = -1;
  for (const Cell& c : cells_of(root)) {
    if (y >= 0 && c.y != y) rows += "\n";
    y = c.y;
    rows += c.text + " ";
  }
  EXPECT_EQ(rows,  // of two checks that stop a point, the lower one
            "0 1 2 3 4 5 I2 I2 \n"
            "6 7 8 9 10 11 I2 I2 \n"
            "12 13 14 I0 I0 I0 I0 I0 \n"
            "I0 I0 I0 I0 I0 I0 I0 I0 ");
  EXPECT_THAT(texts_of(root), Contains("hole: I2 is out of bounds, its check stops the point"));
  std::vector<std::string> titles;
  for (const XmlElement* e : of_class(root, "cell")) {
    if (!e->children.empty()) titles.push_back(e->children[0].text);
  }
  EXPECT_THAT(titles, Contains("I3 = 1, I4 = 0, I5 = 0, I6 = 2: item 14"));
  EXPECT_THAT(
      titles,
      Contains("I3 = 1, I4 = 1, I5 = 1, I6 = 3: hole, I1 = 3, I2 = 7, I0 = 25 out of bounds"));
}

TEST(HolePicture, TenThousandPointsAreAllDrawn) {
  const Inspected i(
      "tensors: {T: {dtype: float, logical: {a: 99, b: 97}, transforms: [{resize: {in: "
      "a, left: 0, right: 1, out: c}}, {resize: {in: b, left: 1, right: 2, out: d}}], "
      "loop: [c, d]}}\n");
  ASSERT_EQ(holes_of(i.tensor())->points(), 10'000);
  expect_all_points(i.tensor());
  const Inspected line(
      "tensors: {T: {dtype: float, logical: {a: 9999}, transforms: [{resize: {in: "
      "a, left: 1, right: 0, out: c}}]}}\n");
  expect_all_points(line.tensor());
  // In front of each row stands where it begins, as 1200+, and there is room for that.
  const XmlElement drawn = elements_of(*hole_picture(line.tensor()));
  for (const XmlElement* e : drawn.all()) {
    if (e->name != "text" || !e->text.ends_with('+')) continue;
    EXPECT_GE(number(*e, "x"), text_width(e->text, TextStyle::Small)) << e->text;
  }
  // Squares without numbers: about twenty characters each.
  EXPECT_LT(hole_picture(i.tensor())->elements().size(), 250'000u);
}

TEST(HolePicture, OfAHugeTensorTheEndsAndTheWitnessesAreShownAndItSaysSo) {
  const Inspected i(
      "tensors: {T: {dtype: int8, logical: {a: 1000000007}, transforms: [{split: {in: "
      "a, factor: 999, out: [b, c]}}, {split: {in: c, factor: 64, out: [d, e]}}], "
      "bind: {b: BIDx, e: TIDx}}}\n");
  const auto drawing = hole_picture(i.tensor());
  ASSERT_TRUE(drawing);
  EXPECT_LE(drawing->width(), kPictureWidth);
  const XmlElement root = elements_of(*drawing);
  const std::vector<std::string> texts = texts_of(root);
  EXPECT_THAT(texts, Contains(HasSubstr("rows left out")));
  for (const XmlElement* e : root.all()) {
    if (e->name != "text" || !e->text.ends_with("left out")) continue;
    for (const Cell& c : cells_of(root)) {
      const int y = number(*e, "y");
      EXPECT_FALSE(c.y <= y && y <= c.y + c.height) << e->text << " is written upon a cell";
    }
  }
  std::vector<std::string> titles;
  for (const XmlElement* e : of_class(root, "cell")) {
    if (!e->children.empty()) titles.push_back(e->children[0].text);
  }
  const auto& kept = i.tensor().analysis.predicates.kept;
  ASSERT_EQ(kept.size(), 2u);
  for (const KeptPredicate& p : kept) {
    std::string point;
    for (Expr v : i.tensor().analysis.variables) {
      for (const auto& [symbol, value] : p.witness) {
        if (!same(symbol, v)) continue;
        point +=
            (point.empty() ? "" : ", ") + std::string(v.name()) + " = " + std::to_string(value);
      }
    }
    EXPECT_THAT(titles, Contains(HasSubstr(point + ": hole, "))) << point;
    EXPECT_THAT(texts, Contains("hole: " + i.tensor().name_of(p.domain) +
                                " is out of bounds, its check stops the point"));
  }
}

TEST(HolePicture, MorePointsThanCanBeCountedAreNoMatter) {
  std::string logical, loops;
  for (int k = 0; k < 39; ++k) {
    logical += (k > 0 ? ", " : "") + ("axis_" + std::to_string(k)) + ": 2";
  }
  std::string transforms;
  for (int k = 0; k < 39; ++k) {
    const std::string n = std::to_string(k);
    transforms += std::string(k > 0 ? ", " : "") + "{resize: {in: axis_" + n +
                  ", left: 0, right: 5, out: r" + n + "}}";
  }
  const Inspected i("tensors: {T: {dtype: bool, memory: local, logical: {" + logical +
                    "}, transforms: [" + transforms + "]}}\n");
  ASSERT_EQ(i.report.tensors.size(), 1u);
  const auto drawing = hole_picture(i.tensor());
  ASSERT_TRUE(drawing);
  EXPECT_LE(drawing->width(), kPictureWidth);
  EXPECT_THAT(texts_of(elements_of(*drawing)),
              Contains("more rows than 64 bits can count left out"));
}

TEST(HolePicture, NumbersOfThreadsStandWhereTheyVary) {
  const auto texts = [](const std::string& loop, const std::string& bind) {
    const Inspected i("tensors: {T: {dtype: int8, logical: {a: 2, b: 3, c: 4}, loop: " + loop +
                      ", bind: " + bind + "}}\n");
    expect_all_points(i.tensor());
    return texts_of(elements_of(*hole_picture(i.tensor())));
  };
  EXPECT_THAT(texts("[a, b, c]", "{c: TIDx}"), Not(Contains("thread")));  // the loop's own index
  EXPECT_THAT(texts("[a, b, c]", "{c: TIDx}"), Contains("c TIDx"));
  EXPECT_THAT(texts("[a, b, c]", "{a: TIDy, b: TIDx}"),
              Contains("t5: number of the thread in its block"));
  EXPECT_THAT(texts("[a, b, c]", "{b: TIDy, c: TIDx}"), Contains("11"));
  EXPECT_THAT(texts("[a, b, c]", "{a: TIDz, b: TIDy, c: TIDx}"), Contains("12+"));
}

TEST(HolePicture, DuplicatesAreToldFromFirstVisits) {
  const Inspected i(
      "tensors: {T0: {dtype: float, duplicates: allowed, logical: {I0: 15}, "
      "transforms: [{split: {in: I0, factor: 6, out: [I1, I2]}}, {split: {in: I2, "
      "factor: 4, out: [I5, I6]}}]}}\n");
  expect_all_points(i.tensor());
  const std::vector<Cell> cells = cells_of(elements_of(*hole_picture(i.tensor())));
  EXPECT_TRUE(cells[6].is_repeated);
  EXPECT_FALSE(cells[8].is_repeated);
  EXPECT_EQ(cells[6].text, "6");
}

TEST(HolePicture, LongNamesGetLettersAndAKey) {
  const std::string name(64, 'x');
  const Inspected i("tensors: {T: {dtype: int8, logical: {" + name +
                    ": 5}, transforms: [{split: {in: " + name + ", factor: 4, out: [" +
                    std::string(63, 'o') + ", " + std::string(63, 'i') + "]}}]}}\n");
  expect_all_points(i.tensor());
  const auto texts = texts_of(elements_of(*hole_picture(i.tensor())));
  EXPECT_THAT(texts, Contains("a"));
  EXPECT_THAT(texts, Contains("hole: " + shortened(name, 32) +
                              " is out of bounds, its check stops the point"));
}

TEST(HolePicture, ThereIsNoneWhereASizeIsOpen) {
  const std::string text = "symbols: {N: {}}\ntensors: {T: {dtype: int8, logical: {a: N}}}\n";
  EXPECT_FALSE(hole_picture(Inspected(text).tensor()));
  expect_all_points(Inspected(text, {{"N", 7}}).tensor());
}

}  // namespace
}  // namespace selvage
