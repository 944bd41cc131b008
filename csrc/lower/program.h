#pragma once

#include <selvage/ir/schedule.h>
#include <selvage/kernel/kernel.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

class ProgramsBySize;  // lower/programs_by_size.h
struct TensorAnalysis;

// A condition on sizes that must hold at launch, and the reason.
struct LaunchCheck {
  Expr condition;
  std::string why;
};

// Global memory of a program, which holds a part of a tensor. Kernel buffers with the same `holds`
// are bound to it.
struct ProgramBuffer {
  TensorPart holds;
  std::string name;
  Expr address;  // the symbol that stands for its address in conditions, in bytes
  DataType type = DataType::Float;
  Expr elements;
  enum class Role : std::uint8_t { Input, Output, Scratch } role;
  // Scratch that is 0 when it is allocated, and again after each run (Buffer::counts_blocks).
  bool begins_at_zero = false;
  // Of an output that takes the place of an input: the number of that buffer, whose memory it has.
  std::optional<std::size_t> in_place_of = {};
};

// One launch: the first variant whose condition holds for the sizes runs.
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

  std::shared_ptr<const Schedule> schedule;  // settled: nothing is left to defaults
  std::vector<Expr> sizes;
  std::vector<ProgramBuffer> buffers;  // inputs and outputs in order of declaration, then scratch
  std::vector<ProgramStep> steps;
  std::vector<LaunchCheck> checks;
  std::vector<TensorAnalysis> tensors;  // of every tensor that is stored (legality/analysis.h)
  // Programs that take this one's place at some sizes, where they are faster; null: none.
  std::shared_ptr<const ProgramsBySize> by_size = {};
};

// The loops of the first variant of each step, as pseudo-code. Other variants of a step differ from
// the first only in index widths and vectors.
std::string loop_nest(const Program& program);

struct LowerOptions {
  bool items_may_be_lost = false;  // lowers a nest even if it does not visit every item (no E431)
  // Hoists conditions out of loops and stores vectors whole, where that is possible.
  bool draws_out_checks = true;
  // Every store checks every bound of every iterdomain, as if nothing were proved: a baseline for
  // measurements.
  bool checks_everything = false;
  // An observer, called with the kernel after each pass that makes one.
  std::function<void(std::string_view pass, const Kernel& kernel)> after_pass = {};
};
// The program that computes the schedule's fusion.
// Throws BadInput: E390 a load within a subscript, E508 a schedule of another fusion, or of one
// that has been changed since, E514 a fusion without outputs; and Illegal, whose message says what
// is wrong, at which point, and what would mend it:
//   a tensor that defaults cannot settle (scheduler/defaults.h)   E413, E418, E419, E438
//   E414 a loop bound to Bulk for no copy          E416 loops that do not determine the items
//   E431 items that no valid point visits          E432 a read of an element not computed there
//   E433 memory whose size is not known            E434 blocks that would wait for one another
//   E435 an element stored again and again         E437 a layout without a place for each element
//   E440 a read out of bounds                      E441 loops that determine no axis in memory
//   E442 launch, nest or memory past a limit       E443 a store outside of the tensor's memory
//   E447 an input read where the output that takes its place may have been stored already
//   E448 copies that cannot end later
//   E455 to E458 loops over rows that differ in length, or over positions of these, that cannot be
//   E450 to E453 vectors that are no one access    E470 to E474 holes and their fills
//   E460 to E466 boxes that no tensor map copies   E467 blocks that are no cluster
//   E468 boxes that no tensor map combines
Program lower(const Schedule& schedule, const LowerOptions& options = {});
// The same under auto_schedule(fusion), with programs by_size for sizes of which nothing is known.
Program lower(const Fusion& fusion, const LowerOptions& options = {});
// The same; throws E508 if the schedule is not one of `fusion`.
Program lower(const Fusion& fusion, const Schedule& schedule, const LowerOptions& options = {});

}  // namespace selvage
