#include <selvage/base/refuse.h>
#include <selvage/lower/fill.h>
#include <selvage/lower/row_fold_kernels.h>
#include <selvage/lower/steps.h>
#include <selvage/lower/stored_parts.h>
#include <selvage/scheduler/narrow_blocks.h>

#include <algorithm>
#include <string>
#include <utility>

namespace selvage {

namespace {

std::string kernel_name(const Fusion& fusion, const Group& group) {
  std::string name = "kernel";
  for (const NestTree* root : group) {
    if (name.size() > 40) break;
    name += "_" + fusion[root->tensor].name;
  }
  return name;
}

void add_checks(ProgramDraft& draft, std::span<const LaunchCheck> checks) {
  std::vector<LaunchCheck>& all = draft.program.checks;
  for (const LaunchCheck& check : checks) {
    const auto is_said = [&](const LaunchCheck& c) { return same(c.condition, check.condition); };
    if (std::ranges::none_of(all, is_said)) all.push_back(check);
  }
}

LaunchPlan plan_launch_of(const ScheduledNests& scheduled, const Group& group) {
  std::vector<const TensorAnalysis*> analyses;
  for (const NestTree* root : group) {
    for (TensorId t : tensors_of(*root)) {
      analyses.push_back(&scheduled.placed.at(root->tensor)[t].analysis);
    }
  }
  LaunchPlan plan = plan_launch(scheduled.fusion, scheduled.schedule, analyses,
                                kernel_name(scheduled.fusion, group));
  if (scheduled.schedule.last_block_of(group.back()->tensor)) {
    // Where there is nothing to do but what the last block does, it is the only one.
    for (Expr& extent : plan.launch.grid) {
      extent = scheduled.sizes.ranges().simplify(max(extent, extent.pool().constant(1)));
    }
  }
  return plan;
}

// Adds a kernel that fills t with the empty state, if blocks fold it together by atomics.
void add_fill(ProgramDraft& draft, TensorId t) {
  const Schedule& schedule = draft.schedule();
  if (!schedule.meets_atomically(t) || !schedule.is_folded_by_blocks(t)) return;
  Fill fill =
      fill_with_empty_state(draft.fusion(), schedule.graph(), t,
                            parts_of(draft.fusion(), draft.scheduled.nests, t), draft.sizes);
  add_checks(draft, fill.checks);
  draft.program.steps.push_back({std::move(fill.kernels), {t}});
}

void add_kernels(ProgramDraft& draft, const ScheduledNests& scheduled, const Group& group,
                 const LaunchPlan& launch, const std::string& suffix,
                 std::vector<Kernel>& variants) {
  const LowerOptions& options = draft.options;
  KernelRequest request{.scheduled = scheduled,
                        .group = group,
                        .launch = launch,
                        .name = kernel_name(scheduled.fusion, group) + suffix,
                        .is_vectorised = options.draws_out_checks && !options.checks_everything,
                        .options = options,
                        .meetings = draft.meetings};
  const auto add = [&](KernelVariants made) {
    for (Kernel& k : made.kernels) variants.push_back(std::move(k));
    return !made.alignment.empty();
  };
  const bool needs_alignment = add(make_kernels(request));
  if (!needs_alignment) return;
  // Pointers that vector accesses need aligned may not be: another kernel goes element by element.
  request.is_vectorised = false;
  request.name += "_unaligned";
  add(make_kernels(request));
}

// The variants with narrow blocks, which never exceed a limit; or the reason why there are none,
// empty where the limit is not that of one symbolic extent.
struct NarrowKernels {
  std::vector<Kernel> variants;
  std::string refusal;
};
NarrowKernels narrow_kernels(ProgramDraft& draft, const Group& group, const LaunchPlan& wide) {
  NarrowKernels made;
  const auto refusal = refusal_of([&] {
    const auto schedule = with_narrow_blocks(draft.schedule(), wide.launch, tensors_of(group));
    if (!schedule) return;
    ScheduledNests narrow(draft.fusion(), *schedule, draft.sizes);
    Group own;
    for (const NestTree& root : narrow.nests.roots) {
      const auto is_same = [&](const NestTree* g) { return g->tensor == root.tensor; };
      if (std::ranges::any_of(group, is_same)) own.push_back(&root);
    }
    narrow.place(own);
    const LaunchPlan launch = plan_launch_of(narrow, own);
    if (!launch.of_block.empty()) return;
    add_kernels(draft, narrow, own, launch, "_narrow", made.variants);
  });
  if (refusal) made = {{}, refusal->message};
  return made;
}

}  // namespace

ProgramDraft::ProgramDraft(std::shared_ptr<const Schedule> settled, const LowerOptions& o)
    : options(o),
      sizes(settled->fusion().sizes(), *settled->fusion().facts()),
      scheduled(settled->fusion(), *settled, sizes) {
  program.schedule = std::move(settled);
  groups = group_into_kernels(fusion(), schedule(), scheduled.nests);
}

void add_steps(ProgramDraft& draft, const Group& group) {
  for (const NestTree* root : group) add_fill(draft, root->tensor);
  ProgramStep step;
  for (const NestTree* root : group) {
    for (TensorId t : tensors_of(*root)) {
      const bool is_kept = draft.scheduled.placed.at(root->tensor)[t].analysis.storage.has_value();
      if (!is_kept) step.stores.push_back(t);
    }
  }
  LaunchPlan launch = plan_launch_of(draft.scheduled, group);
  add_checks(draft, launch.of_grid);
  add_kernels(draft, draft.scheduled, group, launch, "", step.variants);
  if (!launch.of_block.empty()) {
    NarrowKernels narrow = narrow_kernels(draft, group, launch);
    if (narrow.variants.empty()) {
      for (LaunchCheck& check : launch.of_block) {
        if (!narrow.refusal.empty())
          check.why += "; narrower blocks would not do: " + narrow.refusal;
      }
      add_checks(draft, launch.of_block);
    }
    for (Kernel& k : narrow.variants) step.variants.push_back(std::move(k));
  }
  draft.program.steps.push_back(std::move(step));
  const TensorId first = group[0]->tensor;
  if (!leaves_carries(draft.schedule(), first)) return;
  const TensorAnalysis& analysis = draft.scheduled.placed.at(first)[first].analysis;
  RowFoldKernels rest = fold_carries(draft.fusion(), draft.schedule(), analysis, draft.sizes);
  add_checks(draft, rest.checks);
  for (std::vector<Kernel>& variants : rest.steps) {
    draft.program.steps.push_back({.variants = std::move(variants), .stores = {first}});
  }
}

}  // namespace selvage
