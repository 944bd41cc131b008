// SciPy's files of sparse matrices: what is written is read again, what SciPy wrote is read as
// SciPy means it, and damaged files are refused, never misread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/diagnostic.h>
#include <selvage/frontend/npy.h>
#include <selvage/frontend/npz.h>
#include <tests/frontend/scipy_files.h>
#include <tests/frontend/zip_bytes.h>
#include <tests/support/counts.h>
#include <tests/support/refusal.h>
#include <tests/support/temporary_folder.h>
#include <tests/support/text_files.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <span>

namespace selvage {
namespace {

using testing::ElementsAre;
using Integers = std::vector<std::int64_t>;

class Npz : public testing::Test {
 protected:
  std::string path() const { return (folder_ / "m.npz").string(); }
  // Some file systems wait for the disk where a file takes another's place.
  void clear() const { std::filesystem::remove(path()); }
  StoredMatrix read(const std::string& bytes) const {
    clear();
    std::ofstream(path(), std::ios::binary) << bytes;
    return read_npz(path());
  }
  StoredMatrix read_again(const StoredMatrix& m) const {
    clear();
    write_npz(path(), m);
    return read_npz(path());
  }

  TemporaryFolder folder_;
};

bool is_same(const StoredMatrix& a, const StoredMatrix& b) {
  return a.format == b.format && a.rows == b.rows && a.columns == b.columns && a.width == b.width &&
         a.offsets == b.offsets && a.row == b.row && a.column == b.column &&
         a.diagonal == b.diagonal && a.value.size() == b.value.size() &&
         (a.value.empty() ||
          std::memcmp(a.value.data(), b.value.data(), a.value.size() * sizeof(double)) == 0);
}

class RandomMatrix {
 public:
  explicit RandomMatrix(std::uint64_t seed) : rng_(seed) {}

  StoredMatrix draw(StorageKind storage) {
    StoredMatrix m;
    m.format.storage = storage;
    if (storage == StorageKind::Bcsr) {
      m.format.height = below(3) + 1;
      m.format.width = below(3) + 1;
    }
    const std::int64_t lines = below(6), across = below(6);
    const bool by_columns = storage == StorageKind::Csc;
    m.rows = (by_columns ? across : lines) * m.format.height;
    m.columns = (by_columns ? lines : across) * m.format.width;
    if (storage == StorageKind::Dia) {
      for (std::int64_t d = 1 - m.rows; d < m.columns; ++d) {
        if (below(3) == 0) add_diagonal(m, d);
      }
      return m;
    }
    Integers line_of, index;
    Integers offsets = {0};
    for (std::int64_t line = 0; line < lines; ++line) {
      Integers here;
      for (std::int64_t k = across == 0 ? 0 : below(5); k > 0; --k) here.push_back(below(across));
      std::sort(here.begin(), here.end());
      if (storage == StorageKind::Bcsr)
        here.erase(std::unique(here.begin(), here.end()), here.end());
      index.insert(index.end(), here.begin(), here.end());
      line_of.resize(index.size(), line);
      offsets.push_back(std::int64_t(index.size()));
    }
    const std::size_t size = std::size_t(m.format.height * m.format.width);
    for (std::size_t k = 0; k < index.size() * size; ++k) m.value.push_back(value());
    if (storage == StorageKind::Coo) m.row = line_of;
    if (storage != StorageKind::Coo) m.offsets = offsets;
    (by_columns ? m.row : m.column) = index;
    return m;
  }

 private:
  std::int64_t below(std::int64_t n) { return std::int64_t(rng_() % std::uint64_t(n)); }
  // Any 64 bits: also infinities, numbers that are none, and -0.
  double value() {
    const std::uint64_t bits = below(8) == 0 ? (0x7ffULL << 52 | rng_() % 2 << 51) : rng_();
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }
  void add_diagonal(StoredMatrix& m, std::int64_t d) {
    ++m.width;
    m.diagonal.push_back(d);
    for (std::int64_t r = 0; r < m.rows; ++r) {
      m.value.push_back(r + d >= 0 && r + d < m.columns ? value() : 0);
    }
  }

  std::mt19937_64 rng_;
};

constexpr StorageKind kOfScipy[] = {StorageKind::Csr, StorageKind::Csc, StorageKind::Coo,
                                    StorageKind::Dia, StorageKind::Bcsr};

TEST_F(Npz, EveryFormatIsReadAsItWasWritten) {
  RandomMatrix random(1);
  int empty = 0;
  const int cases = count(100, 2000);
  for (int k = 0; k < cases; ++k) {
    for (const StorageKind storage : kOfScipy) {
      const StoredMatrix m = random.draw(storage);
      ASSERT_TRUE(is_same(read_again(m), m))
          << int(storage) << " of " << m.rows << " x " << m.columns;
      empty += m.value.empty();
    }
  }
  EXPECT_GT(empty, more_than(20));
}

TEST_F(Npz, EqualMatricesAreEqualFiles) {
  const StoredMatrix m = RandomMatrix(5).draw(StorageKind::Csr);
  write_npz(path(), m);
  const std::string first = contents(path());
  write_npz(path(), m);
  EXPECT_EQ(contents(path()), first);
}

TEST_F(Npz, IndicesThatNeed64BitsAreWrittenInThem) {
  StoredMatrix m;
  m.format.storage = StorageKind::Coo;
  m.rows = 3;
  m.columns = std::int64_t{1} << 40;
  m.row = {0, 2};
  m.column = {5, std::int64_t{1} << 39};
  m.value = {1, 2};
  EXPECT_TRUE(is_same(read_again(m), m));
}

TEST_F(Npz, ReadsWhatScipyWrote) {
  const StoredMatrix csr = read(from_base64(kScipyCsr));
  EXPECT_EQ(csr.format, StorageFormat{StorageKind::Csr});
  EXPECT_EQ(csr.rows, 3);
  EXPECT_EQ(csr.columns, 4);
  EXPECT_THAT(csr.offsets, ElementsAre(0, 2, 2, 5));
  EXPECT_THAT(csr.column, ElementsAre(1, 3, 0, 2, 2));  // sorted, equal ones in their order
  EXPECT_THAT(csr.value, ElementsAre(1.5, -2, 3, 0.25, 4));

  const StoredMatrix csc = read(from_base64(kScipyCsc));
  EXPECT_EQ(csc.format, StorageFormat{StorageKind::Csc});
  EXPECT_THAT(csc.offsets, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(csc.row, ElementsAre(2, 0, 2, 0));
  EXPECT_THAT(csc.value, ElementsAre(3, 1.5, 0.25, -2));

  const StoredMatrix coo = read(from_base64(kScipyCoo));
  EXPECT_EQ(coo.format, StorageFormat{StorageKind::Coo});
  EXPECT_THAT(coo.row, ElementsAre(0, 2, 2));
  EXPECT_THAT(coo.column, ElementsAre(3, 1, 1));
  EXPECT_THAT(coo.value, ElementsAre(-1, 7, 5));

  const StoredMatrix bsr = read(from_base64(kScipyBsr));
  EXPECT_EQ(bsr.format, (StorageFormat{StorageKind::Bcsr, 2, 3}));
  EXPECT_EQ(bsr.rows, 4);
  EXPECT_EQ(bsr.columns, 6);
  EXPECT_THAT(bsr.offsets, ElementsAre(0, 1, 3));
  EXPECT_THAT(bsr.column, ElementsAre(1, 0, 1));
  EXPECT_THAT(bsr.value, ElementsAre(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6));

  // By columns there, 1 to 5, 6 to 10 and 11 to 15; by rows here.
  const StoredMatrix dia = read(from_base64(kScipyDia));
  EXPECT_EQ(dia.format, StorageFormat{StorageKind::Dia});
  EXPECT_EQ(dia.width, 3);
  EXPECT_THAT(dia.diagonal, ElementsAre(-2, 0, 1));
  EXPECT_THAT(dia.value, ElementsAre(0, 0, 6, 7, 11, 12, 13, 14, 2, 3, 4, 5));

  const StoredMatrix array = read(from_base64(kScipyCsrArray));
  EXPECT_EQ(array.format, StorageFormat{StorageKind::Csr});
  EXPECT_THAT(array.column, ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(array.value, ElementsAre(1, 1, 1, 1));
}

template <class Item>
ZipMember member(const std::string& name, const std::string& descr, const Integers& shape,
                 const std::vector<Item>& items) {
  return {name + ".npy", npy_bytes(descr, shape, std::as_bytes(std::span(items)))};
}

// What SciPy may write, and does seldom or did once.
TEST_F(Npz, ReadsOtherFormsOfTheSame) {
  const ZipMember wide = member<char32_t>("format", "<U3", {}, {U'c', U'o', U'o'});
  const ZipMember shape = member<std::int32_t>("shape", "<i4", {2}, {2, 3});
  const StoredMatrix coo = read(zip_bytes(
      {wide, shape, member<std::int32_t>("coords", "<i4", {2, 3}, {1, 0, 0, 2, 2, 1}),
       member<float>("data", "<f4", {3}, {1, 2, std::numeric_limits<float>::quiet_NaN()})}));
  EXPECT_THAT(coo.row, ElementsAre(0, 0, 1));
  EXPECT_THAT(coo.column, ElementsAre(1, 2, 2));
  EXPECT_THAT(coo.value, ElementsAre(testing::IsNan(), 2, 1));

  // Diagonals outside of the matrix, with fewer data than columns.
  const StoredMatrix dia =
      read(zip_bytes({member<char>("format", "|S3", {}, {'d', 'i', 'a'}), shape,
                      member<std::int32_t>("offsets", "<i4", {4}, {3, 1, -2, -1}),
                      member<std::int64_t>("data", "<i8", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}));
  EXPECT_THAT(dia.diagonal, ElementsAre(-1, 1));
  EXPECT_THAT(dia.value, ElementsAre(0, 7, 4, 0));

  // Blocks that stand twice are added up; deflated by hand.
  const ZipMember data = member<double>("data", "<f8", {3, 1, 1}, {1, 2, 4});
  const StoredMatrix bsr =
      read(zip_bytes({member<char>("format", "|S5", {}, {'b', 's', 'r', 0, 0}),
                      shape,
                      member<std::int32_t>("indices", "<i4", {3}, {2, 0, 2}),
                      member<std::int32_t>("indptr", "<i4", {3}, {0, 3, 3}),
                      {data.name, deflated(data.bytes), 8, 0, std::uint32_t(data.bytes.size()),
                       crc32_of(data.bytes)}}));
  EXPECT_THAT(bsr.offsets, ElementsAre(0, 2, 2));
  EXPECT_THAT(bsr.column, ElementsAre(0, 2));
  EXPECT_THAT(bsr.value, ElementsAre(2, 5));
}

// What the interface promises of each format, so that nobody who uses it reads past an array.
void expect_sound(const StoredMatrix& m) {
  const auto within = [](const Integers& list, std::int64_t end) {
    return std::all_of(list.begin(), list.end(), [&](std::int64_t i) { return i >= 0 && i < end; });
  };
  ASSERT_GE(m.rows, 0);
  ASSERT_GE(m.columns, 0);
  const bool by_columns = m.format.storage == StorageKind::Csc;
  const std::int64_t block = m.format.height * m.format.width;
  if (m.format.storage == StorageKind::Dia) {
    ASSERT_EQ(std::int64_t(m.value.size()), m.width * m.rows);
    ASSERT_TRUE(std::is_sorted(m.diagonal.begin(), m.diagonal.end()));
    return;
  }
  ASSERT_TRUE(within(m.row, m.rows));
  ASSERT_TRUE(within(m.column, m.columns / m.format.width));
  ASSERT_EQ(m.value.size(), (by_columns ? m.row : m.column).size() * std::size_t(block));
  if (m.format.storage == StorageKind::Coo) {
    ASSERT_EQ(m.row.size(), m.value.size());
    ASSERT_TRUE(std::is_sorted(m.row.begin(), m.row.end()));
    return;
  }
  ASSERT_EQ(std::int64_t(m.offsets.size()) - 1, by_columns ? m.columns : m.rows / m.format.height);
  ASSERT_EQ(m.offsets.front(), 0);
  ASSERT_TRUE(std::is_sorted(m.offsets.begin(), m.offsets.end()));
  ASSERT_EQ(m.offsets.back() * block, std::int64_t(m.value.size()));
}

// A file that is cut off, or with one bit that is another, is refused or gives the same matrix.
TEST_F(Npz, DamagedFilesAreNeverMisread) {
  for (const char* file : {kScipyCsr, kScipyDia}) {
    const std::string good = from_base64(file);
    const StoredMatrix m = read(good);
    int refused = 0;
    const auto check = [&](const std::string& bytes, const std::string& what) {
      const std::string answer = bad_input([&] { ASSERT_TRUE(is_same(read(bytes), m)) << what; });
      if (answer == "accepted") return;
      ++refused;
      ASSERT_TRUE(answer.starts_with(path() + ": error[E602]: ")) << answer;
    };
    for (std::size_t n = 0; n < good.size(); ++n) check(good.substr(0, n), "cut off");
    EXPECT_EQ(refused, int(good.size()));
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
        check(bytes, "bit " + std::to_string(bit) + " of byte " + std::to_string(at));
      }
    }
    EXPECT_GT(refused, int(good.size()) * 4);
  }
}

// The same to the arrays inside of an archive that is right.
TEST_F(Npz, DamagedMembersGiveASoundMatrixOrARefusal) {
  const auto text = [](const char* s) { return std::vector<char>(s, s + 3); };
  const Integers indices = {2, 0, 1}, offsets = {0, 2, 3}, shape = {2, 3};
  const std::vector<double> data = {1, 2, 3};
  const std::vector<std::vector<ZipMember>> files = {
      {member("format", "|S3", {}, text("csr")), member("shape", "<i8", {2}, shape),
       member("indices", "<i8", {3}, indices), member("indptr", "<i8", {3}, offsets),
       member("data", "<f8", {3}, data)},
      {member("format", "|S3", {}, text("bsr")), member("shape", "<i8", {2}, shape),
       member("indices", "<i8", {3}, indices), member("indptr", "<i8", {3}, offsets),
       member("data", "<f8", {3, 1, 1}, data)},
      {member("format", "|S3", {}, text("coo")), member("shape", "<i8", {2}, Integers{3, 3}),
       member("row", "<i8", {3}, indices), member("col", "<i8", {3}, offsets),
       member("data", "<f8", {3}, data)},
      {member("format", "|S3", {}, text("dia")), member("shape", "<i8", {2}, shape),
       member("offsets", "<i8", {3}, indices), member("data", "<f8", {3, 1}, data)}};
  std::mt19937 random(7);
  int accepted = 0;
  const int cases = count(4000, 40000);
  for (int i = 0; i < cases; ++i) {
    std::vector<ZipMember> members = files[random() % files.size()];
    for (unsigned k = 1 + random() % 2; k > 0; --k) {
      std::string& bytes = members[random() % members.size()].bytes;
      // Mostly in the data, which follow 128 bytes, and in the words of the header.
      const std::size_t at =
          random() % 3 == 0 ? random() % 80 : 128 + random() % (bytes.size() - 128);
      switch (random() % 4) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1U << random() % 8); break;
        case 2: bytes[at] = "0123456789(),cosrdia"[random() % 20]; break;
        default: bytes[at] = static_cast<char>(random() % 4); break;
      }
    }
    const std::string answer = bad_input([&] { expect_sound(read(zip_bytes(members))); });
    if (answer == "accepted") {
      ++accepted;
    } else {
      ASSERT_TRUE(answer.starts_with(path() + ": error[E602]: ")) << answer;
    }
    ASSERT_FALSE(HasFatalFailure());
  }
  EXPECT_GT(accepted, more_than(cases / 10));
  EXPECT_LT(accepted, cases);
}

}  // namespace
}  // namespace selvage
