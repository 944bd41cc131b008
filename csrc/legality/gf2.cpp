#include <selvage/base/check.h>
#include <selvage/legality/gf2.h>

#include <bit>
#include <utility>

namespace selvage {

namespace {

std::uint64_t bits_below(int n) {
  return n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}
bool parity(std::uint64_t x) { return (std::popcount(x) & 1) != 0; }

// Gauss and Jordan: `rows` in reduced echelon form, each pivot the lowest bit of its row and alone
// in its column; what is done to rows is done to `beside` as well. The pivot columns, in the order
// of the rows that have them.
std::vector<int> reduce(std::vector<std::uint64_t>& rows, int columns,
                        std::vector<std::uint64_t>* beside) {
  std::vector<int> pivots;
  for (int c = 0; c < columns; ++c) {
    const std::size_t top = pivots.size();
    std::size_t found = top;
    while (found < rows.size() && (rows[found] >> c & 1) == 0) ++found;
    if (found == rows.size()) continue;
    std::swap(rows[top], rows[found]);
    if (beside != nullptr) std::swap((*beside)[top], (*beside)[found]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == top || (rows[r] >> c & 1) == 0) continue;
      rows[r] ^= rows[top];
      if (beside != nullptr) (*beside)[r] ^= (*beside)[top];
    }
    pivots.push_back(c);
  }
  return pivots;
}

}  // namespace

BitMatrix::BitMatrix(int rows, int columns)
    : BitMatrix(std::vector<std::uint64_t>(std::size_t(rows), 0), columns) {}

BitMatrix::BitMatrix(std::vector<std::uint64_t> rows, int columns)
    : columns_(columns), rows_(std::move(rows)) {
  SELVAGE_CHECK(0 <= columns && columns <= kMost && rows_.size() <= std::size_t(kMost));
  for (std::uint64_t row : rows_) SELVAGE_CHECK((row & ~bits_below(columns)) == 0);
}

BitMatrix BitMatrix::identity(int n) {
  BitMatrix m(n, n);
  for (int i = 0; i < n; ++i) m.rows_[std::size_t(i)] = std::uint64_t{1} << i;
  return m;
}

BitMatrix BitMatrix::from_images(std::span<const std::uint64_t> images, int rows) {
  BitMatrix m(rows, int(images.size()));
  for (std::size_t c = 0; c < images.size(); ++c) {
    SELVAGE_CHECK((images[c] & ~bits_below(rows)) == 0);
    for (int r = 0; r < rows; ++r) m.rows_[std::size_t(r)] |= (images[c] >> r & 1) << c;
  }
  return m;
}

std::uint64_t BitMatrix::operator()(std::uint64_t x) const {
  std::uint64_t y = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) y |= std::uint64_t{parity(rows_[r] & x)} << r;
  return y;
}

std::uint64_t BitMatrix::image(int column) const { return (*this)(std::uint64_t{1} << column); }

BitMatrix BitMatrix::rows_between(int first, int end) const {
  SELVAGE_CHECK(0 <= first && first <= end && end <= height());
  return BitMatrix({rows_.begin() + first, rows_.begin() + end}, columns_);
}

BitMatrix BitMatrix::columns_between(int first, int end) const {
  SELVAGE_CHECK(0 <= first && first <= end && end <= columns_);
  BitMatrix m(height(), end - first);
  if (first == end) return m;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    m.rows_[r] = rows_[r] >> first & bits_below(end - first);
  }
  return m;
}

int BitMatrix::rank() const {
  std::vector<std::uint64_t> rows = rows_;
  return int(reduce(rows, columns_, nullptr).size());
}

// With pivots eliminated each input bit without a pivot is free: setting it alone forces the pivot
// bits of the rows that hold it.
std::vector<std::uint64_t> BitMatrix::kernel() const {
  std::vector<std::uint64_t> rows = rows_;
  const std::vector<int> pivots = reduce(rows, columns_, nullptr);
  std::uint64_t has_pivot = 0;
  for (int c : pivots) has_pivot |= std::uint64_t{1} << c;
  std::vector<std::uint64_t> basis;
  for (int c = 0; c < columns_; ++c) {
    if ((has_pivot >> c & 1) != 0) continue;
    std::uint64_t x = std::uint64_t{1} << c;
    for (std::size_t r = 0; r < pivots.size(); ++r) {
      x |= (rows[r] >> c & 1) << pivots[r];
    }
    basis.push_back(x);
  }
  return basis;
}

std::optional<BitMatrix> BitMatrix::inverse() const {
  SELVAGE_CHECK(height() == columns_);
  std::vector<std::uint64_t> rows = rows_, beside = identity(columns_).rows_;
  if (int(reduce(rows, columns_, &beside).size()) < columns_) return std::nullopt;
  return BitMatrix(std::move(beside), columns_);
}

std::optional<std::uint64_t> BitMatrix::solve(std::uint64_t y) const {
  if ((y & ~bits_below(height())) != 0) return std::nullopt;
  std::vector<std::uint64_t> rows = rows_, beside(rows_.size());
  for (std::size_t r = 0; r < beside.size(); ++r) beside[r] = y >> r & 1;
  const std::vector<int> pivots = reduce(rows, columns_, &beside);
  std::uint64_t x = 0;
  for (std::size_t r = 0; r < beside.size(); ++r) {
    if (beside[r] == 0) continue;
    if (r >= pivots.size()) return std::nullopt;  // 0 = 1
    x |= std::uint64_t{1} << pivots[r];
  }
  return x;
}

BitMatrix operator*(const BitMatrix& a, const BitMatrix& b) {
  SELVAGE_CHECK(a.width() == b.height());
  BitMatrix m(a.height(), b.width());
  for (std::size_t r = 0; r < a.rows_.size(); ++r) {
    for (std::uint64_t rest = a.rows_[r]; rest != 0; rest &= rest - 1) {
      m.rows_[r] ^= b.rows_[std::size_t(std::countr_zero(rest))];
    }
  }
  return m;
}

BitMatrix operator^(const BitMatrix& a, const BitMatrix& b) {
  SELVAGE_CHECK(a.height() == b.height() && a.width() == b.width());
  BitMatrix m = a;
  for (std::size_t r = 0; r < m.rows_.size(); ++r) m.rows_[r] ^= b.rows_[r];
  return m;
}

}  // namespace selvage
