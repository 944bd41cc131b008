#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <vector>

namespace selvage {

// A TMA copy on the page: its tensor map, what the holes of the tile hold, what is tested at
// launch; or why it is none.
void print_tma(const TensorReport& tensor, const TmaCopy& copy, Lines& out);

// All that is written of it, for texts that share their names.
std::vector<Expr> expressions_of(const TmaCopy& copy);

}  // namespace selvage
