#pragma once

#include <selvage/frontend/layout.h>
#include <selvage/frontend/sections.h>
#include <selvage/ir/identity.h>

#include <memory>
#include <optional>
#include <vector>

namespace selvage {

// A tensor of section 1 as the file says it: names are resolved and numbered, and nothing is made
// yet.
struct TensorDraft {
  TensorDraft(const Entry& tensor, FileContext& context);

  const Entry& entry;
  std::shared_ptr<Fusion> fusion;
  SizeScope sizes;
  DomainNames names;

  DataType type = DataType::Float;
  Memory memory = Memory::Global;
  bool duplicates = false;
  bool is_view = false;
  std::optional<std::int64_t> fill;
  std::size_t roots = 0;  // of a view: so many first names are its root
  struct Extent {
    Expr extent;
    Place place;
  };
  std::vector<Extent> extents;  // of the first names: root or logical
  std::vector<FileTransform> view, transforms;
  std::vector<std::size_t> logical, allocation, loop;
  std::vector<FileBinding> bindings;
  FileLayout layout;
  // The loops by which it is read.
  struct Reading {
    std::vector<FileTransform> transforms;
    std::vector<std::size_t> loop;
    Place place;  // of the loop
    std::vector<FileBinding> bindings;
    bool is_guarded = true;
    std::optional<Reduction> reduction;
  };
  std::optional<Reading> reading;
};

// Reads the tensor's entry, resolving names only. Adds errors to the context.
void read_draft(TensorDraft& draft, FileContext& context);

// Makes the fusion and the schedule. Throws Illegal at its place; adds other errors to the context,
// and then the result must not be used.
FileTensor build(TensorDraft& draft, FileContext& context);

}  // namespace selvage
