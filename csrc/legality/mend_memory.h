#pragma once

#include <selvage/ir/fusion.h>

#include <functional>
#include <optional>
#include <string>

namespace selvage {

// Finds what can be left out of the description of a tensor's memory to mend a refusal: leaves out
// one setting, then two, in a copy of the fusion, and asks `is_mended`. With `is_unguarded`, that
// the reader has no guard is such a setting. Returns the help, "leave guard: false out, and the
// guard stops that read"; nothing if nothing mends it.
using IsMended = std::function<bool(const Fusion& changed, bool is_guarded)>;
std::optional<std::string> leave_out(const Fusion& fusion, TensorId t, bool is_unguarded,
                                     const IsMended& is_mended);

}  // namespace selvage
