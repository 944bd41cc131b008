#pragma once

#include <selvage/kernel/kernel.h>

#include <string>
#include <vector>

namespace selvage {

// The first line of a kernel's definition, as cuda.h says: KERNEL(name)(parameters) {. It breaks
// before each parameter where it would be longer than 100 columns.
std::string signature(const Kernel& kernel, const std::string& name,
                      const std::vector<std::string>& parameters);

}  // namespace selvage
