#pragma once

#include <selvage/runtime/nvrtc.h>
#include <selvage/runtime/packed.h>

#include <concepts>
#include <tuple>
#include <type_traits>

namespace selvage {

template <class T, class Struct>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Struct>;

// Compiled kernels and their sources as bytes (packed.h), for the disk cache and for messages
// between this process and a compile helper.
auto fields(MaybeConst<KernelResources> auto& k) {
  return std::tie(k.name, k.registers, k.stack_bytes, k.spill_store_bytes, k.spill_load_bytes,
                  k.shared_bytes, k.barriers);
}
auto fields(MaybeConst<CompiledKernels> auto& k) {
  return std::tie(k.cubin, k.ptx, k.log, k.kernels);
}
auto fields(MaybeConst<KernelSource> auto& k) {
  return std::tie(k.text, k.name, k.parameter_types);
}
auto fields(MaybeConst<NvrtcOptions> auto& o) { return std::tie(o.arch, o.fmad, o.ptx, o.more); }
auto fields(MaybeConst<CompileRequest> auto& r) { return std::tie(r.sources, r.options); }

}  // namespace selvage
