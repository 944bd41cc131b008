#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/legality/analysis.h>

#include <optional>
#include <string>
#include <vector>

namespace selvage {

// What a buffer of a kernel holds: elements of a tensor, as the fusion lays them out or in a
// storage of the kernel's own. Nothing: it is no tensor's.
struct BufferContents {
  std::optional<TensorId> tensor;
  std::size_t component = 0;  // of the state that a partial tensor keeps
  const Storage* storage = nullptr;
};

// A kernel while its body is put together.
struct KernelDraft {
  Kernel& kernel;
  std::vector<BufferContents> contents = {};  // of the first buffers; the rest hold no tensor
  std::vector<Expr> computed = {};            // index expressions of the body
  std::vector<Expr> conditions = {};          // what must hold at launch, besides widths
  bool is_vectorised = true;
  std::size_t settled_values = 0;  // how many values, the first, have their index expressions named

  // The buffer with those contents; one is added where there is none yet.
  BufferId buffer_of(const BufferContents& wanted, Buffer buffer);
  BufferId add_local(std::string name, DataType type, std::int64_t elements);
  BufferId add_shared(std::string name, DataType type, std::int64_t elements);
};

}  // namespace selvage
