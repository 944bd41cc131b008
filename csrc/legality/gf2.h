#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// A matrix over GF(2), the field of two numbers in which 1 + 1 = 0: up to 64 rows of up to 64
// columns. It maps column bits to row bits; a vector is a number, component i its bit i.
//
//   rows()[i] is the set of input bits whose xor is output bit i:
//     y = 2x, three bits to four        rows() = {0b000, 0b001, 0b010, 0b100}
class BitMatrix {
 public:
  static constexpr int kMost = 64;

  BitMatrix(int rows, int columns);  // zero
  // Each row as the set of its columns; bits past `columns` must be 0.
  BitMatrix(std::vector<std::uint64_t> rows, int columns);
  static BitMatrix identity(int n);
  // Of the images of the input bits in turn.
  static BitMatrix from_images(std::span<const std::uint64_t> images, int rows);

  int height() const { return int(rows_.size()); }
  int width() const { return columns_; }
  const std::vector<std::uint64_t>& rows() const { return rows_; }
  bool at(int row, int column) const { return (rows_[std::size_t(row)] >> column & 1) != 0; }

  std::uint64_t operator()(std::uint64_t x) const;
  std::uint64_t image(int column) const;  // of one input bit

  BitMatrix rows_between(int first, int end) const;     // [first, end)
  BitMatrix columns_between(int first, int end) const;  // [first, end)

  int rank() const;
  // Vectors that are mapped to 0: a basis, width() - rank() of them.
  std::vector<std::uint64_t> kernel() const;
  // Of a square matrix; nothing where its rank is not full.
  std::optional<BitMatrix> inverse() const;
  // A vector x with (*this)(x) = y; nothing where there is none.
  std::optional<std::uint64_t> solve(std::uint64_t y) const;

  friend BitMatrix operator*(const BitMatrix& a, const BitMatrix& b);  // first b, then a
  friend BitMatrix operator^(const BitMatrix& a, const BitMatrix& b);  // their sum
  friend bool operator==(const BitMatrix&, const BitMatrix&) = default;

 private:
  int columns_;
  std::vector<std::uint64_t> rows_;
};

// x -> linear(x) ^ offset
struct AffineMap {
  BitMatrix linear;
  std::uint64_t offset = 0;

  std::uint64_t operator()(std::uint64_t x) const { return linear(x) ^ offset; }
  friend bool operator==(const AffineMap&, const AffineMap&) = default;
};

}  // namespace selvage
