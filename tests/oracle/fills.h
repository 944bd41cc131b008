// Finds the elements of a buffer that hold no item, and those of them that a reader sees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/oracle/layout.h"

namespace selvage::oracle {

// A buffer lies in memory by a layout. Writer and reader are two graphs over its logical and
// allocation iterdomains, which have the same ids in both. The writer stores at its valid points
// only. The reader reads at its valid points only where it is guarded, else at all of its points.
// The elements from 0 to elements() that are the address of no item are the buffer's holes.
struct Fills {
  struct Read {
    std::int64_t element = 0;
    std::vector<std::int64_t> point;  // the reader's loop indices
  };
  std::vector<std::int64_t> holes;     // ascending
  std::vector<Read> holes_read;        // by element; each with the first point that reads it
  std::optional<Read> unwritten;       // the first read of an element that the writer leaves out,
                                       // be it a hole or an item: it needs initialisation
  std::optional<Read> unwritten_item;  // the same, of an element that is an item
  std::optional<Read> outside;         // the first read outside the buffer
  std::optional<Read> item_at_a_hole;  // the first hole of the reader that reads some item: no
                                       // value of the buffer's holes would be seen there
  bool needs_initialisation() const { return unwritten.has_value(); }
};
Fills fills(const Graph& writer, const Graph& reader, const Layout& layout, bool guarded);

}  // namespace selvage::oracle
