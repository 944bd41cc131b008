// The memory in which kernels record checks that fail.
//   element 0        how many have failed
//   5 * k + 1 to 5   of failure k, for the first kMostFailures: the number of the check, the number
//                    of its point, what it shows; the block, x + y * 2^31 + z * 2^47; the thread,
//                    x + y * 2^10 + z * 2^20
#pragma once

#include <selvage/ir/value_check.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace selvage {

inline constexpr const char* kFailuresName = "failed.checks";  // no tensor is called so
inline constexpr std::int64_t kMostFailures = 64;
inline constexpr std::int64_t kFailureElements = 1 + 5 * kMostFailures;

// A sentence for each failure that was recorded, with its block and thread,
// the first ones at most `limit`; then how many more there were.
// `value`: of an expression of sizes; nullopt: not known.
std::vector<std::string> failures_in(std::span<const std::int64_t> memory,
                                     const std::vector<ValueCheck>& checks,
                                     const std::function<std::optional<std::int64_t>(Expr)>& value,
                                     std::size_t limit = 20);

}  // namespace selvage
