#pragma once

#include <selvage/lower/program.h>

#include <map>
#include <span>
#include <string>

namespace selvage {

// Sizes to check a program with: those given, and for all others small values that the facts and
// the launch checks allow and that tiles hardly ever divide. Strides are such that rows have a gap
// between them. A size for which nothing is found is left out.
std::map<std::string, std::int64_t> made_up_sizes(const Fusion& fusion, const Program& program,
                                                  const std::map<std::string, std::int64_t>& given);

// Values for symbols that the facts allow, in the midst of their ranges where that may be: at the
// ends a condition is likely to hold for all threads, or for none. Empty: none were found.
std::map<std::string, std::int64_t> made_up_sizes(const Facts& facts,
                                                  std::span<const Expr> symbols);

}  // namespace selvage
