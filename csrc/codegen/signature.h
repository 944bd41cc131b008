#pragma once

#include <selvage/codegen/buffer_text.h>
#include <selvage/codegen/index_text.h>
#include <selvage/codegen/names.h>
#include <selvage/kernel/kernel.h>

#include <string>
#include <vector>

namespace selvage {

// The parameters of a kernel: buffers, sizes, tensor maps.
struct KernelParameters {
  std::vector<std::string> types, texts;
  std::vector<std::string> maps;  // the names of tensor maps, which are read where they are passed
};
// Names them.
KernelParameters parameters_of(const Kernel& kernel, const BufferText& buffers, Names& names,
                               IndexText& index);

// The first line of a kernel's definition, as cuda.h says: KERNEL(name)(parameters) {. It breaks
// before each parameter where it would be longer than 100 columns.
std::string signature(const Kernel& kernel, const std::string& name,
                      const std::vector<std::string>& parameters);

}  // namespace selvage
