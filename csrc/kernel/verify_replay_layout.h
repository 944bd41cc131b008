#pragma once

#include <selvage/kernel/verify_access.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace selvage {

// The layout of a kernel's buffers during a replay, at values for all sizes.
struct ReplayLayout {
  std::vector<std::int64_t> elements, begin;  // by buffer; `begin` of a Shared one in units
  std::int64_t unit = 1;                      // bytes; divides all shared elements and offsets
  std::int64_t shared = 0, local = 0;         // units of a block, elements of a thread
};
// nullopt if a size is unknown, or memory too large. `number` gives the value of an expression over
// sizes.
std::optional<ReplayLayout> replay_layout(
    const AccessMap& map, const std::function<std::optional<std::int64_t>(Expr)>& number,
    std::int64_t threads);

}  // namespace selvage
