#pragma once

#include <selvage/report/lines.h>
#include <selvage/report/obligations.h>

#include <string>
#include <vector>

namespace selvage {

// The rules by which the simplifier gets from what transforms and definitions say to what is
// printed, in the order of the table: found by simplifying again. None where terms were only put in
// order, or where laws alone decide.
std::vector<std::string> rules_behind(const Obligation& obligation);

// A line for each extent, index, check and access of a tensor that rules are behind.
void print_rules(const TensorReport& tensor, const FusionReport& fusion, Lines& out);

}  // namespace selvage
