#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <string>

namespace selvage {

// That every store and every read is inside its tensor, each with its verdict and what proves it.
void print_bounds(const TensorReport& tensor, Lines& out);
// The same as the block "bounds" of the JSON: a list of
//   access "store" or "read", tensor (whose memory), in (the tensor that reads), verdict,
//   rules where it is proved, witness where it is refuted
std::string bounds_json(const TensorReport& tensor);

}  // namespace selvage
