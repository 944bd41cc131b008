// What is wrong with a file of a sparse matrix, in whole messages.
#include <gtest/gtest.h>
#include <selvage/base/diagnostic.h>
#include <selvage/frontend/npy.h>
#include <selvage/frontend/npz.h>
#include <tests/frontend/zip_bytes.h>
#include <tests/support/refusal.h>
#include <tests/support/temporary_folder.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <span>

namespace selvage {
namespace {

using Ints = std::vector<std::int32_t>;

template <class Item>
std::string array_bytes(const std::string& descr, const std::vector<std::int64_t>& shape,
                        const std::vector<Item>& items) {
  return npy_bytes(descr, shape, std::as_bytes(std::span(items)));
}
std::string ints(const std::vector<std::int32_t>& items) {
  return array_bytes("<i4", {std::int64_t(items.size())}, items);
}
std::string doubles(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return array_bytes("<f8", shape, std::vector<double>(std::size_t(n), 1));
}
std::string word(const std::string& text) {
  return array_bytes("|S" + std::to_string(text.size()), {},
                     std::vector<char>(text.begin(), text.end()));
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
using Members = std::map<std::string, std::string>;

// 3 x 4 items, of which 3 are stored.
Members csr() {
  return {{"format", word("csr")},
          {"shape", ints({3, 4})},
          {"indices", ints({1, 0, 3})},
          {"indptr", ints({0, 1, 1, 3})},
          {"data", doubles({3})}};
}
Members coo() {
  return {{"format", word("coo")},
          {"shape", ints({3, 4})},
          {"row", ints({2, 0, 1})},
          {"col", ints({3, 1, 1})},
          {"data", doubles({3})}};
}
Members bsr() {
  return {{"format", word("bsr")},
          {"shape", ints({4, 6})},
          {"indices", ints({1, 0})},
          {"indptr", ints({0, 1, 2})},
          {"data", doubles({2, 2, 3})}};
}
Members dia() {
  return {{"format", word("dia")},
          {"shape", ints({3, 4})},
          {"offsets", ints({1, 0})},
          {"data", doubles({2, 4})}};
}

class NpzRefusal : public testing::Test {
 protected:
  std::string path(const std::string& name = "m.npz") const { return (folder_ / name).string(); }
  std::string said(const auto& action) const {
    const std::string text = bad_input(action);
    const std::string head = path("");
    return text.starts_with(head) ? text.substr(head.size()) : text;
  }
  // What reading a file of these bytes is refused with.
  std::string of_bytes(const std::string& bytes) const {
    std::filesystem::remove(path());
    std::ofstream(path(), std::ios::binary) << bytes;
    return said([&] { read_npz(path()); });
  }
  std::string of_zip(const std::vector<ZipMember>& members) const {
    return of_bytes(zip_bytes(members));
  }
  // With one member other than it should be, or, if it is empty, without it.
  std::string of(Members members, const std::string& name, const std::string& bytes) const {
    members[name] = bytes;
    std::vector<ZipMember> all;
    for (const auto& [key, value] : members) {
      if (!value.empty()) all.push_back({key + ".npy", value});
    }
    return of_zip(all);
  }

  TemporaryFolder folder_;
};

const std::string kAgain = "; help: save the matrix again with scipy.sparse.save_npz";

TEST_F(NpzRefusal, OfNoneOfTheFilesThatTheseChange) {
  for (const Members& members : {csr(), coo(), bsr(), dia()}) {
    EXPECT_EQ(of(members, "format", members.at("format")), "accepted");
  }
}

TEST_F(NpzRefusal, OfWhatIsNoArchive) {
  EXPECT_EQ(said([&] { read_npz(path("none.npz")); }),
            "none.npz: error[E602]: cannot read the matrix: No such file or directory; help: name "
            "a .npz file that can be read");
  EXPECT_EQ(said([&] { read_npz(path("")); }),
            ": error[E602]: cannot read the matrix: it is not a regular file; help: name a .npz "
            "file that can be read");
  EXPECT_EQ(said([&] { read_npz("/dev/zero"); }),
            "/dev/zero: error[E602]: cannot read the matrix: it is not a regular file; help: name "
            "a .npz file that can be read");
  EXPECT_EQ(
      of_bytes(""),
      "m.npz: error[E602]: not a .npz file: it is no zip archive, or not a whole one" + kAgain);
  EXPECT_EQ(
      of_bytes(doubles({3})),
      "m.npz: error[E602]: not a .npz file: it is no zip archive, or not a whole one" + kAgain);
  EXPECT_EQ(
      of_bytes("PK\3\4"),
      "m.npz: error[E602]: not a .npz file: it is no zip archive, or not a whole one" + kAgain);
  std::string directory = zip_bytes({{"format.npy", word("csr")}});
  directory[directory.find("PK\1\2")] = 'p';
  EXPECT_EQ(
      of_bytes(directory),
      "m.npz: error[E602]: not a .npz file: it is no zip archive, or not a whole one" + kAgain);
  std::string more = zip_bytes({{"format.npy", word("csr")}});
  more[more.size() - 12] = more[more.size() - 14] = 9;  // members, says the end
  EXPECT_EQ(of_bytes(more), "m.npz: error[E602]: the zip archive is damaged" + kAgain);
  EXPECT_EQ(of_zip({}),
            "m.npz: error[E602]: it has no member format.npy, so it is no sparse matrix; help: "
            "save the matrix with scipy.sparse.save_npz");
  EXPECT_EQ(of_zip({{"arr_0.npy", doubles({3})}}),
            "m.npz: error[E602]: it has no member format.npy, so it is no sparse matrix; help: "
            "save the matrix with scipy.sparse.save_npz");
}

TEST_F(NpzRefusal, OfMembersThatAreDamaged) {
  const std::string format = word("csr");
  const auto size = std::uint32_t(format.size());
  const std::string deflate = deflated(format);
  const auto sum = crc32_of(format);
  EXPECT_EQ(of_zip({{"format.npy", format}, {"format.npy", format}}),
            "m.npz: error[E602]: there are two members format.npy" + kAgain);
  EXPECT_EQ(of_zip({{"format.npy", format, 0, 1}}),
            "m.npz: error[E602]: the member format.npy is encrypted" + kAgain);
  EXPECT_EQ(of_zip({{"format.npy", format, 12}}),
            "m.npz: error[E602]: the member format.npy is compressed by the method 12 of zip, "
            "neither stored nor deflated" +
                kAgain);
  EXPECT_EQ(
      of_zip({{"format.npy", format, 0, 0, size + 1}}),
      "m.npz: error[E602]: the member format.npy is damaged: 132 bytes cannot lie in 131" + kAgain);
  EXPECT_EQ(
      of_zip({{"format.npy", "123", 8, 0, 1U << 30}}),
      "m.npz: error[E602]: the member format.npy is damaged: 1073741824 bytes cannot lie in 3" +
          kAgain);
  EXPECT_EQ(
      of_zip({{"format.npy", std::string((2 << 20) + 1, ' ')}}),
      "m.npz: error[E602]: the member format.npy has 2097153 bytes, which is too long" + kAgain);
  EXPECT_EQ(
      of_zip({{"format.npy", format, 0, 0, size, sum ^ 1}}),
      "m.npz: error[E602]: the member format.npy is damaged: its checksum is another" + kAgain);
  EXPECT_EQ(
      of_zip({{"format.npy", deflate, 8, 0, size, sum ^ 1}}),
      "m.npz: error[E602]: the member format.npy is damaged: its checksum is another" + kAgain);
  EXPECT_EQ(of_zip({{"format.npy", deflate, 8, 0, size - 1, sum}}),
            "m.npz: error[E602]: the member format.npy is damaged: it does not inflate to the 130 "
            "bytes that the archive states" +
                kAgain);
  EXPECT_EQ(of_zip({{"format.npy", deflate, 8, 0, size + 1, sum}}),
            "m.npz: error[E602]: the member format.npy is damaged: it does not inflate to the 132 "
            "bytes that the archive states" +
                kAgain);
  EXPECT_EQ(of_zip({{"format.npy", "\7" + deflate.substr(1), 8, 0, size, sum}}),
            "m.npz: error[E602]: the member format.npy is damaged: it does not inflate to the 131 "
            "bytes that the archive states" +
                kAgain);
  EXPECT_EQ(of_zip({{"format.npy", deflate.substr(0, 20), 8, 0, size, sum}}),
            "m.npz: error[E602]: the member format.npy is damaged: it does not inflate to the 131 "
            "bytes that the archive states" +
                kAgain);
}

TEST_F(NpzRefusal, OfMembersThatAreOfAnotherKind) {
  EXPECT_EQ(of(csr(), "format", ""),
            "m.npz: error[E602]: it has no member format.npy, so it is no sparse matrix; help: "
            "save the matrix with scipy.sparse.save_npz");
  EXPECT_EQ(of(csr(), "format", "text"),
            "m.npz: error[E602]: the member format.npy: not a .npy file: it does not begin with "
            "\\x93NUMPY" +
                kAgain);
  EXPECT_EQ(of(csr(), "format", doubles({3})),
            "m.npz: error[E602]: the member format.npy: it is no string, but has the type '<f8' "
            "and 1 axes" +
                kAgain);
  EXPECT_EQ(of(csr(), "format", array_bytes("|S3", {1}, std::vector<char>{'c', 's', 'r'})),
            "m.npz: error[E602]: the member format.npy: it is no string, but has the type '|S3' "
            "and 1 axes" +
                kAgain);
  EXPECT_EQ(of(csr(), "format", array_bytes("|S9", {}, std::vector<char>{'c', 's', 'r'})),
            "m.npz: error[E602]: the member format.npy: the string should have 9 characters of 1 "
            "bytes, but 3 bytes follow" +
                kAgain);
  EXPECT_EQ(of(csr(), "format", word("lil")),
            "m.npz: error[E602]: the member format.npy: the format 'lil' is none of csr, csc, coo, "
            "dia and bsr; help: save it in one of these: a.tocsr()");
  EXPECT_EQ(
      of(csr(), "shape", ""),
      "m.npz: error[E602]: it has no member shape.npy, which a matrix of the format csr needs" +
          kAgain);
  EXPECT_EQ(of(csr(), "shape", ints({3})),
            "m.npz: error[E602]: the member shape.npy has 1 sizes, and a matrix has rows and "
            "columns; help: save an array of two axes");
  EXPECT_EQ(of(csr(), "shape", ints({3, -4})),
            "m.npz: error[E602]: the member shape.npy: the number of columns is -4" + kAgain);
  EXPECT_EQ(of(csr(), "shape", doubles({2})),
            "m.npz: error[E602]: the member shape.npy: its items are of the type double, and "
            "should be int32 or int64; help: save them as int64");
  EXPECT_EQ(of(csr(), "shape", array_bytes("<i4", {1, 2}, Ints{3, 4})),
            "m.npz: error[E602]: the member shape.npy has 2 axes, not 1" + kAgain);
  EXPECT_EQ(
      of(csr(), "indices", ""),
      "m.npz: error[E602]: it has no member indices.npy, which a matrix of the format csr needs" +
          kAgain);
  EXPECT_EQ(of(csr(), "indices", doubles({3})),
            "m.npz: error[E602]: the member indices.npy: its items are of the type double, and "
            "should be int32 or int64; help: save them as int64");
  EXPECT_EQ(of(csr(), "indices", array_bytes("<i4", {9}, Ints{3, 4})),
            "m.npz: error[E602]: the member indices.npy: the header promises 36 bytes of data, but "
            "8 follow" +
                kAgain);
  EXPECT_EQ(of(csr(), "data", array_bytes("<c16", {3}, std::vector<double>(6))),
            "m.npz: error[E602]: the member data.npy: the type '<c16' is complex; help: save the "
            "real and the imaginary part as matrices of their own: a.real, a.imag");
  EXPECT_EQ(of(csr(), "data", array_bytes(">f8", {3}, std::vector<double>(3))),
            "m.npz: error[E602]: the member data.npy: the type '>f8' is big-endian; help: save it "
            "little-endian: a.astype('<f8')");
  EXPECT_EQ(of(csr(), "data", array_bytes("<M8", {3}, std::vector<double>(3))),
            "m.npz: error[E602]: the member data.npy: the type '<M8' is not supported; help: use "
            "bool, int8 to int64, uint8 to uint64, or float16 to float64");
  EXPECT_EQ(of(csr(), "data", array_bytes("<f8", {3, 1}, std::vector<double>(3))),
            "m.npz: error[E602]: the member data.npy has 2 axes, not 1" + kAgain);
  EXPECT_EQ(
      of(dia(), "offsets", ""),
      "m.npz: error[E602]: it has no member offsets.npy, which a matrix of the format dia needs" +
          kAgain);
}

TEST_F(NpzRefusal, OfOffsetsThatTellNoRows) {
  EXPECT_EQ(of(csr(), "data", doubles({4})),
            "m.npz: error[E602]: the members indices.npy and data.npy are of 3 and 4 items, and "
            "should be of as many" +
                kAgain);
  EXPECT_EQ(of(csr(), "indptr", ints({0, 1, 3})),
            "m.npz: error[E602]: the member indptr.npy has 3 offsets, and 3 rows need 4; help: "
            "write where each row begins, rising from 0 on, and the number of items at the end");
  EXPECT_EQ(of(csr(), "indptr", ints({})),
            "m.npz: error[E602]: the member indptr.npy has 0 offsets, and 3 rows need 4; help: "
            "write where each row begins, rising from 0 on, and the number of items at the end");
  EXPECT_EQ(of(csr(), "indptr", ints({1, 1, 1, 3})),
            "m.npz: error[E602]: the member indptr.npy begins with 1, not 0; help: write where "
            "each row begins, rising from 0 on, and the number of items at the end");
  EXPECT_EQ(of(csr(), "indptr", ints({0, 2, 1, 3})),
            "m.npz: error[E602]: the member indptr.npy falls from 2 to 1 at row 1; help: write "
            "where each row begins, rising from 0 on, and the number of items at the end");
  EXPECT_EQ(of(csr(), "indptr", ints({0, 1, 1, 4})),
            "m.npz: error[E602]: the member indptr.npy ends with 4, and the member indices.npy is "
            "of 3 items; help: write where each row begins, rising from 0 on, and the number of "
            "items at the end");
  Members csc = csr();
  csc["format"] = word("csc");
  EXPECT_EQ(of(csc, "shape", ints({4, 4})),
            "m.npz: error[E602]: the member indptr.npy has 4 offsets, and 4 columns need 5; help: "
            "write where each column begins, rising from 0 on, and the number of items at the end");
  EXPECT_EQ(
      of(bsr(), "indptr", ints({0, 2, 1})),
      "m.npz: error[E602]: the member indptr.npy falls from 2 to 1 at row of blocks 1; help: write "
      "where each row of blocks begins, rising from 0 on, and the number of blocks at the end");
  EXPECT_EQ(of(csr(), "shape", array_bytes("<i8", {2}, std::vector{kMost, kMost})),
            "m.npz: error[E602]: the member indptr.npy has 4 offsets, and 9223372036854775807 rows "
            "need 9223372036854775808; help: write where each row begins, rising from 0 on, and "
            "the number of items at the end");
}

TEST_F(NpzRefusal, OfItemsOutsideOfTheMatrix) {
  EXPECT_EQ(
      of(csr(), "indices", ints({1, 0, 4})),
      "m.npz: error[E602]: the member indices.npy: the column 4 of item 2, in row 2, is outside of "
      "the matrix, which has 4 columns; help: count columns from 0 on, or correct the shape");
  EXPECT_EQ(
      of(csr(), "indices", ints({-1, 0, 3})),
      "m.npz: error[E602]: the member indices.npy: the column -1 of item 0, in row 0, is outside "
      "of the matrix, which has 4 columns; help: count columns from 0 on, or correct the shape");
  Members csc = csr();
  csc["format"] = word("csc");
  EXPECT_EQ(
      of(csc, "shape", ints({2, 3})),
      "m.npz: error[E602]: the member indices.npy: the row 3 of item 2, in column 2, is outside of "
      "the matrix, which has 2 rows; help: count rows from 0 on, or correct the shape");
  EXPECT_EQ(of(bsr(), "indices", ints({1, 2})),
            "m.npz: error[E602]: the member indices.npy: the column of blocks 2 of block 1, in row "
            "of blocks 1, is outside of the matrix, which has 2 columns of blocks; help: count "
            "columns of blocks from 0 on, or correct the shape");
  EXPECT_EQ(of(coo(), "row", ints({2, 3, 1})),
            "m.npz: error[E602]: the member row.npy: the row 3 of item 1 is outside of the matrix, "
            "which has 3 rows; help: count rows from 0 on, or correct the shape");
  EXPECT_EQ(of(coo(), "col", ints({3, 1, 9})),
            "m.npz: error[E602]: the member col.npy: the column 9 of item 2 is outside of the "
            "matrix, which has 4 columns; help: count columns from 0 on, or correct the shape");
  EXPECT_EQ(of(coo(), "col", ints({3, 1})),
            "m.npz: error[E602]: the members col.npy and data.npy are of 2 and 3 items, and should "
            "be of as many" +
                kAgain);
  EXPECT_EQ(of(coo(), "coords", array_bytes("<i4", {3, 1}, Ints{0, 0, 0})),
            "m.npz: error[E602]: the member coords.npy has coordinates on 3 axes, and a matrix has "
            "rows and columns" +
                kAgain);
  EXPECT_EQ(of(coo(), "coords", array_bytes("<i4", {2, 3}, Ints{0, 0, 0, 1, -2, 1})),
            "m.npz: error[E602]: the member coords.npy: the column -2 of item 1 is outside of the "
            "matrix, which has 4 columns; help: count columns from 0 on, or correct the shape");
}

TEST_F(NpzRefusal, OfBlocksAndDiagonals) {
  EXPECT_EQ(of(bsr(), "data", doubles({2, 1, 4097})),
            "m.npz: error[E602]: the member data.npy has blocks of 1 x 4097 items, and 1 to 4,096 "
            "are allowed; help: save it in other blocks, or in none: a.tobsr((4, 4)), a.tocsr()");
  EXPECT_EQ(of(bsr(), "data", doubles({2, 0, 3})),
            "m.npz: error[E602]: the member data.npy has blocks of 0 x 3 items, and 1 to 4,096 are "
            "allowed; help: save it in other blocks, or in none: a.tobsr((4, 4)), a.tocsr()");
  EXPECT_EQ(of(bsr(), "shape", ints({5, 6})),
            "m.npz: error[E602]: the member data.npy has blocks of 2 x 3 items, which do not fill "
            "5 rows and 6 columns; help: correct the shape to whole blocks");
  EXPECT_EQ(of(dia(), "offsets", ints({1, 1})),
            "m.npz: error[E602]: the member offsets.npy: the diagonal 1 stands twice, as items 0 "
            "and 1; help: give each diagonal once");
  EXPECT_EQ(of(dia(), "offsets", ints({1})),
            "m.npz: error[E602]: the members offsets.npy and data.npy are of 1 and 2 items, and "
            "should be of as many" +
                kAgain);
  EXPECT_EQ(of(dia(), "shape", ints({2000000000, 4})),
            "m.npz: error[E602]: the member data.npy is of 8 items, and 2 diagonals of 2000000000 "
            "rows would take far more memory; help: save it in the format csr: a.tocsr()");
  EXPECT_EQ(of(dia(), "shape", array_bytes("<i8", {2}, std::vector{kMost, kMost})),
            "m.npz: error[E602]: the member data.npy is of 8 items, and 2 diagonals of "
            "9223372036854775807 rows would take far more memory; help: save it in the format csr: "
            "a.tocsr()");
}

TEST_F(NpzRefusal, OfWhatScipyHasNoFormOf) {
  const auto why = [&](const StoredMatrix& m) { return said([&] { write_npz(path(), m); }); };
  StoredMatrix m;
  m.format.storage = StorageKind::Ell;
  EXPECT_EQ(why(m),
            "m.npz: error[E603]: cannot write the matrix: SciPy has no matrices of the format ell; "
            "help: convert it to csr first, or to csc, coo, dia or bcsr");
  m.format.storage = StorageKind::Sell;
  EXPECT_EQ(why(m),
            "m.npz: error[E603]: cannot write the matrix: SciPy has no matrices of the format "
            "sell; help: convert it to csr first, or to csc, coo, dia or bcsr");
  m.format = {StorageKind::Bcsr, 2, 2};
  m.rows = 3;
  m.columns = 4;
  EXPECT_EQ(why(m),
            "m.npz: error[E603]: cannot write the matrix: SciPy has whole blocks only, and those "
            "of 2 x 2 reach over the edge of 3 rows and 4 columns; help: convert it to csr first, "
            "or to blocks whose sizes divide those of the matrix");
  m.format = {StorageKind::Dia};
  m.rows = 1;
  m.columns = std::int64_t{1} << 40;
  m.width = 1;
  m.diagonal = {m.columns - 1};
  m.value = {1};
  EXPECT_EQ(why(m),
            "m.npz: error[E603]: cannot write the matrix: SciPy's dia would hold 1 diagonals of "
            "1099511627776 columns, more than 2^30 items; help: convert it to csr first");
  m = {};
  m.offsets = {0};
  EXPECT_EQ(said([&] { write_npz(path("none/m.npz"), m); }),
            "none/m.npz: error[E603]: cannot write the matrix: No such file or directory; help: "
            "name a file in a directory that exists and can be written to");
  EXPECT_EQ(said([&] { write_npz(path(""), m); }),
            ": error[E603]: cannot write the matrix: it is a directory; help: name a file in a "
            "directory that exists and can be written to");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace selvage
