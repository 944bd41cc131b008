#pragma once

#include <selvage/runtime/compile_request.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Compiled kernels and what they come from as bytes: what lies in the disk cache, and what goes
// between this process and a compile helper. What is read back may be any bytes; those that are not
// a whole value give nothing.
std::vector<std::byte> packed(const CompiledKernels& kernels);
std::optional<CompiledKernels> unpacked_kernels(std::span<const std::byte> bytes);

std::vector<std::byte> packed(const CompileRequest& request);
std::optional<CompileRequest> unpacked_request(std::span<const std::byte> bytes);

}  // namespace selvage
