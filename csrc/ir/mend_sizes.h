#pragma once

#include <selvage/simplifier/facts.h>

#include <string>

namespace selvage {

// A help text for an expression of sizes that is not proved to be at least 1: the least min of one
// of its sizes that proves it, found by trial: "give K a min of 5: K: {min: 5}".
std::string larger_min(const Facts& facts, Expr e);

}  // namespace selvage
