// Files in Matrix Market's format: what they mean, and what is wrong with them, by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/diagnostic.h>
#include <selvage/frontend/matrix_market.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>
#include <tests/support/special_values.h>
#include <tests/support/temporary_folder.h>
#include <tests/support/text_files.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>

namespace selvage {
namespace {

using testing::HasSubstr;

CoordinateMatrix matrix_in(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "m.mtx").string();
  std::ofstream(path) << text;
  return read_matrix_market(path);
}
std::string refusal_of_matrix(const std::string& text) {
  return bad_input([&] { matrix_in(text); });
}
const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, ReadsEveryKind) {
  const CoordinateMatrix a = matrix_in(kReal + "% a comment\n\n3 4 2\n 1 4  -2.5e1\n3 1 +7\n");
  EXPECT_EQ(a.rows, 3);
  EXPECT_EQ(a.columns, 4);
  EXPECT_EQ(a.row, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(a.column, (std::vector<std::int64_t>{3, 0}));
  EXPECT_EQ(a.value, (std::vector<double>{-25, 7}));
  const CoordinateMatrix p =
      matrix_in("%%MatrixMarket MATRIX coordinate pattern symmetric\r\n2 2 2\r\n1 1\r\n2 1\r\n");
  EXPECT_EQ(p.value, (std::vector<double>{1, 1, 1}));
  const CoordinateMatrix s =
      matrix_in("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n");
  EXPECT_EQ(s.value, (std::vector<double>{3, -3}));
  EXPECT_EQ(matrix_in(kReal + "0 5 0\n").items(), 0u);
}

TEST(MatrixMarket, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(refusal_of_matrix(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal_of_matrix("1 1 1\n"), HasSubstr("m.mtx:1"));
  EXPECT_THAT(refusal_of_matrix("%%MatrixMarket matrix array real general\n"),
              HasSubstr("dense matrix"));
  EXPECT_THAT(refusal_of_matrix("%%MatrixMarket matrix coordinate complex general\n"),
              HasSubstr("complex"));
  EXPECT_THAT(refusal_of_matrix("%%MatrixMarket matrix coordinate real hermitian\n"),
              HasSubstr("hermitian"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4\n"), HasSubstr("m.mtx:2"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 -4 1\n"), HasSubstr("the size -4"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4 1\n4 1 2\n"),
              HasSubstr("the row 4 is none of 1 to 3"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4 1\n0 1 2\n"),
              HasSubstr("the row 0 is none of 1 to 3"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4 1\n1 5 2\n"), HasSubstr("the column 5"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4 1\n1 1 x\n"), HasSubstr("m.mtx:3"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4 1\n1 1 nan\n"), HasSubstr("no number"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4 1\n1 1\n"), HasSubstr("has 2 numbers"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4 2\n1 1 1\n"), HasSubstr("there are 1 items"));
  EXPECT_THAT(refusal_of_matrix(kReal + "3 4 1\n1 1 1\n2 2 2\n"),
              HasSubstr("more items than the 1"));
  EXPECT_THAT(refusal_of_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n"),
              HasSubstr("3 rows and 4 columns"));
  EXPECT_THAT(
      refusal_of_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n"),
      HasSubstr("its diagonal"));
  EXPECT_THAT(bad_input([] { read_matrix_market("/nowhere/m.mtx"); }), HasSubstr("opened"));
}

TEST(MatrixMarket, ByRowsIsTheSameMatrix) {
  std::mt19937_64 rng(3);
  for (int k = 0; k < 200; ++k) {
    CoordinateMatrix m{std::int64_t(rng() % 7), std::int64_t(1 + rng() % 6), {}, {}, {}};
    const std::uint64_t items = m.rows == 0 ? 0 : rng() % 30;
    std::vector<std::vector<double>> dense(std::size_t(m.rows),
                                           std::vector<double>(std::size_t(m.columns), 0));
    for (std::uint64_t i = 0; i < items; ++i) {
      m.row.push_back(std::int64_t(rng() % std::uint64_t(m.rows)));
      m.column.push_back(std::int64_t(rng() % std::uint64_t(m.columns)));
      m.value.push_back(double(i));
      dense[std::size_t(m.row.back())][std::size_t(m.column.back())] += double(i);
    }
    const StoredMatrix r = stored(m, {});
    ASSERT_EQ(r.offsets.size(), std::size_t(m.rows) + 1);
    EXPECT_EQ(r.offsets.front(), 0);
    EXPECT_EQ(r.offsets.back(), std::int64_t(items));
    for (std::size_t row = 0; row < std::size_t(m.rows); ++row) {
      for (auto i = std::size_t(r.offsets[row]); i < std::size_t(r.offsets[row + 1]); ++i) {
        dense[row][std::size_t(r.column[i])] -= r.value[i];
        const bool is_first = i == std::size_t(r.offsets[row]);
        if (!is_first) {
          EXPECT_LE(r.column[i - 1], r.column[i]);
        }
      }
      for (double left : dense[row]) EXPECT_EQ(left, 0);
    }
  }
}

TEST(MatrixMarket, IsWrittenInTheFormatsOwnWords) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.mtx";
  write_matrix_market(path, {3, 4, {2, 0, 2}, {0, 3, 0}, {0.1, -3, 1e300}});
  EXPECT_EQ(contents(path), kReal + "3 4 3\n3 1 0.1\n1 4 -3\n3 1 1e+300\n");
  write_matrix_market(path, {0, 5, {}, {}, {}});
  EXPECT_EQ(contents(path), kReal + "0 5 0\n");
}

// Any finite bits of a double, in any order and several at one place.
TEST(MatrixMarket, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  std::mt19937_64 rng(11);
  const int cases = count(300, 3000);
  for (int k = 0; k < cases; ++k) {
    CoordinateMatrix m{std::int64_t(rng() % 7), std::int64_t(rng() % 6), {}, {}, {}};
    const std::uint64_t items = m.rows * m.columns == 0 ? 0 : rng() % 30;
    while (m.items() < items) {
      const std::uint64_t bits = rng() % 8 == 0 ? rng() % 2 << 63 : rng();
      double value;
      std::memcpy(&value, &bits, sizeof value);
      if (!std::isfinite(value)) continue;
      m.row.push_back(std::int64_t(rng() % std::uint64_t(m.rows)));
      m.column.push_back(std::int64_t(rng() % std::uint64_t(m.columns)));
      m.value.push_back(value);
    }
    const std::string path = folder / (std::to_string(k) + ".mtx");
    write_matrix_market(path, m);
    const CoordinateMatrix again = read_matrix_market(path);
    EXPECT_EQ(again.rows, m.rows);
    EXPECT_EQ(again.columns, m.columns);
    EXPECT_EQ(again.row, m.row);
    EXPECT_EQ(again.column, m.column);
    ASSERT_EQ(again.items(), m.items());
    for (std::size_t i = 0; i < m.items(); ++i) {
      EXPECT_EQ(again.value[i], m.value[i]);
      EXPECT_EQ(std::signbit(again.value[i]), std::signbit(m.value[i]));
    }
  }
}

TEST(MatrixMarket, IsNotWrittenWhereItCannotBe) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.mtx";
  const auto why = [&](const std::string& to, double value) {
    return bad_input([&] { write_matrix_market(to, {3, 4, {1, 2}, {0, 3}, {5, value}}); });
  };
  const std::string help = "; help: leave it out, or write the matrix as a .npz file";
  EXPECT_EQ(why(path, kNaN), path +
                                 ": error[E603]: cannot write the matrix: item 1, which would be "
                                 "the line 3 4 nan, is no finite number, and Matrix Market has no "
                                 "other" +
                                 help);
  EXPECT_EQ(why(path, -kInfinity), path +
                                       ": error[E603]: cannot write the matrix: item 1, which "
                                       "would be the line 3 4 -inf, is no finite number, and "
                                       "Matrix Market has no other" +
                                       help);
  const std::string none = folder / "none/m.mtx";
  EXPECT_EQ(why(none, 1), none +
                              ": error[E603]: cannot write the matrix: No such file or directory; "
                              "help: name a file in a directory that exists and can be written to");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

using KnownExtents = std::vector<std::optional<std::int64_t>>;

CoordinateTensor tensor_in(const std::string& text, const KnownExtents& extents) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "t.tns").string();
  std::ofstream(path) << text;
  return read_tns(path, extents);
}

TEST(Tns, HasItemsAndCommentsAndTellsExtents) {
  const std::string text = "# a comment\n\n2 1 4  -2.5e1\r\n 1 3 1 +7\n  # another\n2 1 4 1\n";
  const CoordinateTensor t = tensor_in(text, {{}, 5, {}});
  EXPECT_EQ(t.extents, (std::vector<std::int64_t>{2, 5, 4}));
  EXPECT_EQ(t.coordinates[0], (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(t.coordinates[1], (std::vector<std::int64_t>{0, 2, 0}));
  EXPECT_EQ(t.coordinates[2], (std::vector<std::int64_t>{3, 0, 3}));
  EXPECT_EQ(t.value, (std::vector<double>{-25, 7, 1}));
  EXPECT_EQ(tensor_in("", {{}, 2, {}}).extents, (std::vector<std::int64_t>{0, 2, 0}));
}

TEST(Tns, SaysWhatIsWrongAndWhere) {
  const auto why = [](const std::string& text) {
    const std::string said = bad_input([&] { tensor_in(text, {{}, 5, {}}); });
    return said.substr(said.rfind("t.tns"));
  };
  EXPECT_EQ(why("1 1 1 1\n1 2 3\n"),
            "t.tns:2:0: error[E602]: an item has 3 numbers; help: write 3 coordinates and a value");
  EXPECT_EQ(
      why("# items\n1 6 1 1\n"),
      "t.tns:2:0: error[E602]: the coordinate 6 is none of 1 to 5; help: count from 1 on, along "
      "the axes of the tensor in order");
  EXPECT_THAT(why("0 1 1 1\n"),
              HasSubstr("t.tns:1:0: error[E602]: the coordinate 0 is no number from 1 on"));
  EXPECT_THAT(why("1 1 1.5 1\n"), HasSubstr("the coordinate 1.5 is no number from 1 on"));
  EXPECT_THAT(why("1 1 99999999999999999999 1\n"),
              HasSubstr("99999999999999999999 is no number from 1 on"));
  EXPECT_EQ(why("1 1 1 x\n"), "t.tns:1:0: error[E602]: x is no number; help: write a number");
  EXPECT_THAT(why("1 1 1 nan\n"), HasSubstr("nan is no number"));
  EXPECT_THAT(bad_input([] { read_tns("/nowhere/t.tns", {{}, {}}); }), HasSubstr("opened"));
}

TEST(Tns, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.tns";
  std::mt19937_64 rng(12);
  for (int k = 0; k < count(200, 2000); ++k) {
    CoordinateTensor t;
    t.extents.resize(2 + rng() % 4, 1 + std::int64_t(rng() % 1000));
    t.coordinates.resize(t.extents.size());
    for (std::uint64_t items = rng() % 30; items > 0; --items) {
      for (auto& axis : t.coordinates) {
        axis.push_back(std::int64_t(rng() % std::uint64_t(t.extents[0])));
      }
      t.value.push_back(std::ldexp(double(std::int64_t(rng())), int(rng() % 200) - 100));
    }
    write_tns(path, t);
    const CoordinateTensor again = read_tns(path, {t.extents.begin(), t.extents.end()});
    EXPECT_EQ(again.extents, t.extents);
    EXPECT_EQ(again.coordinates, t.coordinates);
    EXPECT_EQ(again.value, t.value);
  }
  EXPECT_EQ(bad_input([&] {
              write_tns(path, {{2, 2}, {{0}, {1}}, {kInfinity}});
            }),
            path +
                ": error[E603]: cannot write the tensor: item 0, which would be the line 1 2 inf, "
                "is no finite number, and .tns has no other; help: leave it out, or write the "
                "tensor as a .npy file");
}

}  // namespace
}  // namespace selvage
