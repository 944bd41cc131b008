#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>

namespace selvage {

// The holes of a tensor's buffer, who reads them and what they must hold; nothing for a tensor to
// which the question does not apply.
void print_fill(const TensorReport& tensor, Lines& out);
// A number of elements for the reader of a report: "a number of sizes", where it would be too long.
std::string count_text(Expr number);

}  // namespace selvage
