#include <gtest/gtest.h>

#include <tools/schedule_inspect/progress_bar.h>

#include <sstream>

namespace selvage {
namespace {

TEST(ProgressBar, SaysHowFarItIsAndWhatIsTried) {
  EXPECT_EQ(ProgressBar::text({.done = 4, .all = 16, .kernel = "y", .plan = "128 threads"}),
            "[######..................]  4 of 16: y, 128 threads");
  EXPECT_EQ(ProgressBar::text({.done = 16, .all = 16, .kernel = "y", .plan = "32 threads"}),
            "[########################] 16 of 16: y, 32 threads");
}

TEST(ProgressBar, FitsALine) {
  for (int all = 0; all < 100; all += 7) {
    for (int done = 0; done <= all; done += 3) {
      const std::string text = ProgressBar::text(
          {.done = done, .all = all, .kernel = std::string(60, 'k'), .plan = "128 threads by 2"});
      EXPECT_EQ(text.size(), 79u) << text;
    }
  }
}

TEST(ProgressBar, IsNotPrintedWhereThereIsNoTerminal) {
  std::ostringstream err;
  {
    ProgressBar bar(err);
    bar.show({.done = 1, .all = 2, .kernel = "y", .plan = "128 threads"});
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace selvage
