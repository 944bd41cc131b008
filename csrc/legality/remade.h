#pragma once

#include <selvage/ir/schedule.h>

#include <optional>

namespace selvage {

// The transforms of a tensor's schedule itself, in order: not those of a view, nor those that its
// allocation is made of.
std::vector<TransformId> own_transforms(const Fusion& fusion, const Schedule& schedule, TensorId t);

// The loops of that tensor over a fusion that says something else of it.
Schedule remade(const Fusion& fusion, const Schedule& schedule, TensorId t);
// With one of its own transforms made otherwise: a transform of the same iterdomains; nothing: it
// is left out, and what it takes stands for what it gives (of a swizzle). Throws Illegal where it
// makes no sense then.
Schedule remade(const Fusion& fusion, const Schedule& schedule, TensorId t, TransformId which,
                const std::optional<Transform>& otherwise);

}  // namespace selvage
