#pragma once

#include <selvage/expr/substitute.h>
#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// An item of a tensor, y[17, 3].
struct ItemAt {
  std::string tensor;
  std::vector<std::int64_t> at;

  std::string text() const;
};
// y[17,3], or y for a tensor without axes; nothing: it is something else.
std::optional<ItemAt> parse_item(const std::string& text);

// The variables of the tensor's loops that an item decides, with their values: all but those of
// loops that fold. Nothing: no point of the loops makes it. The tensor has the item, at extents
// that are numbers.
std::optional<Environment> loop_point(const TensorReport& tensor,
                                      const std::vector<std::int64_t>& item);

// Prints who makes an item: the kernel, the block, the thread and the point of its loops, the
// checks that it passes, where it lies, and what it is made from. Loops that are folded are left
// open. Throws BadInput E801: a tensor that no kernel computes, another rank, an item that the
// tensor lacks, or an extent that is no number.
void print_where(const Report& report, const ItemAt& item, Lines& out);

}  // namespace selvage
