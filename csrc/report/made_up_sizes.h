#pragma once

#include <selvage/lower/program.h>

#include <map>
#include <span>
#include <string>

namespace selvage {

// The most statements of a run at made-up sizes (E617).
inline constexpr double kMostMadeUpStatements = 0x1p28;

// Sizes to check a program with: those given, and for all others small values that the facts and
// the launch checks allow and that tiles hardly ever divide; smaller ones if the run would have
// more than kMostMadeUpStatements. Strides leave a gap between rows. A size for which no value is
// found is left out. Throws BadInput E617 if no run is short enough.
std::map<std::string, std::int64_t> made_up_sizes(const Fusion& fusion, const Program& program,
                                                  const std::map<std::string, std::int64_t>& given);

// Values for symbols that the facts allow, if possible in the middle of their ranges, since at the
// ends a condition is likely to hold for all threads or for none. Empty: none were found.
std::map<std::string, std::int64_t> made_up_sizes(const Facts& facts,
                                                  std::span<const Expr> symbols);
// Throws BadInput E617 if a kernel of a thread program runs more than kMostMadeUpStatements at
// these sizes; those that are not `given` were made up.
void check_made_up_work(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                        const std::map<std::string, std::int64_t>& given);

}  // namespace selvage
