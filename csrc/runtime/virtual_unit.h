#pragma once

#include <selvage/runtime/kernel_source.h>

#include <memory>

namespace selvage {

// A C unit compiled for this process. It lives as long as its code may run.
class VirtualUnit {
 public:
  virtual ~VirtualUnit() = default;
  // The address of a function that the unit defines; never null.
  virtual void* symbol(const char* name) const = 0;
  // A second instance of the same code, with its own variables.
  virtual std::unique_ptr<VirtualUnit> again() const = 0;
};

// Each compiles virtual_text(source), or throws Error (E701) with the compiler's message and the
// emitted line it names.
//   tcc   in memory, in a fraction of a millisecond; unoptimised. One compile at a time in a
//         process: libtcc keeps its state in globals.
//   gcc   -O1 as a process of its own, in some tens of milliseconds. `checked`: each access of the
//         kernel calls the machine's `access` first.
// Neither contracts a*b + c into a fused multiply-add.
bool has_tcc();
bool has_gcc();  // looked for on PATH at each call
std::unique_ptr<VirtualUnit> compile_by_tcc(const KernelSource& source);
std::unique_ptr<VirtualUnit> compile_by_gcc(const KernelSource& source, bool checked = false);

}  // namespace selvage
