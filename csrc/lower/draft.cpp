#include <selvage/lower/draft.h>

#include <algorithm>
#include <utility>

namespace selvage {

BufferId KernelDraft::buffer_of(Buffer wanted, const Storage* storage) {
  const auto at = std::ranges::find(kernel.buffers, wanted.holds, &Buffer::holds);
  const auto b = BufferId(at - kernel.buffers.begin());
  if (at != kernel.buffers.end()) {
    at->is_written = at->is_written || wanted.is_written;
    return b;
  }
  if (storage != nullptr) storages[b] = storage;
  kernel.buffers.push_back(std::move(wanted));
  return b;
}

BufferId KernelDraft::add_local(std::string name, DataType type, std::int64_t elements) {
  kernel.buffers.push_back({.name = std::move(name),
                            .type = type,
                            .memory = Memory::Local,
                            .elements = kernel.pool->constant(elements),
                            .is_written = true});
  return BufferId(kernel.buffers.size() - 1);
}

BufferId KernelDraft::add_shared(std::string name, DataType type, std::int64_t elements) {
  const BufferId b = add_local(std::move(name), type, elements);
  kernel.buffers[b].memory = Memory::Shared;
  return b;
}

Expr KernelDraft::computing(ParallelType axis) const {
  if (role && role->axis == axis) return kernel.pool->constant(role->first);
  return kernel.launch.block[std::size_t(selvage::axis(axis))];
}

// When the kernel has facts on new symbols, NarrowForms is made anew with them. Earlier results
// stay valid, as their expressions do not mention the new symbols.
Expr KernelDraft::form(Expr e) {
  if (forms == nullptr || forms->known_symbols() != kernel.facts.symbols().size()) {
    forms = std::make_unique<NarrowForms>(kernel.facts);
  }
  const Expr form = (*forms)(e);
  if (noted.insert(form.id()).second) computed.push_back(form);
  return form;
}

}  // namespace selvage
