#pragma once

#include <selvage/legality/tma.h>

#include <optional>
#include <vector>

namespace selvage {

// What is asked of one tensor's schedule beyond indices and checks; what does not apply is nothing.
struct Legality {
  std::optional<TmaCopy> tma;

  // All findings, the illegal ones included.
  std::vector<const Finding*> findings() const;
};

Legality legality_of(const Fusion& fusion, const Schedule& schedule,
                     const TensorAnalysis& analysis);

}  // namespace selvage
