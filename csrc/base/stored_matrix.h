// Sparse matrices as they lie in memory, in each of the formats that a file may name, and the way
// from each to each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// The items of a matrix that are stored, by coordinates, in any order. Several may have the same:
// the matrix has their sum there.
struct CoordinateMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> row, column;
  std::vector<double> value;

  std::size_t items() const { return value.size(); }
};

// csr   each row has the items offsets[r] to offsets[r + 1] - 1, by their columns
// csc   each column has such items, by their rows
// coo   each item has its row and its column; sorted by rows, then by columns
// ell   each row has `width` slots; a slot without an item has the column -1 and the value 0
// sell  each slice of `height` rows has slots for its longest row: the slot k of the slice s is the
//       number offsets[s] + k, and has a column and a value for each row of the slice
// dia   each of `width` diagonals has a value for each row r, whose column is r + diagonal; those
//       outside of the matrix are 0
// bcsr  blocks of `height` x `width` items: csr of blocks, each with all of its items, row by row
enum class StorageKind : std::uint8_t { Csr, Csc, Coo, Ell, Sell, Dia, Bcsr };
struct StorageFormat {
  StorageKind storage = StorageKind::Csr;
  std::int64_t height = 1, width = 1;  // of a slice, of a block
  bool operator==(const StorageFormat&) const = default;
};
// As files write it: csr, sell(64), bcsr(4, 2). Nothing: it is none, or a number in it is none of 1
// to 4,096.
std::string to_string(const StorageFormat& format);
std::optional<StorageFormat> storage_format(std::string_view text);

// Indices count from 0. Only those arrays have elements that the format has.
struct StoredMatrix {
  StorageFormat format = {};
  std::int64_t rows = 0, columns = 0;
  std::int64_t width = 0;              // ell: slots of a row; dia: diagonals
  std::vector<std::int64_t> offsets;   // csr, csc, sell, bcsr
  std::vector<std::int64_t> row;       // csc, coo: by item
  std::vector<std::int64_t> column;    // csr, coo: by item; ell, sell: by slot; bcsr: of blocks
  std::vector<std::int64_t> diagonal;  // dia, rising
  // By item: csr, csc, coo. [rows, width]: ell. [offsets.back(), height]: sell. [width, rows]: dia.
  // [offsets.back(), height, width of a block]: bcsr.
  std::vector<double> value;
};

// The extents of the array of values, outer to inner, as they are said there.
std::vector<std::int64_t> shape_of_values(const StoredMatrix& matrix);

// Items with the same coordinates stay apart, in their order; dia and bcsr have one value for each
// and hold their sum. All coordinates must be within the matrix. Throws BadInput E605 where a
// format would hold more than 2^30 values, as dia does for items on many diagonals.
StoredMatrix stored(const CoordinateMatrix& matrix, const StorageFormat& format);
StoredMatrix converted(const StoredMatrix& matrix, const StorageFormat& format);
// The items by rows, then by columns, without what only fills slots, blocks and diagonals up: there
// an item that is 0 is taken for such.
CoordinateMatrix items_of(const StoredMatrix& matrix);

}  // namespace selvage
