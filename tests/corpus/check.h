#pragma once

#include <selvage/expr/cost.h>

#include <cstddef>
#include <string>

#include "tests/corpus/line.h"

namespace selvage::corpus {

// What simplifying a line gave, and what is wrong with it; an empty text: nothing is.
struct Checked {
  std::string simplified;
  Cost before, after;
  std::int64_t clauses_before = 0, clauses_after = 0;
  bool ran_out = false;        // of steps or work
  std::size_t points = 0;      // at which the line has a value
  std::string wrong_value;     // a point at which the values differ
  std::string not_idempotent;  // what simplifying the result once more gives

  std::string dearer() const {
    if (after.total <= before.total) return "";
    return "costs " + std::to_string(after.total) + " after " + std::to_string(before.total);
  }
};
// Looks at all points of the line's domain if they are at most `points`, else at so many draws.
Checked check(const Line& line, std::size_t points);

}  // namespace selvage::corpus
