#pragma once

#include <selvage/legality/fills.h>

#include <optional>

namespace selvage {

// What is asked of one tensor's schedule beyond coverage and bounds. A part that does not apply is
// absent.
struct Legality {
  Finding store;  // every store is inside the tensor's memory
  std::optional<Fills> fills;
};

}  // namespace selvage
