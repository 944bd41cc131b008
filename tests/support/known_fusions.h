#pragma once

#include <selvage/ir/fusion.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace selvage::test {

// Fusions that everybody who writes kernels knows, as a user of ir/ops.h writes them: no schedule,
// no hint.
struct KnownFusion {
  std::string name;
  std::shared_ptr<Fusion> fusion;
  // The kernels that the best hand-written code takes: no two blocks meet in one, and no atomics.
  int kernels_wanted = 1;
};

// Full: as they are met, mostly 8 to 200 MiB of inputs and outputs. Small: for emulation, odd
// wherever the fusion allows.
enum class Scale : std::uint8_t { Small, Full };
std::vector<KnownFusion> known_fusions(Scale scale = Scale::Full);

}  // namespace selvage::test
