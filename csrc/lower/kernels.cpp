#include <selvage/base/integer.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/barrier_members.h>
#include <selvage/kernel/failures.h>
#include <selvage/kernel/forms.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/kernel/statements.h>
#include <selvage/lower/barriers.h>
#include <selvage/lower/body.h>
#include <selvage/lower/items.h>
#include <selvage/lower/kernels.h>
#include <selvage/lower/ranks.h>
#include <selvage/lower/replaced.h>
#include <selvage/lower/ring.h>
#include <selvage/lower/roles.h>
#include <selvage/lower/shared_memory.h>
#include <selvage/lower/stored_parts.h>
#include <selvage/lower/tree_body.h>

#include <algorithm>

namespace selvage {

namespace {

// The index width that holds everything the kernel computes, in the expressions of its body and in
// the forms in which these are emitted: kernel.forms.
IndexWidth width_of(KnownSizes& sizes, const Kernel& kernel, Simplifier& ranges,
                    std::vector<Expr> computed) {
  std::vector<Expr> elements;
  for (const Buffer& b : kernel.buffers) elements.push_back(b.elements);
  computed.insert(computed.end(), elements.begin(), elements.end());
  std::vector<Expr> values = reachable(computed, true);
  const std::vector<Expr> written = kernel.forms->intermediates();
  values.insert(values.end(), written.begin(), written.end());
  return index_width({values, elements, kernel.forms->computed().definitions, ranges, sizes});
}

// A kernel is passed the sizes that it computes with, or that emulation needs to check it.
void keep_used_sizes(const KernelRequest&, KernelDraft& draft) {
  Kernel& kernel = draft.kernel;
  std::vector<Expr> computed = draft.computed;
  for_each_statement(kernel.body, [&](const Statement& s) {
    const std::vector<Expr>* valid = parts_of(s).valid;
    if (valid != nullptr) computed.insert(computed.end(), valid->begin(), valid->end());
  });
  for (const Buffer& b : kernel.buffers) computed.push_back(b.elements);
  for (const BoxMap& map : kernel.maps) {
    for (const BoxMap::Dim& dim : map.dims) computed.insert(computed.end(), {dim.size, dim.stride});
  }
  const std::vector<Expr> used = symbols_of(computed);
  std::erase_if(kernel.sizes, [&](Expr size) { return !contains(used, size); });
}

// Adds the buffers in global memory: those that are read, then those that are stored.
void add_parameters(const KernelRequest& request, KernelDraft& draft) {
  const ScheduledNests& scheduled = request.scheduled;
  const Group& group = request.group;
  const Fusion& fusion = scheduled.fusion;
  const DomainGraph& graph = scheduled.schedule.graph();
  Simplifier& sizes = scheduled.sizes.ranges();
  const auto add = [&](TensorId t, bool is_written) {
    const std::vector<StoredPart> parts = parts_of(fusion, scheduled.nests, t);
    const bool is_partial = fusion[t].fold && fusion[t].fold->is_partial;
    for (std::size_t c = 0; c < parts.size(); ++c) {
      if (!is_written && !is_partial && c != part_read(fusion, scheduled.nests, t, 0)) continue;
      draft.buffer_of({.name = parts[c].name,
                       .type = parts[c].type,
                       .elements = elements_of(graph, storage_of(fusion, t), sizes),
                       .is_written = is_written,
                       .is_read_once = fusion[t].is_input && is_read_once(scheduled, group, t),
                       .axes = axes_of(fusion, graph, t, sizes),
                       .is_kept_apart = fusion[t].is_output && !fusion[t].strides.empty(),
                       .holds = TensorPart{t, c}},
                      nullptr);
    }
  };
  std::vector<TensorId> stored;
  const std::vector<TensorId> computed = tensors_of(group);
  for (const NestTree* root : group) {
    const PlacedTensors& placed = scheduled.placed.at(root->tensor);
    for (TensorId t : tensors_of(*root)) {
      for (TensorId r : scheduled.nests.reads[index_of(t)]) {
        if (std::ranges::find(computed, r) == computed.end()) add(r, false);
      }
      if (!placed[t].analysis.storage) stored.push_back(t);
    }
  }
  for (TensorId t : stored) add(t, true);
  const NestTree& last = *group.back();
  if (!scheduled.schedule.last_block_of(last.tensor)) return;
  draft.buffer_of({.name = counter_name(fusion, last.tensor),
                   .type = DataType::Int32,
                   .elements = fusion.pool().constant(1),
                   .is_written = true,
                   .counts_blocks = true,
                   .holds = TensorPart{last.tensor, kBlockCounter}},
                  nullptr);
}

// Checks the bytes of a block's shared memory and of each thread's local memory; throws E442.
void check_memory(const KernelRequest&, KernelDraft& draft) {
  const Kernel& kernel = draft.kernel;
  const std::string workspace =
      ", and a workspace has " + std::to_string(kMaxWorkspaceBytes) + " for a block";
  const auto check = [&](Memory memory, const std::string& what, std::int64_t most) {
    const std::optional<std::int64_t> bytes = bytes_in(kernel, memory);
    if (bytes && *bytes <= most) return;
    const auto own = [&](const Buffer& b) {
      if (b.memory != memory) return std::int64_t{0};
      return checked_mul(b.elements.value(), size_of(b.type)).value_or(INT64_MAX);
    };
    const auto largest = std::ranges::max_element(kernel.buffers, {}, own);
    refuse<Illegal>("E442",
                    what + kernel.name + ", " +
                        (bytes ? std::to_string(*bytes) : "more than 2^63") +
                        " bytes, is past the limit of " + std::to_string(most) +
                        (memory == Memory::Shared ? workspace : ""),
                    "give " + largest->name + " a kernel of its own; or keep less of it there: " +
                        "split by smaller factors, or compute it further in");
  };
  check(Memory::Shared, "the shared memory of ", kMaxSharedBytes);
  check(Memory::Local, "what each thread keeps of ", kMostLocalBytes);
}

// The loops of these trees, one behind the other; of folds that share a pass as one.
Body nests_of(const KernelRequest& request, std::span<const NestTree* const> trees,
              KernelDraft& draft) {
  const ScheduledNests& scheduled = request.scheduled;
  const auto write = [&](const PlacedTensors& placed, const auto& body_of) {
    TreeBody body(scheduled.fusion, scheduled.schedule, scheduled.nests, placed, request.options,
                  draft);
    return body_of(body);
  };
  const auto joins_first = [&](const NestTree* tree) {
    return share_a_pass(scheduled.fusion, scheduled.schedule, scheduled.nests, *trees[0], *tree);
  };
  if (trees.size() > 1 && std::ranges::all_of(trees.subspan(1), joins_first)) {
    PlacedTensors placed = scheduled.placed.at(trees[0]->tensor);
    for (const NestTree* tree : trees) placed.add(scheduled.placed.at(tree->tensor));
    return write(placed, [&](TreeBody& body) { return body.folding_together(trees); });
  }
  Body all;
  for (const NestTree* tree : trees) {
    append(all, write(scheduled.placed.at(tree->tensor),
                      [&](TreeBody& body) { return body.of(*tree); }));
  }
  return all;
}

// The body: the loops of every tree, checks, values and stores; no barriers yet.
void add_nests(const KernelRequest& request, KernelDraft& draft) {
  Kernel& kernel = draft.kernel;
  const auto is_for_last_block = [&](const NestTree* tree) {
    return request.scheduled.schedule.last_block_of(tree->tensor).has_value();
  };
  const std::span<const NestTree* const> trees = request.group;
  const auto last = std::ranges::find_if(trees, is_for_last_block);
  kernel.body = nests_of(request, {trees.begin(), last}, draft);
  if (last == trees.end()) return;
  // For what one block does the launch is one of one block.
  const Expr one = kernel.pool->constant(1);
  const std::array<Expr, 3> grid = std::exchange(kernel.launch.grid, {one, one, one});
  Body body = nests_of(request, {last, trees.end()}, draft);
  kernel.launch.grid = grid;
  const auto counts = [](const Buffer& b) { return b.counts_blocks; };
  const auto counter = std::ranges::find_if(kernel.buffers, counts) - kernel.buffers.begin();
  kernel.body.push_back({LastBlock{BufferId(counter), std::move(body)}});
}

// Where values are checked: the checks, and the memory in which failures are recorded.
void add_checks(const KernelRequest& request, KernelDraft& draft) {
  ValueGraph& values = draft.kernel.values;
  const auto is_check = [&](std::size_t v) {
    return values[ValueId(v)].kind == ValueNode::Kind::Check;
  };
  std::size_t v = 0;
  while (v < values.size() && !is_check(v)) ++v;
  if (v == values.size()) return;
  const Fusion& fusion = request.scheduled.fusion;
  draft.kernel.checks = std::make_shared<const std::vector<ValueCheck>>(fusion.checks());
  draft.buffer_of({.name = kFailuresName,
                   .type = DataType::Int64,
                   .elements = fusion.pool().constant(kFailureElements),
                   .is_written = true,
                   .holds = TensorPart{TensorId(0), kFailures}},
                  nullptr);
}

void share_memory(const KernelRequest& request, KernelDraft& draft) {
  const Within within = [&](const Statement& guard) -> GuardBarriers {
    if (!contains(draft.uniform, std::get<Guard>(guard.node).condition)) return {};
    return {Barrier{}, part_barrier(draft.kernel.launch)};
  };
  place_with_workspace(draft.kernel, request.group.back()->tensor,
                       draft.uniform.empty() ? Within{} : within, &request.meetings);
}

// Each pass works on the kernel that the passes above it have left; none changes what is computed.
struct KernelPass {
  const char* name;
  void (*run)(const KernelRequest& request, KernelDraft& draft);
};
constexpr KernelPass kKernelPasses[] = {
    {"warps of roles", add_role_warps},
    {"parameters", add_parameters},
    {"replaced inputs", note_replaced},
    {"nests", add_nests},
    {"rings", make_rings},
    {"checks of values", add_checks},
    {"pieces of ranks", give_pieces},
    {"shared memory and barriers", share_memory},
    {"end of clusters", meet_at_end},
    {"roles", part_roles},
    {"order of what is replaced", check_replaced_in_kernel},
    {"limits of memory", check_memory},
    {"sizes", keep_used_sizes},
};

}  // namespace

void ScheduledNests::place(const Group& group) {
  KnownLoops known;
  for (const NestTree* root : group) {
    placed.emplace(root->tensor, PlacedTensors(fusion, schedule, *root, known));
  }
}

bool ScheduledNests::is_stored(TensorId t) const {
  if (!nests.has_nest[index_of(t)]) return false;
  for (const auto& [root, own] : placed) {
    if (own.contains(t)) return !own[t].analysis.storage;
  }
  return false;
}

KernelVariants make_kernels(const KernelRequest& request) {
  const Fusion& fusion = request.scheduled.fusion;
  Kernel kernel{.name = request.name,
                .pool = fusion.shared_pool(),
                .buffers = {},
                .sizes = fusion.sizes(),
                .launch = request.launch.launch,
                .index_type = IndexType::Int32,
                .condition = fusion.pool().truth(true),
                .values = {},
                .body = {},
                .facts = *fusion.facts()};
  KernelDraft draft{.kernel = kernel, .is_vectorised = request.is_vectorised};
  for (const KernelPass& pass : kKernelPasses) {
    pass.run(request, draft);
    if (request.options.after_pass) request.options.after_pass(pass.name, kernel);
  }
  KernelVariants out{{}, std::move(draft.conditions)};
  std::vector<Expr> conditions = out.alignment;
  for (const LaunchCheck& check : request.launch.of_block) conditions.push_back(check.condition);
  out.kernels = for_both_widths(request.scheduled.sizes, std::move(kernel),
                                std::move(draft.computed), conditions);
  return out;
}

std::vector<Kernel> for_both_widths(KnownSizes& sizes, Kernel kernel, std::vector<Expr> computed,
                                    std::span<const Expr> conditions) {
  Simplifier ranges(kernel.facts);
  kernel.forms = std::make_shared<const Forms>(kernel, ranges);
  const IndexWidth width = width_of(sizes, kernel, ranges, std::move(computed));
  std::vector<Expr> all;
  for (Expr c : conditions) {
    if (!contains(all, c)) all.push_back(c);
  }
  const auto with_conditions = [&](Expr condition) {
    for (Expr c : all) condition = condition.is_true() ? c : condition && c;
    return condition;
  };
  kernel.premise = with_conditions(kernel.pool->truth(true));
  std::vector<Kernel> kernels;
  if (width.fits_32) {
    kernel.condition = with_conditions(kernel.condition);
    kernels.push_back(std::move(kernel));
    return kernels;
  }
  Kernel wide = kernel;
  wide.index_type = IndexType::Int64;
  wide.condition = with_conditions(width.condition_64);
  if (!width.never_fits) {
    kernel.condition = with_conditions(width.condition_32);
    wide.name += "_64";
    kernels.push_back(std::move(kernel));
  }
  kernels.push_back(std::move(wide));
  return kernels;
}

}  // namespace selvage
