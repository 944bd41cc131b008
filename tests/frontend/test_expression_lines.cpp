#include <selvage/base/diagnostic.h>
#include <selvage/frontend/expression_lines.h>

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace selvage {
namespace {

// The answer, every time written as 0.
std::string simplified(const std::string& lines, bool all_read = true) {
  std::istringstream in(lines);
  std::ostringstream out;
  EXPECT_EQ(simplify_lines(in, out), all_read);
  return std::regex_replace(out.str(), std::regex("\t[0-9]+\t"), "\t0\t");
}

TEST(ExpressionLines, AreSimplifiedInOrder) {
  EXPECT_EQ(simplified("a\tI\ti:16;j:4\t\ti * 4 / 4 + j / 4\n"
                       "b\tI\ti:N / 8\tN:8:64\t(i * 8 + 3) / 8\n"),
            "a\t0\ti\nb\t0\ti\n");
}

TEST(ExpressionLines, MayAssumeACondition) {
  EXPECT_EQ(simplified("g\tR\ti:16\t\ti % 8\ti < 8\n"), "g\t0\ti\n");
  EXPECT_EQ(simplified("g\tR\ti:16\t\ti % 8\t\n"), "g\t0\ti % 8\n");
}

TEST(ExpressionLines, ThatCannotBeReadAreToldAndTheRestGoesOn) {
  EXPECT_EQ(simplified("a\tI\ti:16\n"
                       "b\tI\ti\t\ti\n"
                       "c\tI\ti:0\t\ti\n"
                       "d\tI\ti:4\tN:3\ti\n"
                       "e\tI\ti:4\tN:x:3\ti\n"
                       "f\tI\ti:4;i:5\t\ti\n"
                       "g\tI\ti:4\t\tj\n"
                       "h\tI\ti:4\t\ti +\n"
                       "i\tI\ti:4\t\ti\ti + 1\n"
                       "j\tI\ti:4\t\ti / 4\n",
                       false),
            "a\terror\ta line has 5 or 6 fields, not 3\n"
            "b\terror\ta loop variable is name:extent, not 'i'\n"
            "c\terror\t'i:0' has no values\n"
            "d\terror\ta parameter is name:min:max, not 'N:3'\n"
            "e\terror\t'x' is no integer of 64 bits\n"
            "f\terror\t'i' is declared twice\n"
            "g\terror\tunknown name 'j' in expression 'j'\n"
            "h\terror\tsomething is missing at the end in expression 'i +'\n"
            "i\terror\t'i + 1' is no condition\n"
            "j\t0\t0\n");
}

TEST(ExpressionLines, ThatAreHostileAreRead) {
  std::string deep, long_sum;
  for (int i = 0; i < 5000; ++i) deep += "(";
  for (int i = 0; i < 2499; ++i) long_sum += "i / 3 + ";
  EXPECT_EQ(simplified("a\tI\ti:4\t\t" + deep + "i\n", false).substr(0, 8), "a\terror\t");
  EXPECT_EQ(simplified("a\tI\ti:4\t\t" + long_sum.substr(0, 9000) + "i\n").substr(0, 4), "a\t0\t");
  EXPECT_EQ(simplified("a\tI\ti:4\t\t" + long_sum + "i\n", false),
            "a\terror\ta field is longer than 10000 characters\n");
  EXPECT_THROW(simplify_file("/none", std::cout), BadInput);
  EXPECT_THROW(simplify_file("/", std::cout), BadInput);
}

}  // namespace
}  // namespace selvage
