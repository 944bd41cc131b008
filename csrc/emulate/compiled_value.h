#pragma once

#include <selvage/emulate/compiled.h>
#include <selvage/emulate/memory_checked.h>

namespace selvage {

// Computes what stores store: each operation once for each execution of a store, and only if it is
// asked for.
class ValueMachine {
 public:
  // The value of a store whose indices have been evaluated.
  Scalar value(CompiledStatement& store, CheckedMemory& memory) {
    ++stamp_;
    return compute(store, memory, std::uint32_t(store.operations.size() - 1));
  }

 private:
  Scalar compute(CompiledStatement& s, CheckedMemory& memory, std::uint32_t at);
  Scalar apply(CompiledStatement& s, CheckedMemory& memory, const Operation& op);

  std::uint64_t stamp_ = 0;
};

}  // namespace selvage
