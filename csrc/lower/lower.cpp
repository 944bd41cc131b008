#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/forms.h>
#include <selvage/lower/barriers.h>
#include <selvage/lower/fold_nest.h>
#include <selvage/lower/index_type.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/program.h>
#include <selvage/lower/tree_body.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

constexpr std::size_t kDeepestNest = 1'024;            // loops of one kernel
constexpr std::int64_t kMostSharedBytes = 48 * 1'024;  // of a block, without asking for more

class Lowering {
 public:
  Lowering(const Fusion& fusion, const Schedule& schedule, const LowerOptions& options)
      : fusion_(fusion), schedule_(schedule), options_(options) {}

  Program run() {
    program_.sizes = fusion_.sizes();
    program_.possibly_empty = fusion_.possibly_empty();
    for (Expr e : fusion_.launch_checks()) {
      program_.checks.push_back({e, "extents that index notation equates must be equal"});
    }
    nests_ = nests_of(fusion_, schedule_);
    for (const NestTree& root : nests_.roots) {
      for (TensorId t : tensors_of(root)) {
        check_depth(t);
        check_bindings(t);
      }
      placed_.emplace(root.tensor, PlacedTensors(fusion_, schedule_, root));
      for (TensorId t : tensors_of(root)) check(placed_.at(root.tensor)[t]);
    }
    list_buffers();
    for (const std::vector<const NestTree*>& group : groups()) add_step(group);
    return std::move(program_);
  }

 private:
  void list_buffers() {
    using Role = ProgramBuffer::Role;
    for (const Role role : {Role::Input, Role::Output, Role::Scratch}) {
      for (std::size_t i = 0; i < fusion_.size(); ++i) {
        const TensorInfo& tensor = fusion_[TensorId(i)];
        const Role own = tensor.is_input    ? Role::Input
                         : tensor.is_output ? Role::Output
                                            : Role::Scratch;
        if (own != role || (own == Role::Scratch && !is_scratch(TensorId(i)))) continue;
        program_.buffers.push_back({TensorId(i), tensor.name, stored_type(tensor),
                                    elements_of(fusion_, schedule_.graph(), TensorId(i)), role});
      }
    }
  }

  // In global memory, between kernels or within one.
  bool is_scratch(TensorId t) const {
    if (!nests_.has_nest[index_of(t)]) return false;
    for (const auto& [root, placed] : placed_) {
      if (placed.contains(t)) return !placed[t].analysis.storage;
    }
    return false;
  }

  void check(const PlacedTensor& placed) {
    program_.tensors.push_back(placed.analysis);
    check_coverage(placed.analysis);
    check_vector(placed.analysis);
    if (placed.result) check_vector(*placed.result);
  }

  // Trees that one kernel can hold: none reads what another stores, and their loops have no name in
  // common with different extents. What threads do together has a kernel of its own.
  std::vector<std::vector<const NestTree*>> groups() const {
    std::vector<std::vector<const NestTree*>> groups;
    for (const NestTree& root : nests_.roots) {
      if (!groups.empty() && fits(groups.back(), root)) {
        groups.back().push_back(&root);
      } else {
        groups.push_back({&root});
      }
    }
    return groups;
  }

  bool fits(const std::vector<const NestTree*>& group, const NestTree& root) const {
    const auto is_alone = [&](const NestTree& tree) {
      return !tree.inside.empty() || fusion_[tree.tensor].fold;
    };
    if (is_alone(root)) return false;
    const TensorAnalysis& a = analysis(root);
    for (const NestTree* other : group) {
      if (is_alone(*other)) return false;
      if (nests_.reads[index_of(root.tensor)].count(other->tensor)) return false;
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
                      "binding " + schedule_.name(t, d) + " to " + std::string(to_string(p)) +
                          " is not supported in kernels yet: a TMA copy is examined, not emitted",
                      "bind it to BIDx..z or TIDx..z, or leave it serial");
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
    return placed_.at(root.tensor)[root.tensor].analysis;
  }

  using Group = std::vector<const NestTree*>;

  void add_step(const Group& group) {
    ProgramStep step;
    for (const NestTree* root : group) {
      for (TensorId t : tensors_of(*root)) {
        if (!placed_.at(root->tensor)[t].analysis.storage) step.stores.push_back(t);
      }
    }
    const bool is_vectorised = options_.draws_out_checks && !options_.checks_everything;
    const std::vector<Expr> conditions = add_variants(group, is_vectorised, step);
    // What must be aligned, and cannot be known to be: another kernel, element by element.
    if (!conditions.empty()) add_variants(group, false, step);
    program_.steps.push_back(std::move(step));
  }

  // The kernel of a group for 32-bit indices, and where these may not do, for 64-bit ones. What
  // comes back are conditions at launch, which are those of the kernels, too.
  std::vector<Expr> add_variants(const Group& group, bool is_vectorised, ProgramStep& step) {
    Kernel kernel{.name = kernel_name(group),
                  .pool = fusion_.shared_pool(),
                  .buffers = {},
                  .sizes = fusion_.sizes(),
                  .launch = {},
                  .index_type = IndexType::Int32,
                  .condition = fusion_.pool().truth(true),
                  .values = {},
                  .body = {},
                  .facts = *fusion_.facts()};
    if (!step.variants.empty()) kernel.name += "_unaligned";
    settle_launch(kernel, group);
    KernelDraft draft{kernel, {}, {}, {}, is_vectorised};
    add_parameters(group, draft);
    for (const NestTree* root : group) {
      TreeBody body(fusion_, schedule_, placed_.at(root->tensor), options_, draft);
      for (Statement& s : body.of(*root)) kernel.body.push_back(std::move(s));
    }
    add_barriers(kernel);
    check_shared_memory(kernel);
    keep_used_sizes(kernel, draft.computed);
    const std::vector<Expr> conditions = std::move(draft.conditions);
    const IndexWidth width = width_of(kernel, std::move(draft.computed));
    const auto with_conditions = [&](Expr condition) {
      for (Expr c : conditions) condition = condition.is_true() ? c : condition && c;
      return condition;
    };
    if (width.fits_32) {
      kernel.condition = with_conditions(kernel.condition);
      step.variants.push_back(std::move(kernel));
      return conditions;
    }
    Kernel wide = kernel;
    wide.index_type = IndexType::Int64;
    wide.condition = with_conditions(width.condition_64);
    if (!width.never_fits) {
      kernel.condition = with_conditions(width.condition_32);
      wide.name += "_64";
      step.variants.push_back(std::move(kernel));
    }
    step.variants.push_back(std::move(wide));
    return conditions;
  }

  // Of everything that is computed, as the kernel says it and as its text will.
  IndexWidth width_of(const Kernel& kernel, std::vector<Expr> computed) const {
    std::vector<Expr> elements;
    for (const Buffer& b : kernel.buffers) elements.push_back(b.elements);
    computed.insert(computed.end(), elements.begin(), elements.end());
    std::vector<Expr> values = reachable(computed, true);
    const Forms forms(kernel);
    const std::vector<Expr> written = forms.intermediates();
    values.insert(values.end(), written.begin(), written.end());
    Simplifier ranges(kernel.facts);
    return index_width({values, elements, fusion_.sizes(), forms.computed().definitions, ranges});
  }

  // A kernel is passed the sizes that it computes with, no others.
  static void keep_used_sizes(Kernel& kernel, std::span<const Expr> computed) {
    const std::vector<Expr> used = symbols_of(computed);
    std::erase_if(kernel.sizes, [&](Expr size) {
      return std::none_of(used.begin(), used.end(), [&](Expr e) { return same(e, size); });
    });
  }

  std::string kernel_name(const Group& group) const {
    std::string name = "kernel";
    for (const NestTree* root : group) {
      if (name.size() > 40) break;
      name += "_" + fusion_[root->tensor].name;
    }
    return name;
  }

  // Global memory: what is read, then what is stored.
  void add_parameters(const Group& group, KernelDraft& draft) const {
    const auto add = [&](TensorId t, bool is_written) {
      draft.buffer_of(t, nullptr,
                      {.name = fusion_[t].name,
                       .type = stored_type(fusion_[t]),
                       .elements = elements_of(fusion_, schedule_.graph(), t),
                       .is_written = is_written});
    };
    std::vector<TensorId> stored;
    for (const NestTree* root : group) {
      const PlacedTensors& placed = placed_.at(root->tensor);
      for (TensorId t : tensors_of(*root)) {
        for (TensorId r : nests_.reads[index_of(t)]) {
          if (!placed.contains(r)) add(r, false);
        }
        if (!placed[t].analysis.storage) stored.push_back(t);
      }
    }
    for (TensorId t : stored) add(t, true);
  }

  void check_shared_memory(const Kernel& kernel) const {
    std::int64_t bytes = 0;
    for (const Buffer& b : kernel.buffers) {
      if (b.memory == Memory::Shared) bytes += b.elements.value() * size_of(b.type);
    }
    if (bytes <= kMostSharedBytes) return;
    refuse<Illegal>("E442",
                    "the shared memory of " + kernel.name + ", " + std::to_string(bytes) +
                        " bytes, is past the limit of " + std::to_string(kMostSharedBytes),
                    "keep smaller tiles there: split by smaller factors, or compute further in");
  }

  // The widest launch that a tensor of the group asks for, within the hardware's limits.
  void settle_launch(Kernel& kernel, const Group& group) {
    const Expr one = fusion_.pool().constant(1);
    Simplifier simplifier(*fusion_.facts());
    const auto widen = [&](Expr& extent, Expr wanted) {
      if (wanted.valid())
        extent = simplifier.simplify(extent.is_const(1) ? wanted : max(extent, wanted));
    };
    kernel.launch = {{one, one, one}, {one, one, one}, fusion_.pool().constant(0)};
    bool shuffles = false;
    for (const NestTree* root : group) {
      for (TensorId t : tensors_of(*root)) {
        const TensorAnalysis& a = placed_.at(root->tensor)[t].analysis;
        const LaunchDemand demand = launch_demand(schedule_, a);
        for (std::size_t k = 0; k < 3; ++k) {
          widen(kernel.launch.grid[k], demand.grid[k]);
          widen(kernel.launch.block[k], demand.block[k]);
        }
        for (DomainId d : a.loops) {
          const bool is_x = schedule_.parallel(t, d) == ParallelType::TIDx;
          if (is_x && schedule_.is_folded(t, d)) shuffles = true;
        }
      }
    }
    if (shuffles) whole_warps(kernel.launch.block, simplifier);
    const auto& [grid, block, shared] = kernel.launch;
    limit(simplifier, grid[0], INT32_MAX, "the grid's x", kernel);
    limit(simplifier, grid[1], 65'535, "the grid's y", kernel);
    limit(simplifier, grid[2], 65'535, "the grid's z", kernel);
    limit(simplifier, block[0], 1'024, "the block's x", kernel);
    limit(simplifier, block[1], 1'024, "the block's y", kernel);
    limit(simplifier, block[2], 64, "the block's z", kernel);
    limit(simplifier, block[0] * block[1] * block[2], 1'024, "threads in a block", kernel);
  }

  void limit(Simplifier& simplifier, Expr extent, std::int64_t most, const std::string& what,
             const Kernel& kernel) {
    const Expr condition = simplifier.simplify(extent <= most);
    if (condition.is_true()) return;
    const std::string sentence =
        what + " of " + kernel.name + ", " + to_string(simplifier.simplify(extent)) + ", ";
    if (condition.is_false()) {
      refuse<Illegal>(
          "E442", sentence + "is past the hardware's limit of " + std::to_string(most),
          "split the loop that is bound to it by a smaller factor, or bind another one");
    }
    const auto is_said = [&](const LaunchCheck& c) { return same(c.condition, condition); };
    if (std::any_of(program_.checks.begin(), program_.checks.end(), is_said)) return;
    program_.checks.push_back({condition, sentence + "must be at most " + std::to_string(most)});
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  const LowerOptions& options_;
  Program program_;
  Nests nests_;
  std::map<TensorId, PlacedTensors> placed_;  // by root
};

}  // namespace

Program lower(const Fusion& fusion, const Schedule& schedule, const LowerOptions& options) {
  return Lowering(fusion, schedule, options).run();
}

}  // namespace selvage
