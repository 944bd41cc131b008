#pragma once

#include <selvage/kernel/kernel.h>

#include <optional>

namespace selvage {

// A value of a kernel as a condition on indices; nullopt if it is no truth value or is made of
// anything but indices.
std::optional<Expr> index_condition(const Kernel& kernel, ValueId v);

}  // namespace selvage
