#include <selvage/pictures/parts.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using test::elements_of;
using test::Inspected;
using test::number;
using test::of_class;
using test::texts_of;
using testing::Contains;
using testing::Not;

std::string tile(const std::string& type, const std::string& rest) {
  return "tensors: {T: {dtype: " + type + ", memory: shared, " + rest + "}}\n";
}
XmlElement picture_of(const Inspected& i) {
  const auto drawing = bank_picture(i.tensor());
  EXPECT_TRUE(drawing);
  EXPECT_LE(drawing->width(), kPictureWidth);
  return elements_of(*drawing);
}

// What stands in the cells, line by line, of the first so many banks.
std::string lines_of_cells(const XmlElement& root, int banks) {
  std::map<std::pair<int, int>, std::string> cells;  // by y, x
  for (const XmlElement* e : of_class(root, "cell")) {
    if (e->attributes.contains("rx")) continue;  // the legend
    std::string& text = cells[{number(*e, "y"), number(*e, "x")}];
    for (const XmlElement* t : root.all()) {
      if (t->name != "text") continue;
      const int dx = number(*t, "x") - number(*e, "x"), dy = number(*t, "y") - number(*e, "y");
      if (dx >= 0 && dx < number(*e, "width") && dy > 0 && dy <= number(*e, "height")) {
        text += (text.empty() ? "" : "/") + t->text;
      }
    }
  }
  std::string lines;
  int y = -1, bank = 0;
  for (const auto& [at, text] : cells) {
    if (at.first != y) {
      lines += y < 0 ? "" : "\n";
      y = at.first;
      bank = 0;
    }
    if (bank++ < banks) lines += (text.empty() ? "." : text) + " ";
  }
  return lines;
}

TEST(BankPicture, ASwizzleIsSeenAndSoAreItsAccesses) {
  const Inspected i(tile("float",
                         "logical: {r: 4, c: 32}, transforms: [{swizzle: {kind: xor, in: [r, c], "
                         "out: [x, y]}}], allocation: [x, y], bind: {y: TIDx}, "
                         "read: {loop: [c, r], bind: {r: TIDx}}"));
  const XmlElement root = picture_of(i);
  EXPECT_EQ(lines_of_cells(root, 4),
            "0,0 0,1 0,2 0,3 \n"
            "1,1 1,0 1,3 1,2 \n"
            "2,2 2,3 2,0 2,1 \n"
            "3,3 3,2 3,1 3,0 ");
  EXPECT_EQ(of_class(root, "outline").size(), 32u + 4u);
  EXPECT_TRUE(of_class(root, "conflict").empty());
  EXPECT_THAT(texts_of(root), Not(Contains("4 ways")));
}

TEST(BankPicture, ConflictsAreStackedAndCounted) {
  const Inspected i(tile("float",
                         "logical: {r: 32, c: 32}, bind: {c: TIDx}, "
                         "read: {loop: [c, r], bind: {r: TIDx}}"));
  const XmlElement root = picture_of(i);
  const auto texts = texts_of(root);
  EXPECT_THAT(texts, Contains("1 way"));
  EXPECT_THAT(texts, Contains("32 ways"));
  EXPECT_THAT(texts, Contains("+25"));  // 7 are shown
  std::vector<std::string> titles;
  for (const XmlElement* e : of_class(root, "conflict")) {
    if (!e->children.empty()) titles.push_back(e->children[0].text);
  }
  EXPECT_THAT(titles, Contains("bank 0, word 32: thread 1"));
  EXPECT_THAT(titles, Contains("bank 0: 25 more words"));
}

TEST(BankPicture, WordsOfSeveralItemsTellThem) {
  EXPECT_EQ(lines_of_cells(picture_of(Inspected(tile("half", "logical: {r: 2, c: 5}"))), 6),
            "0,0/0,1 0,2/0,3 0,4/1,0 1,1/1,2 1,3/1,4 . ");
  EXPECT_EQ(lines_of_cells(picture_of(Inspected(tile("int8", "logical: {c: 10}"))), 4),
            "0/+3 4/+3 8/… . ");
  EXPECT_EQ(lines_of_cells(picture_of(Inspected(tile("double", "logical: {c: 2}"))), 6),
            "0 . 1 . . . ");
}

TEST(BankPicture, GapsBetweenRowsAreEmpty) {
  const Inspected i(tile("float", "logical: {r: 2, c: 3}, strides: [5, 1]"));
  EXPECT_EQ(lines_of_cells(picture_of(i), 9), "0,0 0,1 0,2 . . 1,0 1,1 1,2 . ");
  EXPECT_THAT(texts_of(picture_of(i)), Contains("no item"));
}

TEST(BankPicture, OfALargeTileTheFirstLinesAreDrawn) {
  const Inspected i(tile("float", "logical: {r: 128, c: 64}, bind: {c: TIDx}"));
  const XmlElement root = picture_of(i);
  EXPECT_THAT(texts_of(root), Contains("32 of 256 lines of 128 bytes"));
  EXPECT_EQ(of_class(root, "shade").size(), 32u * 32u + 1u);  // and the legend
}

TEST(BankPicture, ThereIsNoneElsewhereOrWhereASizeIsOpen) {
  const Inspected global("tensors: {T: {dtype: float, logical: {c: 8}}}\n");
  EXPECT_FALSE(bank_picture(global.tensor()));
  const std::string open = "symbols: {N: {}}\n" + tile("float", "logical: {c: N}");
  EXPECT_FALSE(bank_picture(Inspected(open).tensor()));
  EXPECT_TRUE(bank_picture(Inspected(open, {{"N", 8}}).tensor()));
  const std::string pitch =
      "symbols: {P: {}}\n" + tile("float", "logical: {r: 2, c: 8}, strides: [P, 1]");
  EXPECT_FALSE(bank_picture(Inspected(pitch).tensor()));
  const Inspected huge(tile("int8", "logical: {r: 1000000000, c: 1000000000}, bind: {c: TIDx}"));
  for (const TensorReport& t : huge.report.tensors) EXPECT_FALSE(bank_picture(t));
}

}  // namespace
}  // namespace selvage
