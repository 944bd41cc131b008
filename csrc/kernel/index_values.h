#pragma once

#include <selvage/kernel/kernel.h>

#include <optional>

namespace selvage {

// A truth among a kernel's values as a condition, where it is made of indices alone.
std::optional<Expr> index_condition(const Kernel& kernel, ValueId v);

}  // namespace selvage
