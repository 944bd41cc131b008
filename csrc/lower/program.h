#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/kernel/kernel.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

struct TensorAnalysis;

// A condition on sizes that must hold at launch, and why.
struct LaunchCheck {
  Expr condition;
  std::string why;
};

// What a kernel's buffers are bound to: tensors of the fusion.
struct ProgramBuffer {
  TensorPart holds;
  std::string name;
  Expr address;  // the symbol that stands for it in conditions, in bytes
  DataType type = DataType::Float;
  Expr elements;
  enum class Role : std::uint8_t { Input, Output, Scratch } role;
};

// One launch: the first variant whose condition holds for the sizes is run.
struct ProgramStep {
  std::vector<Kernel> variants;
  std::vector<TensorId> stores;  // the tensors it computes
};

// What a fusion and a schedule lower to.
struct Program {
  Program();
  ~Program();
  Program(const Program&);
  Program(Program&&) noexcept;
  Program& operator=(const Program&);
  Program& operator=(Program&&) noexcept;

  std::shared_ptr<const Schedule> schedule;  // with everything settled that was left to defaults
  std::vector<Expr> sizes;
  std::vector<ProgramBuffer> buffers;  // inputs and outputs in order of declaration, then scratch
  std::vector<ProgramStep> steps;
  std::vector<LaunchCheck> checks;
  std::vector<TensorAnalysis> tensors;  // of every tensor that is stored (legality/analysis.h)
};

// The loops of each step, as pseudo-code: of its first variant, from which others differ in widths
// and vectors alone.
std::string loop_nest(const Program& program);

// Throws BadInput: E390 a load within a subscript, E508 a schedule of another fusion, or of one
// that has been changed since, E514 a fusion without outputs; and Illegal: what is wrong, at which
// point, and what would mend it.
//   what defaults do not settle (scheduler/defaults.h)   E413, E418, E419, E438
//   E414 a loop bound to Bulk or to devices        E416 loops from which the items do not follow
//   E431 items that no valid point visits          E432 a read of what was not computed there
//   E433 memory of no known size                   E434 blocks that would wait for one another
//   E435 an element stored again and again         E437 a layout without a place for each element
//   E440 a read out of bounds                      E441 an axis in memory that does not follow
//   E442 launch, nest or memory past a limit       E443 a store outside of the tensor's memory
//   E450 to E453 vectors that are no one access    E470 to E474 holes and their fills
struct LowerOptions {
  bool items_may_be_lost = false;  // a nest that does not visit every item is lowered all the same
  // Checks are drawn out of loops, and vectors stored whole, where that is possible.
  bool draws_out_checks = true;
  // Every bound of every iterdomain is checked at every store, as if nothing were proved: to
  // measure by.
  bool checks_everything = false;
  // Called after each pass that makes a kernel, with the pass's name: to look on.
  std::function<void(std::string_view pass, const Kernel& kernel)> after_pass = {};
};
Program lower(const Schedule& schedule, const LowerOptions& options = {});
// The same, of the fusion that the schedule was made over.
Program lower(const Fusion& fusion, const Schedule& schedule, const LowerOptions& options = {});

}  // namespace selvage
