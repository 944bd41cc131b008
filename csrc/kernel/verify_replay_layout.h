#pragma once

#include <selvage/kernel/verify_access.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace selvage {

// Where the buffers of a kernel lie while it is gone through, at values for all sizes.
struct ReplayLayout {
  std::vector<std::int64_t> elements, begin;  // by buffer; where it begins: of Shared, in units
  std::int64_t unit = 1;                      // bytes of which all shared elements and offsets are
  std::int64_t shared = 0, local = 0;         // units of a block, elements of a thread
};
// Nothing where a size is unknown, or there is too much. `number`: the value of an expression over
// sizes.
std::optional<ReplayLayout> replay_layout(
    const AccessMap& map, const std::function<std::optional<std::int64_t>(Expr)>& number,
    std::int64_t threads);

}  // namespace selvage
