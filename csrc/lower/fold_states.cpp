#include <selvage/lower/fold_states.h>
#include <selvage/lower/nest.h>

#include <utility>

namespace selvage {

FoldStates::FoldStates(KernelDraft& draft, const Fold& fold)
    : draft_(draft), fold_(fold), components_(selvage::components(fold)) {}

std::vector<BufferId> FoldStates::add_local(const std::string& name, std::int64_t items,
                                            const std::string& what) const {
  std::vector<BufferId> buffers;
  for (const FoldComponent& c : components_) {
    buffers.push_back(draft_.add_local(name + "." + c.name + what, c.type, items));
  }
  return buffers;
}

std::vector<BufferId> FoldStates::add_shared(const std::string& name, std::int64_t items,
                                             const std::string& what) const {
  std::vector<BufferId> buffers = add_local(name, items, what);
  for (BufferId b : buffers) draft_.kernel.buffers[b].memory = Memory::Shared;
  return buffers;
}

FoldState FoldStates::read(const std::vector<BufferId>& buffers, Expr address) const {
  FoldState state;
  for (std::size_t c = 0; c < buffers.size(); ++c) {
    state.push_back(draft_.kernel.values.read(components_[c].type, buffers[c], {address}));
  }
  return state;
}

std::vector<Store> FoldStates::stores(const std::vector<BufferId>& buffers, Expr address,
                                      const FoldState& state, std::vector<Expr> valid) const {
  std::vector<Store> stores;
  for (std::size_t c = 0; c < buffers.size(); ++c) {
    stores.push_back({.buffer = buffers[c], .address = address, .value = state[c], .valid = valid});
  }
  return stores;
}

FoldState FoldStates::empty() const { return empty_state(draft_.kernel.values, fold_); }

FoldState FoldStates::merged(const FoldState& a, const FoldState& b) const {
  return selvage::merged(draft_.kernel.values, fold_, a, b);
}

Expr FoldStates::item_of(std::int64_t items) const {
  return own_variable("item." + std::to_string(items), draft_.kernel.pool->constant(items),
                      draft_.kernel);
}

Expr threads_of_block(const Kernel& kernel) {
  const auto& block = kernel.launch.block;
  const Expr own = block[0] * block[1];
  return Simplifier(kernel.facts).simplify(kernel.launch.is_cluster ? own : own * block[2]);
}

Expr linear_thread(Kernel& kernel) {
  const auto& block = kernel.launch.block;
  const auto index = [&](ParallelType p) {
    const bool is_rank = p == ParallelType::TIDz && kernel.launch.is_cluster;
    return is_rank || extent_of(kernel.launch, p).is_const(1) ? kernel.pool->constant(0)
                                                              : every(p, kernel).variable;
  };
  return (index(ParallelType::TIDz) * block[1] + index(ParallelType::TIDy)) * block[0] +
         index(ParallelType::TIDx);
}

Body with_threads(Body body, Kernel& kernel) {
  for (ParallelType p : {ParallelType::TIDx, ParallelType::TIDy, ParallelType::TIDz}) {
    if (extent_of(kernel.launch, p).is_const(1)) continue;
    Loop loop = every(p, kernel);
    loop.body = std::move(body);
    body = body_of(std::move(loop));
  }
  return body;
}

}  // namespace selvage
