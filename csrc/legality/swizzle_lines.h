#pragma once

#include <selvage/legality/swizzle_search.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The iterdomains of a tile as a schedule file names them, outer to inner: the last is the column,
// the others together are the row.
struct TileAxes {
  std::vector<std::string> names;
  std::vector<std::int64_t> extents;
  std::vector<std::string> taken = {};  // further names, not to be used again
};

// What to write under a tensor of a schedule file, one entry a line:
//   root: {row: 16, column: 32}
//   view: [{split: {...}}, {swizzle: {...}}, {merge: {...}}]
//   logical: [row_s, column_s]
// The tile's items keep their names, so that loops over them stay as they are (with a view, `loop`
// and `read.loop` must be written out); the logical domain is how they lie in memory.
struct SwizzleLines {
  std::string root;
  std::vector<std::string> view;  // "split: {in: column, factor: 2, out: [column_o, column_i]}"
  std::string logical;
  std::string joined() const;  // in one line, parts separated by ", "
};
// Nothing where the rows cannot be split evenly into the bits that the map takes.
std::optional<SwizzleLines> swizzle_lines(const TileAxes& axes, const TileSwizzle& swizzle);

// "strides: [33, 1]"
std::string padding_line(const TileAxes& axes, const Padding& padding);

}  // namespace selvage
