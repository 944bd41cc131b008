#pragma once

#include <selvage/report/report.h>

#include <string>
#include <vector>

namespace selvage {

// Parts of the report, each the text of a JSON value; empty: there is none.
//
// What all fusions cost together.
std::string cost_json(const std::vector<FusionReport>& fusions);
// The plans that were tried for the first fusion that was tuned.
std::string tuned_json(const std::vector<FusionReport>& fusions);

}  // namespace selvage
