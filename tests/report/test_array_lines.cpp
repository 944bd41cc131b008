#include <selvage/report/array_lines.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace selvage {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Property;

constexpr std::size_t kColumns = 60;

// 0, 1, 2, ... times `step`.
Array counted_up(DataType type, std::vector<std::int64_t> shape, double step = 1) {
  Array array(type, std::move(shape));
  for (std::int64_t k = 0; k < array.size(); ++k) array.set(k, step * double(k));
  return array;
}

std::vector<std::string> lines_of(const Array& array, std::size_t columns) {
  return array_lines({"x", array}, columns);
}

TEST(ArrayLines, BracketsStandForAxes) {
  EXPECT_THAT(lines_of(counted_up(DataType::Int32, {}), kColumns), ElementsAre("0"));
  EXPECT_THAT(lines_of(counted_up(DataType::Int32, {3}), kColumns), ElementsAre("[0 1 2]"));
  EXPECT_THAT(lines_of(counted_up(DataType::Int32, {2, 6}), kColumns),
              ElementsAre("[[ 0  1  2  3  4  5]", " [ 6  7  8  9 10 11]]"));
  EXPECT_THAT(lines_of(counted_up(DataType::Int8, {2, 2, 1}), kColumns),
              ElementsAre("[[[0]", "  [1]]", " [[2]", "  [3]]]"));
  EXPECT_THAT(lines_of(counted_up(DataType::Int32, {0, 3}), kColumns), ElementsAre("[]"));
}

TEST(ArrayLines, OfManyItemsTheCornersAreShown) {
  EXPECT_THAT(lines_of(counted_up(DataType::Int32, {1001}), kColumns),
              ElementsAre("[   0    1    2 ...  998  999 1000]"));
  EXPECT_THAT(
      lines_of(counted_up(DataType::Int32, {100, 2, 20}), kColumns),
      ElementsAre("[[[   0    1    2 ...   17   18   19]", "  [  20   21   22 ...   37   38   39]]",
                  " [[  40   41   42 ...   57   58   59]", "  [  60   61   62 ...   77   78   79]]",
                  " [[  80   81   82 ...   97   98   99]", "  [ 100  101  102 ...  117  118  119]]",
                  " ...", " [[3880 3881 3882 ... 3897 3898 3899]",
                  "  [3900 3901 3902 ... 3917 3918 3919]]", " [[3920 3921 3922 ... 3937 3938 3939]",
                  "  [3940 3941 3942 ... 3957 3958 3959]]", " [[3960 3961 3962 ... 3977 3978 3979]",
                  "  [3980 3981 3982 ... 3997 3998 3999]]]"));
}

TEST(ArrayLines, LongRowsGoOnBelow) {
  const std::vector<std::string> lines =
      lines_of(counted_up(DataType::Int32, {2, 20}, 1001), kColumns);
  EXPECT_THAT(lines, Each(Property(&std::string::size, testing::Le(kColumns))));
  EXPECT_EQ(lines[0], "[[    0  1001  2002  3003  4004  5005  6006  7007  8008");
  EXPECT_EQ(lines[1], "   9009 10010 11011 12012 13013 14014 15015 16016 17017");
  EXPECT_EQ(lines[2], "  18018 19019]");
  EXPECT_EQ(lines.size(), 6u);
}

TEST(ArrayLines, FloatsHaveTheDigitsThatTheirTypeTellsApart) {
  Array floats(DataType::Float, {6});
  const double values[] = {1.0 / 3, -0.0, NAN, -INFINITY, 1e-30, 16777217};
  for (std::int64_t k = 0; k < 6; ++k) floats.set(k, values[k]);
  EXPECT_THAT(lines_of(floats, 100),
              ElementsAre("[0.33333334         -0        nan       -inf      1e-30   16777216]"));
  EXPECT_THAT(lines_of(counted_up(DataType::Half, {2}, 1.0 / 3), kColumns),
              ElementsAre("[      0 0.33325]"));
  EXPECT_THAT(lines_of(counted_up(DataType::BFloat16, {2}, 1.0 / 3), kColumns),
              ElementsAre("[    0 0.334]"));
  EXPECT_THAT(lines_of(counted_up(DataType::Bool, {2}), kColumns), ElementsAre("[false  true]"));
  Array large(DataType::UInt64, {1});
  large.set_int(0, -1);
  EXPECT_THAT(lines_of(large, kColumns), ElementsAre("[18446744073709551615]"));
}

TEST(ArrayLines, ComplexNumbersAreShownAsPythonPrintsThem) {
  ShownArray shown = {"z", counted_up(DataType::Float, {2, 2, 2}, 0.25), true};
  shown.array.set(1, -0.5);
  EXPECT_THAT(array_lines(shown, kColumns),
              ElementsAre("[[   0-0.5j 0.5+0.75j]", " [  1+1.25j 1.5+1.75j]]"));
  EXPECT_EQ(type_text(shown), "complex64");
  EXPECT_EQ(shape_of(shown), (std::vector<std::int64_t>{2, 2}));
}

}  // namespace
}  // namespace selvage
