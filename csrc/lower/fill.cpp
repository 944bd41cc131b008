#include <selvage/ir/fold.h>
#include <selvage/lower/body.h>
#include <selvage/lower/fill.h>
#include <selvage/lower/kernels.h>

namespace selvage {

namespace {

constexpr std::int64_t kFillThreads = 256;

// The indices of an item given its row-major number; the outermost index is not reduced modulo.
std::vector<Expr> item_at(Expr number, const std::vector<Expr>& extents) {
  std::vector<Expr> indices(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    indices[i] = i == 0 ? number : number % extents[i];
    number = number / extents[i];
  }
  return indices;
}

}  // namespace

Fill fill_with_empty_state(const Fusion& fusion, const DomainGraph& graph, TensorId t,
                           const std::vector<StoredPart>& parts, KnownSizes& sizes) {
  const TensorInfo& tensor = fusion[t];
  ExprPool& pool = fusion.pool();
  std::vector<Expr> extents;
  Expr items = pool.constant(1);
  for (DomainId d : tensor.logical) {
    extents.push_back(graph[d].extent);
    items = items * graph[d].extent;
  }
  items = sizes.ranges().simplify(items);
  const std::string name = "kernel_" + tensor.name + "_fill";
  const LaunchPlan plan = plan_flat_launch(fusion, items, kFillThreads, name);
  Kernel kernel{.name = name,
                .pool = fusion.shared_pool(),
                .buffers = {},
                .sizes = fusion.sizes(),
                .launch = plan.launch,
                .index_type = IndexType::Int32,
                .condition = pool.truth(true),
                .values = {},
                .body = {},
                .facts = *fusion.facts()};
  const Expr block = pool.symbol("every.BIDx"), thread = pool.symbol("every.TIDx");
  kernel.facts.loop(block, plan.launch.grid[0]);
  kernel.facts.loop(thread, plan.launch.block[0]);
  const Expr number = block * kFillThreads + thread;
  const Expr is_item = number < items;
  Facts valid = kernel.facts;
  valid.assume(is_item);
  const Expr address =
      Simplifier(std::move(valid)).simplify(address_of(fusion, graph, t, item_at(number, extents)));
  const FoldState state = empty_state(kernel.values, *tensor.fold);
  std::vector<Store> stores;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const StoredPart& part = parts[k];
    stores.push_back({.buffer = BufferId(kernel.buffers.size()),
                      .address = address,
                      .value = kernel.values.cast(state[0], compute_type(part.type)),
                      .valid = {is_item}});
    kernel.buffers.push_back({.name = part.name,
                              .type = part.type,
                              .elements = elements_of(fusion, graph, t),
                              .is_written = true,
                              .holds = TensorPart{t, k}});
  }
  Body body = guarded({is_item}, body_of_all(std::move(stores)));
  body = body_of(Loop{thread, plan.launch.block[0], ParallelType::TIDx, std::move(body)});
  kernel.body = body_of(Loop{block, plan.launch.grid[0], ParallelType::BIDx, std::move(body)});
  return {for_both_widths(sizes, std::move(kernel),
                          {address, is_item, plan.launch.grid[0], plan.launch.block[0]}, {}),
          plan.of_grid};
}

}  // namespace selvage
