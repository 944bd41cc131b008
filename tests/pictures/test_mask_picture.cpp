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
using testing::HasSubstr;

// The cells as bits, line by line, as they stand.
std::vector<std::string> lines_of_cells(const XmlElement& root) {
  std::map<int, std::map<int, char>> lines;
  for (const XmlElement* e : of_class(root, "cell")) {
    lines[number(*e, "y")][number(*e, "x")] = e->has_class("valid") ? '1' : '0';
  }
  std::vector<std::string> bits;
  for (const auto& [y, line] : lines) {
    std::string& text = bits.emplace_back();
    for (const auto& [x, bit] : line) text += bit;
  }
  return bits;
}

TEST(MaskPicture, CellsStandAsTheBitsOfTheText) {
  MaskCase c({{{"p", 3}}, {{"q", 4}}}, 1);
  const XmlElement root = elements_of(mask_picture(c.mask("p < 2 && q == 0")));
  EXPECT_THAT(lines_of_cells(root), ElementsAre("0001", "0001", "0000"));
  EXPECT_THAT(texts_of(root), ElementsAre("q", "0", "1", "2", "3", "p = 0", "p = 1", "p = 2"));
  EXPECT_THAT(lines_of_cells(elements_of(mask_picture(c.mask("p == 0 || q == 3")))),
              ElementsAre("1111", "1000", "1000"));
  std::vector<std::string> titles;
  for (const XmlElement* e : of_class(root, "valid")) titles.push_back(e->children.at(0).text);
  EXPECT_THAT(titles, ElementsAre("p = 0, q = 0: active", "p = 1, q = 0: active"));
}

TEST(MaskPicture, LargeBlocksAreDrawnWarpByWarpAndAlikeOnesOnce) {
  MaskCase c({{{"b", 1 << 20}}, {{"t", 72}}}, 1);
  const XmlElement root = elements_of(mask_picture(c.mask("b * 72 + t < 100")));
  EXPECT_THAT(lines_of_cells(root),
              ElementsAre(std::string(32, '1'), std::string(32, '1'), std::string(8, '1'),
                          std::string(4, '0') + std::string(28, '1'), std::string(32, '0'),
                          std::string(8, '0'), std::string(32, '0'), std::string(32, '0'),
                          std::string(8, '0')));
  const auto texts = texts_of(root);
  EXPECT_THAT(texts, Contains("block b = 0: 72 of 72 threads, 3 warps: 3 full"));
  EXPECT_THAT(texts, Contains("block b = 1: 28 of 72 threads, 3 warps: 1 partly active, 2 idle"));
  EXPECT_THAT(texts, Contains("1048574 blocks, the first b = 2: 0 of 72 threads, 3 warps: 3 idle"));
  EXPECT_THAT(texts, Contains("28 of 32"));
}

TEST(MaskPicture, WhatIsLeftOutIsSaid) {
  MaskCase c({{{"b", 64}}, {{"t", 64}}}, 1);
  EXPECT_THAT(texts_of(elements_of(mask_picture(c.mask("t < b")))),
              Contains("and 58 more kinds of blocks"));
  MaskCase large({{{"t", 4096}}});
  EXPECT_THAT(texts_of(elements_of(mask_picture(large.mask("t < 5")))),
              Contains("32 of 128 warps"));
}

TEST(MaskPicture, AListTellsTextCountAndWarps) {
  MaskCase c({{{"p", 3}}, {{"q", 4}}}, 1);
  const NamedMask list[] = {{"p < 2 && q == 0", c.mask("p < 2 && q == 0")},
                            {"p == 0 || q == 3", c.mask("p == 0 || q == 3")},
                            {"p < limit", std::nullopt}};
  const Drawing drawing = mask_list_picture(list);
  EXPECT_LE(drawing.width(), kPictureWidth);
  const auto texts = texts_of(elements_of(drawing));
  EXPECT_THAT(texts, Contains("p < 2 && q == 0"));
  EXPECT_THAT(texts, Contains("011-0001"));
  EXPECT_THAT(texts, Contains("2 of 12 threads"));
  EXPECT_THAT(texts, Contains("6 of 12 threads"));
  EXPECT_THAT(texts, Contains("dynamic: values that are known only at run time decide"));
}

TEST(MaskPicture, NoLongNameAndNoLargeMaskMakesItWiderThanAPage) {
  MaskCase c({{{std::string(64, 'x'), 4}, {std::string(64, 'y'), 3}}, {{std::string(64, 'z'), 32}}},
             1);
  const NamedMask list[] = {{std::string(3000, '!'), c.mask("true")}};
  EXPECT_LE(mask_list_picture(list).width(), kPictureWidth);
  std::vector<NamedMask> many(100, list[0]);
  EXPECT_THAT(texts_of(elements_of(mask_list_picture(many))), Contains("and 60 more masks"));
}

}  // namespace
}  // namespace selvage
