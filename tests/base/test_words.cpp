#include <selvage/base/words.h>

#include <gtest/gtest.h>

namespace selvage {
namespace {

TEST(Words, AreJoinedAndListed) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"", "b"}), ", b");
  EXPECT_EQ(joined({"a", "b", "c"}, " x "), "a x b x c");
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(Words, AreCountedWithTheirPlural) {
  EXPECT_EQ(counted(1, "hole"), "1 hole");
  EXPECT_EQ(counted(0, "hole"), "0 holes");
  EXPECT_EQ(counted("N", "hole"), "N holes");
}

}  // namespace
}  // namespace selvage
