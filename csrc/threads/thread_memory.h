#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/simplifier/simplifier.h>
#include <selvage/threads/program.h>

#include <map>
#include <vector>

namespace selvage {

// Makes the arrays of a thread program, and its events behind them, buffers of its kernel, in
// order, and its values values of the kernel, with row-major addresses for subscripts.
class ThreadMemory {
 public:
  ThreadMemory(const ThreadProgram& program, Kernel& kernel);

  // `known`: the facts where the element, or the value, is used.
  Expr address(std::uint32_t array, const std::vector<Expr>& subscripts, Simplifier& known) const;
  ValueId value(ValueId v, Simplifier& known);
  // An assignment as a store; and one that check_copy() (threads/checks.h) lets pass, as a copy
  // that ends later.
  Store store(const Assign& assign, Simplifier& known);
  AsyncCopy copy(const Assign& assign, Simplifier& known);
  // With the addresses of its tiles; `mma` has all else (threads/mma_checks.h).
  Mma mma(const MultiplyTiles& tiles, Mma mma, Simplifier& known) const;

 private:
  void note_writes(const ThreadBody& body);
  ValueId convert(ValueId v, Simplifier& known, std::map<ValueId, ValueId>& done);

  const ThreadProgram& program_;
  Kernel& kernel_;
};

// Appends E820 if shared (local) arrays take more memory than a block (thread) has, and for an
// array whose bytes 63 bits cannot count.
void check_memory(const ThreadProgram& program, std::vector<Diagnostic>& wrong);

}  // namespace selvage
