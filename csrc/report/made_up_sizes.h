#pragma once

#include <selvage/lower/program.h>

#include <map>
#include <span>
#include <string>

namespace selvage {

// Past so many statements nothing is run at sizes that were made up (E617).
inline constexpr double kMostMadeUpStatements = 0x1p28;

// Sizes to check a program with: those given, and for all others small values that the facts and
// the launch checks allow and that tiles hardly ever divide; smaller ones where the run would come
// to more than kMostMadeUpStatements. Strides are such that rows have a gap between them. A size
// for which nothing is found is left out. Throws BadInput, E617, where no run is short enough.
std::map<std::string, std::int64_t> made_up_sizes(const Fusion& fusion, const Program& program,
                                                  const std::map<std::string, std::int64_t>& given);

// Values for symbols that the facts allow, in the midst of their ranges where that may be: at the
// ends a condition is likely to hold for all threads, or for none. Empty: none were found.
std::map<std::string, std::int64_t> made_up_sizes(const Facts& facts,
                                                  std::span<const Expr> symbols);
// Throws BadInput, E617, where a kernel of a thread program runs more than kMostMadeUpStatements at
// sizes of which those that are not `given` were made up.
void check_made_up_work(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                        const std::map<std::string, std::int64_t>& given);

}  // namespace selvage
