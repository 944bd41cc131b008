#include <selvage/threads/region.h>

#include <algorithm>

namespace selvage {

bool LoweredThreads::is_legal() const {
  return std::none_of(diagnostics.begin(), diagnostics.end(),
                      [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

std::optional<std::size_t> LoweredThreads::async_around(std::optional<std::size_t> region) const {
  while (region && !regions[*region].is_async) region = regions[*region].around;
  return region;
}

}  // namespace selvage
