#pragma once

#include <selvage/report/report.h>

#include <vector>

namespace selvage {

// Every expression that a report of the tensor writes out, so that all texts share their lets.
std::vector<Expr> shown_expressions(const TensorReport& tensor);

}  // namespace selvage
