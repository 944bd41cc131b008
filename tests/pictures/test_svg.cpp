#include <selvage/pictures/svg.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/pictures/drawings.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

using test::elements_of;

TEST(Svg, TextIsEscaped) {
  EXPECT_EQ(xml_escaped("a < b && \"c\" > 'd'"),
            "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(xml_escaped("Größe \xE6\x97\xA5"), "Größe \xE6\x97\xA5");
}

TEST(Svg, WhatIsNoCharacterOfXmlIsShownAsOne) {
  const std::string kMark = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_escaped(std::string("a\0b\x1F\n\x7F", 6)),
            "a" + kMark + "b" + kMark + kMark + kMark);
  EXPECT_EQ(xml_escaped("\xFF"), kMark);                                      // no UTF-8
  EXPECT_EQ(xml_escaped("\xC0\xAF"), kMark + kMark);                          // overlong
  EXPECT_EQ(xml_escaped("\xED\xA0\x80"), kMark + kMark + kMark);              // surrogate
  EXPECT_EQ(xml_escaped("\xEF\xBF\xBE"), kMark);                              // U+FFFE
  EXPECT_EQ(xml_escaped("a\xE6\x97"), "a" + kMark + kMark);                   // cut short
  EXPECT_EQ(xml_escaped("\xF4\x90\x80\x80"), kMark + kMark + kMark + kMark);  // past U+10FFFF
}

TEST(Svg, AnyBytesMakeAWellFormedDocument) {
  std::mt19937 random(7);
  for (int round = count(300, 20000); round > 0; --round) {
    std::string bytes;
    for (unsigned n = random() % 12; n > 0; --n) {
      bytes += random() % 2 == 0 ? char(random()) : "<>&\"';\xE2\x80\xA6\xF0"[random() % 10];
    }
    Drawing drawing;
    drawing.text(0, 10, bytes, TextStyle::Label);
    drawing.rect(0, 0, 5, 5, "box", bytes);
    drawing.open("box", bytes);
    drawing.close();
    const XmlElement root = elements_of(drawing);
    ASSERT_EQ(root.children.size(), 3u);
    EXPECT_EQ(xml_escaped(root.children[0].text), xml_escaped(bytes));
  }
}

TEST(Svg, TextIsShortenedByCharacters) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde\xE2\x80\xA6");
  EXPECT_EQ(shortened("abcdefg", 1), "\xE2\x80\xA6");
  EXPECT_EQ(shortened("äöüäöü", 4), "äöü\xE2\x80\xA6");
  EXPECT_EQ(columns_of("äöü"), 3);
  EXPECT_EQ(columns_of("\xE6\x97\xA5\xE6\x9C\xAC"), 4);  // written wide
  EXPECT_EQ(shortened("\xE6\x97\xA5\xE6\x9C\xAC\xE6\x97\xA5", 4), "\xE6\x97\xA5\xE2\x80\xA6");
}

TEST(Svg, ADrawingKnowsHowLargeItIs) {
  Drawing drawing;
  drawing.rect(10, 20, 30, 40, "box");
  EXPECT_EQ(drawing.width(), 40);
  EXPECT_EQ(drawing.height(), 60);
  drawing.text(100, 50, "abc", TextStyle::Small, Anchor::Middle);
  EXPECT_GE(drawing.width(), 100 + text_width("abc", TextStyle::Small) / 2);
  drawing.text(400, 50, "abc", TextStyle::Small, Anchor::End);
  EXPECT_EQ(drawing.width(), 400);
  Drawing half;
  half.place(drawing, 5, 7, 500);
  EXPECT_EQ(half.width(), 205);
  EXPECT_EQ(half.height(), 37);
  EXPECT_EQ(elements_of(half).children[0]["transform"], "translate(5 7) scale(0.5)");
}

TEST(Svg, TheCheckerOfTheseTestsRefusesWhatIsNotWellFormed) {
  for (const char* text :
       {"<a>", "<a></b>", "<a b=\"1\" b=\"2\"/>", "<a>&</a>", "<a>&nbsp;</a>", "<a b=\"<\"/>",
        "<a/><a/>", "<a b=1/>", "<a>\x01</a>", "<a>\xFF</a>", "<a b=\"1\"c=\"2\"/>", "a"}) {
    EXPECT_THROW(parse_xml(text), std::runtime_error) << text;
  }
  EXPECT_EQ(parse_xml("<a b=\"&lt;1\">x &amp; y<c/></a>").text, "x & y");
}

}  // namespace
}  // namespace selvage
