#include <selvage/pictures/drawn_graph.h>
#include <selvage/pictures/parts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/oracle/random_graph.h"
#include "tests/pictures/drawings.h"
#include "tests/report/numbered.h"
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
using testing::ElementsAre;
using testing::Not;

struct Rect {
  int x, y, width, height;
};
Rect rect_of(const XmlElement& e) {
  return {number(e, "x"), number(e, "y"), number(e, "width"), number(e, "height")};
}
bool touch(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// Boxes and labels, none upon another.
std::vector<const XmlElement*> shapes_of(const XmlElement& root) {
  std::vector<const XmlElement*> shapes = of_class(root, "box");
  const auto joints = of_class(root, "joint");
  shapes.insert(shapes.end(), joints.begin(), joints.end());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_FALSE(touch(rect_of(*shapes[i]), rect_of(*shapes[k])))
          << shapes[i]->children[0].text << " and " << shapes[k]->children[0].text;
    }
  }
  return shapes;
}

TEST(GraphPicture, Figure2TellsNamesExtentsCutsAndHoles) {
  const test::Numbered t = test::figure2();
  const Report report = inspect("test.yaml", {Subject{.schedule = *t.schedule}});
  const XmlElement root = elements_of(graph_picture(report.tensors[0]));
  EXPECT_THAT(texts_of(root),
              ElementsAre("I0 {15}", "logical", "checked", "split 6", "3 holes", "I1 {3}", "I2 {6}",
                          "checked", "split 2", "1 hole", "I3 {2}", "loop 1", "I4 {2}", "loop 2",
                          "split 4", "2 holes", "I5 {2}", "loop 3", "I6 {4}", "loop 4"));
  EXPECT_EQ(shapes_of(root).size(), 10u);
  EXPECT_EQ(of_class(root, "wire").size(), 9u);
  EXPECT_EQ(of_class(root, "loop").size(), 4u);
  EXPECT_EQ(of_class(root, "checked").size(), 2u);
}

TEST(GraphPicture, EveryIterdomainAndTransformIsDrawnOnce) {
  std::mt19937_64 random(21);
  for (int round = count(60, 2000); round > 0; --round) {
    const oracle::Graph graph = oracle::random_graph(random);
    const EngineSchedule engine(graph);
    const TensorReport tensor =
        report_of(*engine.schedule, analyze(*engine.fusion, *engine.schedule, engine.tensor));
    const Drawing drawing = graph_picture(tensor);
    EXPECT_LE(drawing.width(), kPictureWidth);
    const XmlElement root = elements_of(drawing);
    EXPECT_EQ(of_class(root, "joint").size(), graph.steps.size());
    std::map<std::string, int> boxes;
    for (const XmlElement* e : of_class(root, "box")) ++boxes[e->children[0].text];
    EXPECT_EQ(boxes.size(), graph.names.size());
    for (std::size_t d = 0; d < graph.names.size(); ++d) {
      // One that no transform takes is an axis and a loop: a box in either row.
      const int id = int(d);
      const bool is_logical =
          std::find(graph.logical.begin(), graph.logical.end(), id) != graph.logical.end();
      const bool is_loop = std::find(graph.loop.begin(), graph.loop.end(), id) != graph.loop.end();
      const std::string title = graph.names[d] + " {" + std::to_string(graph.extents[d]) + "}";
      EXPECT_EQ(boxes[title], is_logical && is_loop && !graph.steps.empty() ? 2 : 1) << title;
    }
    shapes_of(root);
  }
}

TEST(GraphPicture, LoopsTellTheirParallelTypesAndStandInTheirOrder) {
  const Inspected i(
      "tensors: {T: {dtype: float, logical: {n: 64, m: 64}, transforms: [{split: {in: "
      "n, factor: 8, out: [no, ni]}}, {split: {in: m, factor: 32, out: [mo, mi]}}], "
      "loop: [no, mo, ni, mi], bind: {no: BIDy, mo: BIDx, ni: TIDy, mi: TIDx}}}\n");
  const XmlElement root = elements_of(graph_picture(i.tensor()));
  std::map<int, std::string> row;
  for (const XmlElement* e : of_class(root, "loop")) row[number(*e, "x")] = e->children[0].text;
  std::vector<std::string> names;
  for (const auto& [x, name] : row) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("no {8}", "mo {2}", "ni {8}", "mi {32}"));
  EXPECT_THAT(texts_of(root), Contains("loop 3 TIDy"));
}

TEST(GraphPicture, AnAllocationIsToldWhereItIsNotAsTheAxesAre) {
  const auto texts = [](bool is_transposed) {
    test::Numbered t("T", {"a", "b"}, {4, 8});
    std::vector<DomainId> order = (*t.fusion)[t.id()].logical;
    if (is_transposed) std::swap(order[0], order[1]);
    t.fusion->edit(t.id()).allocation = order;
    t.make_schedule();
    const Report report = inspect("test.yaml", {Subject{.schedule = *t.schedule}});
    return texts_of(elements_of(graph_picture(report.tensors.at(0))));
  };
  EXPECT_THAT(texts(true), Contains("allocation 1"));
  EXPECT_THAT(texts(false), Not(Contains("allocation 1")));
}

TEST(GraphPicture, ResizesSwizzlesViewsAllocationsAndReadersAreTold) {
  const Inspected i(
      "tensors: {T: {dtype: float, memory: shared, logical: {a: 8, b: 8}, transforms: "
      "[{swizzle: {kind: xor, in: [a, b], out: [x, y]}}, {resize: {in: x, left: 1, "
      "right: 2, out: z}}], allocation: [x, y], read: {loop: [b, a], bind: {a: "
      "TIDx}}}, V: {dtype: float, root: {p: 5, q: 2}, view: [{merge: {in: [p, q], "
      "out: r}}], logical: [r], loop: [p, q]}, C: {dtype: float, logical: {a: 3, b: "
      "8}, transforms: [{swizzle: {kind: cyclic_shift, in: [a, b], out: [x, y]}}, "
      "{split: {in: y, factor: 2, out: [o, v], inner: false}}]}}\n");
  ASSERT_EQ(i.report.tensors.size(), 3u);
  const auto texts = texts_of(elements_of(graph_picture(i.tensor())));
  for (const char* text : {"xor", "resize 1, 2", "3 holes", "allocation 1", "allocation 2",
                           "read 1", "read 2 TIDx", "loop 1", "loop 2"}) {
    EXPECT_THAT(texts, Contains(text));
  }
  const auto view = texts_of(elements_of(graph_picture(i.tensor(1))));
  EXPECT_THAT(view, ElementsAre("p {5}", "root", "loop 1", "q {2}", "root", "loop 2", "merge",
                                "r {10}", "logical"));
  const auto shift = texts_of(elements_of(graph_picture(i.tensor(2))));
  EXPECT_THAT(shift, Contains("cyclic shift"));
  EXPECT_THAT(shift, Contains("outer split 2"));
}

TEST(GraphPicture, HostileNamesAreShownAndCut) {
  test::Numbered t("<T>&\"'", {"a<b>&\"\x01\xFF", std::string(3000, 'n')}, {7, 5});
  Schedule& s = *t.schedule;
  s.split(s.loops(t.id())[0], 4, {.outer = "]]>", .inner = "-->"});
  const Report report = inspect("test.yaml", {Subject{.schedule = s}});
  ASSERT_EQ(report.tensors.size(), 1u);
  const Drawing drawing = graph_picture(report.tensors[0]);
  EXPECT_LE(drawing.width(), kPictureWidth);
  const auto texts = texts_of(elements_of(drawing));
  EXPECT_THAT(texts, Contains("a<b>&\"\xEF\xBF\xBD\xEF\xBF\xBD {7}"));
  EXPECT_THAT(texts, Contains("]]> {2}"));
  EXPECT_THAT(texts, Contains(std::string(23, 'n') + "\xE2\x80\xA6 {5}"));
}

TEST(GraphPicture, OpenSizesAreShown) {
  const Inspected i(
      "symbols: {N: {}}\ntensors: {T: {dtype: float, logical: {n: N}, transforms: "
      "[{split: {in: n, factor: 8, out: [o, v]}}]}}\n");
  const auto texts = texts_of(elements_of(graph_picture(i.tensor())));
  EXPECT_THAT(texts, Contains("n {N}"));
  EXPECT_THAT(texts, Contains("o {(N + 7) / 8}"));
  EXPECT_THAT(texts, Not(Contains("7 holes")));  // it is not known
}

TEST(GraphPicture, OfVeryManyTransformsTheFirstAreDrawn) {
  std::string transforms;
  std::string at = "n";
  for (int k = 0; k < 1200; ++k) {
    const std::string next = "a" + std::to_string(k);
    transforms += (k > 0 ? ", " : "") + ("{split: {in: " + at) + ", factor: 1, out: [" + next +
                  ", b" + std::to_string(k) + "]}}";
    at = next;
  }
  const Inspected i("tensors: {T: {dtype: float, memory: local, logical: {n: 9}, transforms: [" +
                    transforms + "]}}\n");
  ASSERT_EQ(i.report.tensors.size(), 1u);
  const Drawing drawing = graph_picture(i.tensor());
  EXPECT_LE(drawing.width(), kPictureWidth);
  const XmlElement root = elements_of(drawing);
  EXPECT_EQ(of_class(root, "joint").size(), 1000u);
  EXPECT_THAT(texts_of(root), Contains("The first 1000 transforms; 200 more are left out."));
}

}  // namespace
}  // namespace selvage
