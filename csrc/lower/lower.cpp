#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/reads.h>
#include <selvage/legality/legality.h>
#include <selvage/lower/fill.h>
#include <selvage/lower/kernels.h>
#include <selvage/lower/stored_parts.h>
#include <selvage/simplifier/point.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr std::size_t kDeepestNest = 1'024;  // loops of one kernel

class Lowering {
 public:
  Lowering(std::shared_ptr<const Schedule> schedule, const LowerOptions& options)
      : fusion_(schedule->fusion()),
        schedule_(*schedule),
        options_(options),
        scheduled_{fusion_, schedule_, nests_of(fusion_, schedule_), {}} {
    program_.schedule = std::move(schedule);
  }

  Program run() {
    program_.sizes = fusion_.sizes();
    for (std::size_t k = 0; k < fusion_.launch_checks().size(); ++k) {
      program_.checks.push_back({fusion_.launch_checks()[k], fusion_.launch_reasons()[k]});
    }
    for (const NestTree& root : scheduled_.nests.roots) {
      for (TensorId t : tensors_of(root)) {
        check_depth(t);
        check_bindings(t);
      }
      place(root, scheduled_);
      for (TensorId t : tensors_of(root)) check(scheduled_.placed.at(root.tensor)[t]);
    }
    list_buffers();
    for (const Group& group : groups()) add_step(group);
    return std::move(program_);
  }

 private:
  static void place(const NestTree& root, ScheduledNests& scheduled) {
    scheduled.placed.emplace(root.tensor,
                             PlacedTensors(scheduled.fusion, scheduled.schedule, root));
  }

  void list_buffers() {
    using Role = ProgramBuffer::Role;
    for (const Role role : {Role::Input, Role::Output, Role::Scratch}) {
      for (std::size_t i = 0; i < fusion_.size(); ++i) {
        const TensorInfo& tensor = fusion_[TensorId(i)];
        const Role own = tensor.is_input    ? Role::Input
                         : tensor.is_output ? Role::Output
                                            : Role::Scratch;
        if (own == Role::Scratch && !is_scratch(TensorId(i))) continue;
        const std::vector<StoredPart> parts = parts_of(fusion_, scheduled_.nests, TensorId(i));
        for (std::size_t k = 0; k < parts.size(); ++k) {
          if (role != (k == 0 ? own : Role::Scratch)) continue;
          program_.buffers.push_back({TensorId(i), parts[k].name, parts[k].type,
                                      elements_of(fusion_, schedule_.graph(), TensorId(i)), role});
        }
      }
    }
  }

  // In global memory, between kernels or within one.
  bool is_scratch(TensorId t) const {
    if (!scheduled_.nests.has_nest[index_of(t)]) return false;
    for (const auto& [root, placed] : scheduled_.placed) {
      if (placed.contains(t)) return !placed[t].analysis.storage;
    }
    return false;
  }

  void check(const PlacedTensor& placed) {
    program_.tensors.push_back(placed.analysis);
    check_coverage(placed.analysis);
    check_vector(placed.analysis);
    if (placed.result) check_vector(*placed.result);
    for (const Finding& f : memory_refusals(fusion_, schedule_, placed.analysis)) {
      std::vector<std::string> notes;
      if (const Point at = point_of(f.verdict); !at.empty()) notes.push_back("at " + to_text(at));
      refuse<Illegal>(f.code, f.reason, f.help, std::move(notes));
    }
  }

  // Trees that one kernel can hold: none reads what another stores, and their loops have no name in
  // common with different extents. What threads do together has a kernel of its own.
  std::vector<Group> groups() const {
    std::vector<Group> groups;
    for (const NestTree& root : scheduled_.nests.roots) {
      if (!groups.empty() && fits(groups.back(), root)) {
        groups.back().push_back(&root);
      } else {
        groups.push_back({&root});
      }
    }
    return groups;
  }

  bool fits(const Group& group, const NestTree& root) const {
    const auto is_alone = [&](const NestTree& tree) {
      return !tree.inside.empty() || fusion_[tree.tensor].fold;
    };
    if (is_alone(root)) return false;
    const TensorAnalysis& a = analysis(root);
    for (const NestTree* other : group) {
      if (is_alone(*other)) return false;
      if (scheduled_.nests.reads[index_of(root.tensor)].count(other->tensor)) return false;
      const TensorAnalysis& b = analysis(*other);
      if (is_bound(a) != is_bound(b)) return false;
      for (std::size_t i = 0; i < a.loops.size(); ++i) {
        for (std::size_t j = 0; j < b.loops.size(); ++j) {
          const Expr m = schedule_.graph()[a.loops[i]].extent;
          const Expr n = schedule_.graph()[b.loops[j]].extent;
          if (same(a.variables[i], b.variables[j]) && !same(m, n)) return false;
        }
      }
    }
    return true;
  }

  bool is_bound(const TensorAnalysis& a) const {
    return std::any_of(a.loops.begin(), a.loops.end(), [&](DomainId d) {
      return schedule_.parallel(a.tensor, d) != ParallelType::Serial;
    });
  }

  void check_bindings(TensorId t) const {
    for (DomainId d : schedule_.loop_domains(t)) {
      const ParallelType p = schedule_.parallel(t, d);
      if (p != ParallelType::Bulk) continue;
      refuse<Illegal>("E414",
                      "binding " + schedule_.name(t, d) + " of " + fusion_[t].name + " to " +
                          std::string(to_string(p)) +
                          " is not supported in kernels yet: a TMA copy is examined, not emitted",
                      "bind it to BIDx..z or TIDx..z; or leave it serial");
    }
  }

  void check_vector(const TensorAnalysis& a) const {
    if (!a.vector || a.vector->finding.is_legal()) return;
    const Finding& f = a.vector->finding;
    refuse<Illegal>(f.code, f.reason, f.help);
  }

  // A nest that no compiler takes is refused before anything is spent on it.
  void check_depth(TensorId t) const {
    const std::size_t depth = schedule_.loop_domains(t).size();
    if (depth <= kDeepestNest) return;
    refuse<Illegal>("E442",
                    "the nest of kernel_" + fusion_[t].name + ", " + std::to_string(depth) +
                        " loops, is past the limit of " + std::to_string(kDeepestNest),
                    "merge loops, or split less often");
  }

  void check_coverage(const TensorAnalysis& a) const {
    if (is_proved(a.coverage.verdict)) return;
    if (options_.items_may_be_lost) return;
    const std::string name = fusion_[a.tensor].name;
    if (a.coverage.lost.empty()) {
      refuse<Illegal>("E431",
                      "it is not proved that the loops of " + name + " visit every item of it",
                      "resize by nothing negative, or give the symbols facts");
    }
    std::string item = "lost:";
    for (const auto& [symbol, value] : a.coverage.lost) {
      item += " " + std::string(symbol.name()) + " = " + std::to_string(value);
    }
    refuse<Illegal>("E431", "the loops of " + name + " do not visit every item of it",
                    "resize by nothing negative", {item});
  }

  const TensorAnalysis& analysis(const NestTree& root) const {
    return scheduled_.placed.at(root.tensor)[root.tensor].analysis;
  }

  // What blocks cannot hold for some sizes, or has no aligned vectors for some, has a slower kernel
  // behind it.
  void add_step(const Group& group) {
    for (const NestTree* root : group) add_fill(*root);
    ProgramStep step;
    for (const NestTree* root : group) {
      for (TensorId t : tensors_of(*root)) {
        if (!scheduled_.placed.at(root->tensor)[t].analysis.storage) step.stores.push_back(t);
      }
    }
    const LaunchPlan launch = plan_launch_of(scheduled_, group);
    add_checks(launch.of_grid);
    add_kernels(scheduled_, group, launch, "", step);
    if (!launch.of_block.empty() && !add_narrow_kernels(group, launch, step)) {
      add_checks(launch.of_block);
    }
    program_.steps.push_back(std::move(step));
  }

  // Blocks that fold together and meet in memory find the empty state there.
  void add_fill(const NestTree& root) {
    const TensorId t = root.tensor;
    if (!schedule_.meets_atomically(t) || !schedule_.is_folded_by_blocks(t)) return;
    Fill fill = fill_with_empty_state(fusion_, schedule_.graph(), t,
                                      parts_of(fusion_, scheduled_.nests, t));
    add_checks(fill.checks);
    program_.steps.push_back({std::move(fill.kernels), {t}});
  }

  void add_kernels(const ScheduledNests& scheduled, const Group& group, const LaunchPlan& launch,
                   const std::string& suffix, ProgramStep& step) const {
    KernelRequest request{.scheduled = scheduled,
                          .group = group,
                          .launch = launch,
                          .name = kernel_name(group) + suffix,
                          .is_vectorised = options_.draws_out_checks && !options_.checks_everything,
                          .options = options_};
    KernelVariants made = make_kernels(request);
    const bool needs_alignment = !made.alignment.empty();
    for (Kernel& k : made.kernels) step.variants.push_back(std::move(k));
    if (!needs_alignment) return;
    // What must be aligned, and cannot be known to be: another kernel, element by element.
    request.is_vectorised = false;
    request.name += "_unaligned";
    for (Kernel& k : make_kernels(request).kernels) step.variants.push_back(std::move(k));
  }

  bool add_narrow_kernels(const Group& group, const LaunchPlan& wide, ProgramStep& step) const {
    try {
      const auto schedule = with_narrow_blocks(schedule_, wide.launch, tensors_of(group));
      if (!schedule) return false;
      ScheduledNests narrow{fusion_, *schedule, nests_of(fusion_, *schedule), {}};
      Group own;
      for (const NestTree& root : narrow.nests.roots) {
        const auto is_same = [&](const NestTree* g) { return g->tensor == root.tensor; };
        if (std::none_of(group.begin(), group.end(), is_same)) continue;
        place(root, narrow);
        own.push_back(&root);
      }
      const LaunchPlan launch = plan_launch_of(narrow, own);
      if (!launch.of_block.empty()) return false;
      add_kernels(narrow, own, launch, "_narrow", step);
      return true;
    } catch (const Illegal&) {
      return false;  // such blocks cannot keep what the schedule keeps: its sizes are limited
    }
  }

  LaunchPlan plan_launch_of(const ScheduledNests& scheduled, const Group& group) const {
    std::vector<const TensorAnalysis*> analyses;
    for (const NestTree* root : group) {
      for (TensorId t : tensors_of(*root)) {
        analyses.push_back(&scheduled.placed.at(root->tensor)[t].analysis);
      }
    }
    return plan_launch(fusion_, scheduled.schedule, analyses, kernel_name(group));
  }

  void add_checks(const std::vector<LaunchCheck>& checks) {
    for (const LaunchCheck& check : checks) {
      const auto is_said = [&](const LaunchCheck& c) { return same(c.condition, check.condition); };
      if (std::none_of(program_.checks.begin(), program_.checks.end(), is_said)) {
        program_.checks.push_back(check);
      }
    }
  }

  std::string kernel_name(const Group& group) const {
    std::string name = "kernel";
    for (const NestTree* root : group) {
      if (name.size() > 40) break;
      name += "_" + fusion_[root->tensor].name;
    }
    return name;
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const LowerOptions& options_;
  ScheduledNests scheduled_;
  Program program_;
};

void check_has_output(const Fusion& fusion) {
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    if (fusion[TensorId(i)].is_output) return;
  }
  refuse<BadInput>("E514", "the fusion has no output: there is nothing to compute",
                   "name as outputs what is wanted, f.output(\"y\", ...)");
}

// The reference knows what a load in a subscript is; kernels do not.
void check_no_loads(const Fusion& fusion) {
  const auto check = [&](TensorId reader, std::span<const Expr> expressions) {
    for (Expr e : reachable(expressions, true)) {
      if (!e.is(Op::Load) && !e.is(Op::Call)) continue;
      refuse<BadInput>("E390",
                       to_string(e) + ", by which " + fusion[reader].name +
                           " reads, is not supported in kernels yet",
                       "compare it with every index instead, select(k == i, ...), and fold over i");
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

Program lower(const Schedule& schedule, const LowerOptions& options) {
  const Fusion& fusion = schedule.original();
  check_has_output(fusion);
  check_no_loads(fusion);
  return Lowering(std::make_shared<const Schedule>(schedule.with_defaults()), options).run();
}

}  // namespace selvage
