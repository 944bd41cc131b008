#include <selvage/lower/draft.h>

#include <utility>

namespace selvage {

BufferId KernelDraft::buffer_of(const BufferContents& wanted, Buffer buffer) {
  for (std::size_t b = 0; b < contents.size(); ++b) {
    if (contents[b].tensor != wanted.tensor || contents[b].component != wanted.component) continue;
    if (buffer.is_written) kernel.buffers[b].is_written = true;
    return BufferId(b);
  }
  contents.resize(kernel.buffers.size());
  contents.push_back(wanted);
  kernel.buffers.push_back(std::move(buffer));
  return BufferId(contents.size() - 1);
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

}  // namespace selvage
