#pragma once

#include <selvage/base/array.h>
#include <selvage/kernel/kernel.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace selvage::test {

// The tensor maps of a kernel as the virtual device takes them, over arrays by buffer. `sizes`: the
// values of Kernel::sizes.
std::vector<std::array<std::byte, 128>> virtual_maps(const Kernel& kernel,
                                                     std::span<const long long> sizes,
                                                     std::span<Array> arrays);

}  // namespace selvage::test
