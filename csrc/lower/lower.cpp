// Lowers a settled schedule to a program, by the passes listed in kProgramPasses below.
#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/about.h>
#include <selvage/ir/reads.h>
#include <selvage/kernel/failures.h>
#include <selvage/legality/legality.h>
#include <selvage/lower/combined_copies.h>
#include <selvage/lower/programs_by_size.h>
#include <selvage/lower/replaced.h>
#include <selvage/lower/row_tiles.h>
#include <selvage/lower/steps.h>
#include <selvage/lower/stored_parts.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/simplifier/point.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::size_t kDeepestNest = 1'024;  // loops of one kernel

// ---- checks that need no loops ----

void check_has_output(const Fusion& fusion) {
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    if (fusion[TensorId(i)].is_output) return;
  }
  refuse<BadInput>("E514", "the fusion has no output: there is nothing to compute",
                   "name as outputs what is wanted, f.output(\"y\", ...)");
}

// The reference evaluates loads that are part of an expression; kernels take those that are values
// (ir/gather.h).
void check_no_loads(const Fusion& fusion) {
  const auto check = [&](TensorId reader, std::span<const Expr> expressions) {
    for (Expr e : reachable(expressions, true)) {
      if (!e.is(Op::Load) && !e.is(Op::Call)) continue;
      refuse<BadInput>("E390",
                       to_string(e) + ", by which " + fusion[reader].name +
                           " reads, is not supported in kernels yet",
                       e.is(Op::Load) ? "read it as an element, x(clamped(k(i))), or by gather()"
                                      : "compute it as a tensor, and read that as an element");
    }
  };
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    const auto t = TensorId(i);
    if (!fusion[t].definition) continue;
    for (ValueId v : values_under(fusion.values(), *fusion[t].definition)) {
      const ValueNode& node = fusion.values()[v];
      check(t, node.subscripts);
      if (node.kind == ValueNode::Kind::Index) check(t, std::span(&node.index, 1));
    }
  }
}

// ---- the passes ----

// Copies the fusion's sizes and its own launch checks to the program.
void state_conditions(ProgramDraft& draft) {
  const Fusion& fusion = draft.fusion();
  draft.program.sizes = fusion.sizes();
  for (std::size_t k = 0; k < fusion.launch_checks().size(); ++k) {
    draft.program.checks.push_back({fusion.launch_checks()[k], fusion.launch_reasons()[k]});
  }
}

// Refuses nests too deep for a compiler, and what kernels do not support yet, before any work.
void check_loops(ProgramDraft& draft) {
  const Schedule& schedule = draft.schedule();
  const auto check = [&](TensorId t) {
    const std::vector<DomainId>& loops = schedule.loop_domains(t);
    const std::string& name = draft.fusion()[t].name;
    if (loops.size() > kDeepestNest) {
      refuse<Illegal>("E442",
                      "the nest of kernel_" + name + ", " + std::to_string(loops.size()) +
                          " loops, is past the limit of " + std::to_string(kDeepestNest),
                      "merge loops, or split less often");
    }
    const auto box = std::ranges::find_if(
        loops, [&](DomainId d) { return schedule.parallel(t, d) == ParallelType::Bulk; });
    const bool is_copied = schedule.copied_by(t) == CopyBy::Tma;
    if (box != loops.end() && !is_copied) {
      refuse<Illegal>("E414",
                      "binding " + schedule.name(t, *box) + " of " + name + " to " +
                          std::string(to_string(ParallelType::Bulk)) +
                          " makes it a part of the box of a copy, and " + name +
                          " is not copied by tma",
                      "bind it to BIDx..z or TIDx..z; or leave it serial");
    }
    if (box == loops.end() && is_copied) {
      refuse<Illegal>("E460", name + " is copied by tma, and no loop of it is bound to Bulk",
                      "bind the loops of its tile to Bulk, such as " +
                          schedule.name(t, loops.back()) + "; or copy it by bulk or cp_async");
    }
    check_combined_by_copies(schedule, t);
  };
  for (const NestTree& root : draft.scheduled.nests.roots) {
    for (TensorId t : tensors_of(root)) about(t, [&] { check(t); });
  }
}

// Analyses the loops and settles the memory of every tensor, kernel by kernel.
void place_tensors(ProgramDraft& draft) {
  for (const Group& group : draft.groups) draft.scheduled.place(group);
}

void check_coverage(const Fusion& fusion, const TensorAnalysis& a) {
  if (is_proved(a.coverage.verdict)) return;
  const std::string name = fusion[a.tensor].name;
  const std::string help = "resize by nothing negative";
  if (a.coverage.lost.empty()) {
    refuse<Illegal>("E431",
                    "it is not proved that the loops of " + name + " visit every item of it",
                    help + ", or give the symbols facts");
  }
  std::string item = "lost:";
  for (const auto& [symbol, value] : a.coverage.lost) {
    item += " " + std::string(symbol.name()) + " = " + std::to_string(value);
  }
  refuse<Illegal>("E431", "the loops of " + name + " do not visit every item of it", help, {item});
}

void check_vector(const TensorAnalysis& a) {
  if (!a.vector || a.vector->finding.is_legal()) return;
  const Finding& f = a.vector->finding;
  refuse<Illegal>(f.code, f.reason, f.help);
}

// Lists the analyses of all tensors; refuses an illegal coverage, vector access or memory.
void check_legality(ProgramDraft& draft) {
  const auto check = [&](const PlacedTensor& placed) {
    if (!draft.options.items_may_be_lost) check_coverage(draft.fusion(), placed.analysis);
    check_vector(placed.analysis);
    if (placed.result) check_vector(*placed.result);
    for (const Finding& f : memory_refusals(draft.fusion(), draft.schedule(), placed.analysis)) {
      std::vector<std::string> notes;
      if (const Point at = point_of(f.verdict); !at.empty()) notes.push_back("at " + to_text(at));
      refuse<Illegal>(f.code, f.reason, f.help, std::move(notes));
    }
  };
  for (const NestTree& root : draft.scheduled.nests.roots) {
    for (TensorId t : tensors_of(root)) {
      const PlacedTensor& placed = draft.scheduled.placed.at(root.tensor)[t];
      draft.program.tensors.push_back(placed.analysis);
      about(t, [&] { check(placed); });
    }
  }
}

// The number of an input's buffer, which is listed already.
std::optional<std::size_t> buffer_of(const ProgramDraft& draft, std::optional<TensorId> input) {
  const std::vector<ProgramBuffer>& buffers = draft.program.buffers;
  for (std::size_t b = 0; input && b < buffers.size(); ++b) {
    if (buffers[b].holds == TensorPart{*input}) return b;
  }
  return std::nullopt;
}

// Lists the buffers that callers pass, and those in global memory between kernels or within one.
void list_buffers(ProgramDraft& draft) {
  using Role = ProgramBuffer::Role;
  const Fusion& fusion = draft.fusion();
  const ScheduledNests& scheduled = draft.scheduled;
  for (const Role role : {Role::Input, Role::Output, Role::Scratch}) {
    for (std::size_t i = 0; i < fusion.size(); ++i) {
      const auto t = TensorId(i);
      const Role own = fusion[t].is_input    ? Role::Input
                       : fusion[t].is_output ? Role::Output
                                             : Role::Scratch;
      if (own == Role::Scratch && !scheduled.is_stored(t)) continue;
      const std::vector<StoredPart> parts = parts_of(fusion, scheduled.nests, t);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (role != (k == 0 ? own : Role::Scratch)) continue;
        const std::string& name = parts[k].name;
        draft.program.buffers.push_back(
            {.holds = {t, k},
             .name = name,
             .address = fusion.pool().symbol(name),
             .type = parts[k].type,
             .elements =
                 elements_of(draft.schedule().graph(), storage_of(fusion, t), draft.sizes.ranges()),
             .role = role,
             .in_place_of = k == 0 ? buffer_of(draft, fusion[t].in_place_of) : std::nullopt});
      }
    }
  }
}

// And the counters of blocks, for kernels whose last block has work of its own.
void list_counters(ProgramDraft& draft) {
  const Fusion& fusion = draft.fusion();
  for (const Group& group : draft.groups) {
    const TensorId t = group.back()->tensor;
    if (!draft.schedule().last_block_of(t)) continue;
    const std::string name = counter_name(fusion, t);
    draft.program.buffers.push_back({.holds = {t, kBlockCounter},
                                     .name = name,
                                     .address = fusion.pool().symbol(name),
                                     .type = DataType::Int32,
                                     .elements = fusion.pool().constant(1),
                                     .role = ProgramBuffer::Role::Scratch,
                                     .begins_at_zero = true});
  }
}

// And that in which failed checks are recorded.
void list_failures(ProgramDraft& draft) {
  const Fusion& fusion = draft.fusion();
  if (fusion.checks().empty()) return;
  draft.program.buffers.push_back({.holds = {TensorId(0), kFailures},
                                   .name = kFailuresName,
                                   .address = fusion.pool().symbol(kFailuresName),
                                   .type = DataType::Int64,
                                   .elements = fusion.pool().constant(kFailureElements),
                                   .role = ProgramBuffer::Role::Scratch,
                                   .begins_at_zero = true});
}

// And that in which blocks keep what is too large for shared memory.
void list_workspaces(ProgramDraft& draft) {
  for (const ProgramStep& step : draft.program.steps) {
    for (const Kernel& kernel : step.variants) {
      const auto b = std::ranges::find_if(kernel.buffers, &Buffer::is_workspace);
      if (b == kernel.buffers.end()) continue;
      std::vector<ProgramBuffer>& all = draft.program.buffers;
      if (std::ranges::find(all, b->holds, &ProgramBuffer::holds) != all.end()) continue;
      const std::string name = kernel.name + "_workspace";
      all.push_back({.holds = *b->holds,
                     .name = name,
                     .address = draft.fusion().pool().symbol(name),
                     .type = b->type,
                     .elements = b->elements,
                     .role = ProgramBuffer::Role::Scratch});
    }
  }
}

// And what tiles of positions leave of rows.
void list_carries(ProgramDraft& draft) {
  for (const Group& group : draft.groups) {
    const TensorId t = group[0]->tensor;
    if (!leaves_carries(draft.schedule(), t)) continue;
    const TensorAnalysis& analysis = draft.scheduled.placed.at(t)[t].analysis;
    const RowTiles tiles(draft.fusion(), draft.schedule(), analysis);
    const auto list = [&](const Buffer& b) {
      draft.program.buffers.push_back({.holds = *b.holds,
                                       .name = b.name,
                                       .address = draft.fusion().pool().symbol(b.name),
                                       .type = b.type,
                                       .elements = b.elements,
                                       .role = ProgramBuffer::Role::Scratch});
    };
    const RowCarries carries =
        row_carries(draft.fusion(), draft.schedule(), t, tiles, draft.sizes.ranges());
    for (const Buffer& b : carries.carries) list(b);
    for (const Buffer& b : carries.heads) list(b);
    list(carries.row);
  }
}

void make_steps(ProgramDraft& draft) {
  for (const Group& group : draft.groups) {
    about(as_subjects(tensors_of(group)), [&] { add_steps(draft, group); });
  }
}

// The passes take a settled schedule, whose nests are grouped into kernels (scheduler/), and make
// the kernels of each group with all their variants (lower/steps.h, lower/kernels.h). Each pass
// works on what the passes above it have left in the draft.
constexpr void (*kProgramPasses[])(ProgramDraft&) = {
    state_conditions,  // sizes and conditions of the program
    check_loops,       // no nest that cannot be a kernel
    place_tensors,     // what loops mean, and where each tensor is kept
    check_legality,    // what is wrong is refused before a kernel is built
    list_buffers,      // what the program is called with, and what it needs besides
    list_counters,     // what kernels with a last block count by
    list_failures,     // what checks of values record in
    list_carries,      // what tiles of positions leave of rows
    make_steps,        // launches, kernels, variants
    list_workspaces,   // what blocks keep in global memory
    check_replaced,    // no kernel reads what one before it has replaced
};

}  // namespace

Program lower(const Fusion& fusion, const Schedule& schedule, const LowerOptions& options) {
  if (!fusion.is_version_of(schedule.original())) {
    refuse<BadInput>("E508", "the schedule is of another fusion than the one to lower",
                     "lower the fusion that the schedule was made over");
  }
  const bool is_as_it_was = fusion.changes() == schedule.original().changes();
  if (!is_as_it_was && &fusion != &schedule.fusion()) {
    refuse<BadInput>("E508", "the fusion has been changed since the schedule was made",
                     "say all that is computed and known, then make the schedule");
  }
  return lower(schedule, options);
}

Program lower(const Fusion& fusion, const LowerOptions& options) {
  return lower_automatically(fusion, {}, usual_device(), {}, options);
}

Program lower(const Schedule& schedule, const LowerOptions& options) {
  check_has_output(schedule.original());
  check_no_loads(schedule.original());
  ProgramDraft draft(std::make_shared<const Schedule>(with_defaults(schedule)), options);
  for (const auto& pass : kProgramPasses) pass(draft);
  return std::move(draft.program);
}

}  // namespace selvage
