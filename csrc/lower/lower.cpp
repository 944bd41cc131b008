#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/forms.h>
#include <selvage/lower/index_type.h>
#include <selvage/lower/nest.h>
#include <selvage/lower/program.h>
#include <selvage/lower/values.h>

#include <algorithm>
#include <set>

namespace selvage {

namespace {

constexpr std::size_t kDeepestNest = 1'024;  // loops of one kernel

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
    find_needed();
    list_buffers();
    for (const std::vector<TensorId>& group : groups()) add_step(group);
    return std::move(program_);
  }

 private:
  // Stored: every output, and what the definitions of stored tensors read and is not inlined.
  void find_needed() {
    is_stored_.assign(fusion_.size(), false);
    reads_.resize(fusion_.size());
    for (std::size_t i = fusion_.size(); i-- > 0;) {
      const TensorId t = TensorId(i);
      const TensorInfo& tensor = fusion_[t];
      if (tensor.is_input || !tensor.definition) continue;
      if (tensor.is_output) is_stored_[i] = true;
      if (!is_stored_[i]) continue;
      collect_reads(*tensor.definition, reads_[i]);
      for (TensorId r : reads_[i]) {
        if (!fusion_[r].is_input) is_stored_[index_of(r)] = true;
      }
    }
  }

  void collect_reads(ValueId v, std::set<TensorId>& out) {
    const ValueNode& node = fusion_.values()[v];
    if (node.kind == ValueNode::Kind::Read) {
      const TensorId source = TensorId(node.source);
      if (!fusion_[source].is_input && schedule_.is_inlined(source)) {
        if (inlined_seen_.insert({index_of(source), &out}).second) {
          collect_reads(*fusion_[source].definition, out);
        }
      } else {
        out.insert(source);
      }
    }
    for (ValueId o : node.operands) {
      if (visited_.insert({std::size_t(o), &out}).second) collect_reads(o, out);
    }
  }

  void list_buffers() {
    using Role = ProgramBuffer::Role;
    for (const Role role : {Role::Input, Role::Output, Role::Scratch}) {
      for (std::size_t i = 0; i < fusion_.size(); ++i) {
        const TensorInfo& tensor = fusion_[TensorId(i)];
        const Role own = tensor.is_input    ? Role::Input
                         : tensor.is_output ? Role::Output
                                            : Role::Scratch;
        if (own != role || (own == Role::Scratch && !is_stored_[i])) continue;
        program_.buffers.push_back({TensorId(i), tensor.name, stored_type(tensor),
                                    elements_of(fusion_, schedule_.graph(), TensorId(i)), role});
      }
    }
  }

  // Tensors that one kernel can store: none reads another, and their loops have no name in common
  // with different extents.
  std::vector<std::vector<TensorId>> groups() {
    std::vector<std::vector<TensorId>> groups;
    for (std::size_t i = 0; i < fusion_.size(); ++i) {
      if (!is_stored_[i]) continue;
      const TensorId t = TensorId(i);
      check_depth(t);
      check_bindings(t);
      program_.tensors.push_back(analyze(fusion_, schedule_, t));
      check_coverage(program_.tensors.back());
      check_vector(program_.tensors.back());
      if (!groups.empty() && fits(groups.back(), t)) {
        groups.back().push_back(t);
      } else {
        groups.push_back({t});
      }
    }
    return groups;
  }

  bool fits(const std::vector<TensorId>& group, TensorId t) {
    const TensorAnalysis& a = analysis(t);
    for (TensorId other : group) {
      if (reads_[index_of(t)].count(other)) return false;
      const TensorAnalysis& b = analysis(other);
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

  const TensorAnalysis& analysis(TensorId t) const {
    for (const TensorAnalysis& a : program_.tensors) {
      if (a.tensor == t) return a;
    }
    SELVAGE_CHECK(!"an analysed tensor");
    return program_.tensors.front();
  }

  void add_step(const std::vector<TensorId>& group) {
    ProgramStep step;
    step.stores = group;
    const bool is_vectorised = options_.draws_out_checks && !options_.checks_everything;
    const std::vector<Expr> conditions = add_variants(group, is_vectorised, step);
    // What must be aligned, and cannot be known to be: another kernel, element by element.
    if (!conditions.empty()) add_variants(group, false, step);
    program_.steps.push_back(std::move(step));
  }

  // The kernel of a group for 32-bit indices, and where these may not do, for 64-bit ones. What
  // comes back are conditions at launch, which are those of the kernels, too.
  std::vector<Expr> add_variants(const std::vector<TensorId>& group, bool is_vectorised,
                                 ProgramStep& step) {
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
    std::vector<TensorId> bound;
    for (TensorId t : group) {
      for (TensorId r : reads_[index_of(t)]) add_buffer(kernel, bound, r, false);
    }
    for (TensorId t : group) add_buffer(kernel, bound, t, true);
    settle_launch(kernel, group);

    std::vector<Expr> computed, conditions;
    for (TensorId t : group) {
      const TensorAnalysis& a = analysis(t);
      const auto buffer = [&](TensorId r) {
        return BufferId(std::find(bound.begin(), bound.end(), r) - bound.begin());
      };
      ValueLowering values(fusion_, schedule_, a, kernel.values, buffer);
      const ValueId value = values.lower(t);
      const NestRequest nest{fusion_,
                             schedule_,
                             a,
                             bound,
                             is_vectorised,
                             options_.draws_out_checks,
                             options_.checks_everything};
      for (Expr c : append_nest(nest, buffer(t), value, kernel, computed)) conditions.push_back(c);
    }
    keep_used_sizes(kernel, computed);
    const IndexWidth width = width_of(kernel, std::move(computed));
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

  std::string kernel_name(const std::vector<TensorId>& group) const {
    std::string name = "kernel";
    for (TensorId t : group) {
      if (name.size() > 40) break;
      name += "_" + fusion_[t].name;
    }
    return name;
  }

  void add_buffer(Kernel& kernel, std::vector<TensorId>& bound, TensorId t, bool written) const {
    if (std::find(bound.begin(), bound.end(), t) != bound.end()) return;
    bound.push_back(t);
    kernel.buffers.push_back({fusion_[t].name, stored_type(fusion_[t]), Memory::Global,
                              elements_of(fusion_, schedule_.graph(), t), written});
  }

  // The widest launch that a tensor of the group asks for, within the hardware's limits.
  void settle_launch(Kernel& kernel, const std::vector<TensorId>& group) {
    const Expr one = fusion_.pool().constant(1);
    Simplifier simplifier(*fusion_.facts());
    const auto widen = [&](Expr& extent, Expr wanted) {
      if (wanted.valid())
        extent = simplifier.simplify(extent.is_const(1) ? wanted : max(extent, wanted));
    };
    kernel.launch = {{one, one, one}, {one, one, one}, fusion_.pool().constant(0)};
    for (TensorId t : group) {
      const LaunchDemand demand = launch_demand(schedule_, analysis(t));
      for (std::size_t k = 0; k < 3; ++k) {
        widen(kernel.launch.grid[k], demand.grid[k]);
        widen(kernel.launch.block[k], demand.block[k]);
      }
    }
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
  std::vector<bool> is_stored_;
  std::vector<std::set<TensorId>> reads_;  // stored tensors and inputs that a definition reads
  std::set<std::pair<std::size_t, std::set<TensorId>*>> visited_, inlined_seen_;
};

}  // namespace

Program lower(const Fusion& fusion, const Schedule& schedule, const LowerOptions& options) {
  return Lowering(fusion, schedule, options).run();
}

}  // namespace selvage
