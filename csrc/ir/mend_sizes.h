#pragma once

#include <selvage/simplifier/facts.h>

#include <string>

namespace selvage {

// What would prove that an expression of sizes is at least 1: the least min of one of them, tried
// out, "give K a min of 5: K: {min: 5}".
std::string larger_min(const Facts& facts, Expr e);

}  // namespace selvage
