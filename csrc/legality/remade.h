#pragma once

#include <selvage/ir/schedule.h>

#include <optional>

namespace selvage {

// The transforms that the schedule itself has made for a tensor, in order: not those of its view,
// nor those that its allocation is made of.
std::vector<TransformId> own_transforms(const Fusion& fusion, const Schedule& schedule, TensorId t);

// A schedule over another version of the fusion, with the loops, bindings and memory of tensor t.
Schedule remade(const Fusion& fusion, const Schedule& schedule, TensorId t);
// The same with transform `which` replaced by `otherwise`, a transform of the same iterdomains.
// Nothing: `which`, a swizzle, is left out, and its inputs stand for its outputs. Throws Illegal
// where the result makes no sense.
Schedule remade(const Fusion& fusion, const Schedule& schedule, TensorId t, TransformId which,
                const std::optional<Transform>& otherwise);

}  // namespace selvage
