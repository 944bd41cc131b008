#pragma once

#include <selvage/expr/tape.h>
#include <selvage/ir/scalar.h>
#include <selvage/kernel/statement_tree.h>

#include <unordered_map>
#include <vector>

namespace selvage {

// A kernel prepared for many runs: every variable has a slot, and all index expressions of a
// statement share one tape.

// Expressions whose symbols are read from slots.
class Indices {
 public:
  Indices() : tape_({}, {}) {}
  Indices(const std::vector<Expr>& expressions,
          const std::unordered_map<std::uint32_t, std::uint32_t>& slots);
  void limit(IndexType type);

  bool evaluate(const std::int64_t* slots) {
    for (std::size_t i = 0; i < from_.size(); ++i) inputs_[i] = slots[from_[i]];
    return tape_.evaluate(inputs_);
  }
  std::int64_t operator[](std::size_t i) const { return tape_.root(i); }
  Expr stopped_at() const { return tape_.stopped_at(); }

 private:
  Tape tape_;
  std::vector<std::uint32_t> from_;
  std::vector<std::int64_t> inputs_;
};

// One node of a store's value. `value` is valid for the execution of the store with this stamp.
struct Operation {
  ValueNode::Kind kind;
  DataType type;  // of an Apply: compute type; of a Cast: the target type
  Function function = Function::Add;
  std::uint32_t index = 0;  // of a Read or an Index: number of one of the store's indices; of a
                            // Search: of the first of two
  BufferId source = 0;      // of a Check: its number
  std::int64_t added = 0;   // of a Search
  std::array<std::uint32_t, 4> operands{};
  Scalar value{};
  std::uint64_t stamp = 0;
};

// A statement prepared for BlockActions (kernel/block_run.h).
struct CompiledStatement {
  std::uint32_t slot = 0;  // of the variable of a Loop or Define, of the lane of a Transfer
  ParallelType parallel = ParallelType::Serial;
  // StatementParts::expressions (of a Loop begin and extent), then the indices of the value
  Indices indices = {};
  const Store* store = nullptr;
  const Transfer* transfer = nullptr;
  const Shuffle* shuffle = nullptr;
  Indices valid = {};
  std::vector<Operation> operations = {};  // the value last
};

struct CompiledKernel {
  std::unordered_map<std::uint32_t, std::uint32_t> slots;  // by symbol id; sizes first
  std::vector<std::string> names;                          // by slot
  std::vector<CompiledStatement> statements;               // by PlaceId
  bool meets = false;                                      // threads run some statement together
  bool has_partial_barriers = false;
  bool has_own_pace = false;  // kernel/statements.h
};

CompiledKernel compile_kernel(const Kernel& kernel, const StatementTree& tree);

}  // namespace selvage
