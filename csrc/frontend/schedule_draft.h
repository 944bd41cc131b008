#pragma once

#include <selvage/frontend/formula.h>
#include <selvage/frontend/sections.h>

#include <string>
#include <vector>

namespace selvage {

// `schedule` of a fusion as the file says it: names resolved, nothing made yet.
struct ScheduleDraft {
  struct Tensor {
    std::string name;
    DomainNames names;  // the indices of its statement come first
    Place place;
    bool is_inlined = false;
    std::vector<FileTransform> transforms;
    std::vector<std::size_t> loops;  // after all of them, outer to inner
    std::vector<FileBinding> bindings;
  };
  bool is_automatic = true;
  std::vector<Tensor> tensors;
  Place place;
};

// Only names are looked at: sizes are read, and to be declared after that.
ScheduleDraft read_schedule_draft(const Node* schedule, std::span<const Formula> statements,
                                  const std::vector<std::string>& inputs, SizeScope& sizes,
                                  FileContext& context);

// The schedule of a fusion that is built. Throws Illegal at its place.
Schedule build_schedule(ScheduleDraft& draft, const Fusion& fusion,
                        std::span<const Formula> statements);

}  // namespace selvage
