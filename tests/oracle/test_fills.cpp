// The judge of holes in buffers, judged by small ones.
#include <gtest/gtest.h>

#include "tests/oracle/access_case.h"
#include "tests/oracle/steps.h"

namespace selvage::oracle {
namespace {

using Ints = std::vector<std::int64_t>;

Ints elements_of(const std::vector<Fills::Read>& reads) {
  Ints r;
  for (const Fills::Read& read : reads) r.push_back(read.element);
  return r;
}

// 10 items in three rows of 4: elements 10 and 11 are holes.
struct Rows {
  Graph base = make_graph({10});
  OuterInner cut = split_by(base, 0, 4);
  Layout layout = dense_layout(base, {cut.outer, cut.inner});
};

TEST(Fills, AReaderThatIsGuardedSeesNoHole) {
  const Rows b;
  const Fills r = fills(b.base, b.base, b.layout, true);
  EXPECT_EQ(r.holes, (Ints{10, 11}));
  EXPECT_TRUE(r.holes_read.empty());
  EXPECT_FALSE(r.needs_initialisation());
}

TEST(Fills, AReaderWithoutGuardSeesTheHolesThatNobodyWrote) {
  const Rows b;
  const Fills r = fills(b.base, b.base, b.layout, false);
  EXPECT_EQ(elements_of(r.holes_read), (Ints{10, 11}));
  ASSERT_TRUE(r.needs_initialisation());
  EXPECT_EQ(r.unwritten->element, 10);
  EXPECT_EQ(r.unwritten->point, (Ints{2, 2}));
  EXPECT_FALSE(r.unwritten_item || r.outside || r.item_at_a_hole);
}

TEST(Fills, AReaderOfTheLogicalDomainNeedsNoGuard) {
  const Rows b;
  Graph reader = b.base;
  reader.view_steps = 1;
  reader.loop = reader.logical;
  EXPECT_TRUE(fills(b.base, reader, b.layout, false).holes_read.empty());
  // Split by 3 it goes two past the end, into the same holes; by 5 it does not; by 8, it leaves the
  // buffer as well.
  const auto holes_read_by = [&](std::int64_t factor) {
    Graph h = reader;
    split_by(h, 0, factor);
    return fills(b.base, h, b.layout, false);
  };
  EXPECT_EQ(elements_of(holes_read_by(3).holes_read), (Ints{10, 11}));
  EXPECT_TRUE(holes_read_by(5).holes_read.empty());
  ASSERT_TRUE(holes_read_by(8).outside.has_value());
  EXPECT_EQ(holes_read_by(8).outside->element, 12);
}

TEST(Fills, PaddingBetweenRowsIsAHoleThatNoIndexReaches) {
  const Graph g = make_graph({3, 4});
  const Fills r = fills(g, g, {{0, 1}, {5, 1}}, false);
  EXPECT_EQ(r.holes, (Ints{4, 9}));
  EXPECT_TRUE(r.holes_read.empty());
  Graph wide = g;
  wide.view_steps = 0;
  resize_of(wide, 1, 0, 1);  // a reader of rows of 5
  EXPECT_EQ(elements_of(fills(g, wide, {{0, 1}, {5, 1}}, false).holes_read), (Ints{4, 9}));
}

TEST(Fills, AHoleOfTheReaderMaySeeAnItem) {
  // The reader's rows of 4 in 3 x 4 items, resized to 5: index 4 is the next row's first item.
  const Graph g = make_graph({3, 4});
  Graph reader = g;
  resize_of(reader, 1, 0, 1);
  const Fills r = fills(g, reader, dense_layout(g, {0, 1}), false);
  EXPECT_TRUE(r.holes.empty());
  ASSERT_TRUE(r.item_at_a_hole.has_value());
  EXPECT_EQ(r.item_at_a_hole->element, 4);
  EXPECT_EQ(r.item_at_a_hole->point, (Ints{0, 4}));
  ASSERT_TRUE(r.outside.has_value());
  EXPECT_EQ(r.outside->element, 12);
}

TEST(Fills, AWriterThatLeavesItemsOutIsSeen) {
  const Graph g = make_graph({8});
  Graph writer = g;
  resize_of(writer, 0, 0, -2);
  const Fills r = fills(writer, g, dense_layout(g, {0}), true);
  EXPECT_TRUE(r.holes.empty());
  ASSERT_TRUE(r.unwritten_item.has_value());
  EXPECT_EQ(r.unwritten_item->element, 6);
}

TEST(Fills, AnAllocationThatShrinksOrOverlapsIsTold) {
  Graph g = make_graph({8});
  const int kept = resize_of(g, 0, 0, -2);
  const auto lost = misplaced_item(g, dense_layout(g, {kept}));
  ASSERT_TRUE(lost.has_value());
  EXPECT_EQ(lost->what, MisplacedItem::Outside);
  EXPECT_EQ(lost->item, (Ints{6}));
  const Graph rows = make_graph({3, 4});
  const auto shared = misplaced_item(rows, {{0, 1}, {3, 1}});
  ASSERT_TRUE(shared.has_value());
  EXPECT_EQ(shared->what, MisplacedItem::Shared);
  EXPECT_EQ(shared->item, (Ints{1, 0}));
  EXPECT_FALSE(misplaced_item(rows, {{0, 1}, {5, 1}}).has_value());
}

}  // namespace
}  // namespace selvage::oracle
