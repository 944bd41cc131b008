#pragma once

#include <selvage/codegen/cuda.h>
#include <selvage/emulate/emulate.h>
#include <selvage/expr/tape.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/virtual_device.h>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "../support/hand_kernel.h"
#include "../support/virtual_maps.h"

namespace selvage::test {

using Sizes = std::map<std::string, std::int64_t>;

inline KernelSource source_of(const CudaText& text) {
  return {text.text, text.name, text.parameter_types};
}

inline std::int64_t value_at(Expr e, const Kernel& kernel, const Sizes& sizes) {
  std::vector<std::int64_t> values;
  for (Expr size : kernel.sizes) values.push_back(sizes.at(std::string(size.name())));
  return evaluate(e, kernel.sizes, values).value();
}

// A launch of a kernel's emitted text: its shape, and arguments that point at arrays' elements.
struct TextLaunch {
  TextLaunch(const Kernel& kernel, const Sizes& sizes, std::span<Array> arrays) {
    for (std::size_t b = 0; b < arrays.size(); ++b) {
      if (kernel.buffers[b].memory != Memory::Global) continue;
      pointers.push_back(arrays[b].bytes.data());
      bounds.push_back(VirtualBound{arrays[b].bytes.size(), !kernel.buffers[b].is_written});
    }
    for (Expr size : kernel.sizes) {
      wide.push_back(sizes.at(std::string(size.name())));
      narrow.push_back(int(wide.back()));
    }
    for (void*& p : pointers) arguments.push_back(&p);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const bool is_narrow = kernel.index_type == IndexType::Int32;
      arguments.push_back(is_narrow ? static_cast<void*>(&narrow[i]) : &wide[i]);
    }
    maps = virtual_maps(kernel, wide, arrays);
    for (auto& map : maps) arguments.push_back(&map);
    bounds.resize(arguments.size());
    for (std::size_t i = 0; i < 3; ++i) {
      shape.grid[i] = value_at(kernel.launch.grid[i], kernel, sizes);
      shape.block[i] = value_at(kernel.launch.block[i], kernel, sizes);
    }
    shape.shared_bytes = value_at(kernel.launch.shared_bytes, kernel, sizes);
    shape.ranks = kernel.launch.ranks();
  }
  TextLaunch(const TextLaunch&) = delete;

  std::vector<void*> pointers, arguments;
  std::vector<int> narrow;
  std::vector<long long> wide;
  std::vector<std::array<std::byte, 128>> maps;
  std::vector<std::optional<VirtualBound>> bounds;  // outputs are unwritten
  LaunchShape shape;
};

// Runs the emitted text on the virtual device; the seed gives the order of threads.
inline void run_text(const Kernel& kernel, const Sizes& sizes, std::span<Array> arrays,
                     VirtualCompiler compiler = default_virtual_compiler(),
                     VirtualOrder order = 7) {
  const TextLaunch launch(kernel, sizes, arrays);
  VirtualKernel(source_of(cuda(kernel)), compiler).launch(launch.shape, launch.arguments, order);
}

// The same with every access checked.
inline void run_text_checked(const Kernel& kernel, const Sizes& sizes, std::span<Array> arrays) {
  const TextLaunch launch(kernel, sizes, arrays);
  VirtualKernel(source_of(cuda(kernel)))
      .launch_checked(launch.shape, launch.arguments, launch.bounds);
}

inline Emulation run_emulated(const Kernel& kernel, const Sizes& sizes, std::span<Array> arrays,
                              std::uint64_t seed = 0) {
  std::vector<Array*> pointers;
  for (Array& a : arrays) pointers.push_back(&a);
  return emulate(kernel, sizes, pointers, {.order = RunOrder::from_seed(seed)});
}

// Arrays of a kernel's buffers: inputs drawn at random, outputs zero.
inline std::vector<Array> arrays_for(const Kernel& kernel, const Sizes& sizes) {
  std::vector<Array> arrays;
  for (const Buffer& b : kernel.buffers) {
    const std::int64_t n = value_at(b.elements, kernel, sizes);
    arrays.push_back(b.is_written ? Array(b.type, {n})
                                  : random_array(b.type, n, unsigned(arrays.size() + 1)));
  }
  return arrays;
}

// Whether the emitted text, run in an order, leaves these elements in the kernel's second buffer.
inline bool gives(const Kernel& kernel, const Array& expected, VirtualOrder order) {
  std::vector<Array> arrays = arrays_for(kernel, {});
  run_text(kernel, {}, arrays, default_virtual_compiler(), order);
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    if (!same_element(arrays[1], expected, i)) return false;
  }
  return true;
}

// Both ways of running a kernel agree with `expected`, the same arrays filled by plain code: no
// fault, every element of every output stored exactly once, every bit equal.
inline void expect_agreement(const Kernel& kernel, const Sizes& sizes,
                             const std::vector<Array>& expected) {
  std::vector<Array> emulated = arrays_for(kernel, sizes), run = emulated;
  const Emulation e = run_emulated(kernel, sizes, emulated);
  EXPECT_EQ(e.fault_count, 0) << (e.faults.empty() ? "" : e.faults.front().text);
  run_text(kernel, sizes, run);
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const Buffer& buffer = kernel.buffers[b];
    if (!buffer.is_written || buffer.memory != Memory::Global) continue;
    EXPECT_EQ(e.visits[b], std::vector<std::uint32_t>(std::size_t(expected[b].size()), 1))
        << buffer.name;
    int wrong = 0;
    for (std::int64_t k = 0; k < expected[b].size() && wrong < 3; ++k) {
      const bool emulated_right = same_element(emulated[b], expected[b], k);
      const bool run_right = same_element(run[b], expected[b], k);
      if (emulated_right && run_right) continue;
      ++wrong;
      ADD_FAILURE() << buffer.name << "[" << k << "] (" << to_string(buffer.type)
                    << "): plain code " << expected[b].get(k) << ", emulated " << emulated[b].get(k)
                    << ", run " << run[b].get(k) << "\n"
                    << cuda(kernel).text;
    }
  }
}

// NVRTC compiles every text for the GPU, none with spills; where there is none, says so.
inline void expect_gpu_code(const std::vector<Kernel>& kernels) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  std::vector<KernelSource> sources;
  for (const Kernel& k : kernels) sources.push_back(source_of(cuda(k)));
  for (const KernelResources& r : nvrtc->compile(sources).kernels) {
    EXPECT_EQ(r.spill_store_bytes + r.spill_load_bytes, 0) << r.name;
  }
}

}  // namespace selvage::test
