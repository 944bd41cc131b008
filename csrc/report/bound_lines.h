#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/report.h>

#include <vector>

namespace selvage {

// What is asked of the bounds of one access.
struct BoundLine {
  bool is_store = false;
  TensorId memory{};  // whose
  TensorId reader{};  // of a read: in whose definition
  Finding inside;
};
// The store of a tensor, then its reads in the order of the definition: what is read several times,
// by the same rules, is told of once.
std::vector<BoundLine> bounds_of(const TensorReport& tensor);

// That every store and every read is inside its tensor, each with its verdict and what proves it.
void print_bounds(const TensorReport& tensor, Lines& out);

}  // namespace selvage
