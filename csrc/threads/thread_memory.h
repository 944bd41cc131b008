#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/program.h>

#include <map>
#include <vector>

namespace selvage {

// The arrays of a thread program as the buffers of its kernel, in order, and its values as the
// kernel's: elements by their addresses, row-major.
class ThreadMemory {
 public:
  ThreadMemory(const ThreadProgram& program, Kernel& kernel);

  // `known`: what holds where the element, or the value, is.
  Expr address(std::uint32_t array, const std::vector<Expr>& subscripts, Simplifier& known) const;
  ValueId value(ValueId v, Simplifier& known);

 private:
  void note_writes(const ThreadBody& body);
  ValueId convert(ValueId v, Simplifier& known, std::map<ValueId, ValueId>& done);

  const ThreadProgram& program_;
  Kernel& kernel_;
};

// Adds E820: shared or local arrays that take more memory than a block, or a thread, has; an array
// whose bytes 63 bits do not count.
void check_memory(const ThreadProgram& program, std::vector<Diagnostic>& wrong);

}  // namespace selvage
