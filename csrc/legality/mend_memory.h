#pragma once

#include <selvage/ir/fusion.h>

#include <functional>
#include <optional>
#include <string>

namespace selvage {

// What is said of a tensor's memory and need not be: each of it, then two of them, is left out of a
// copy, and `is_mended` asks about that. `is_unguarded`: so is that its reader has no guard.
// "leave guard: false out, and the guard stops that read"; nothing where none does.
using IsMended = std::function<bool(const Fusion& changed, bool is_guarded)>;
std::optional<std::string> leave_out(const Fusion& fusion, TensorId t, bool is_unguarded,
                                     const IsMended& is_mended);

}  // namespace selvage
