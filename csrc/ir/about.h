#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/ir/fusion.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace selvage {

// The tensors in the form of Diagnostic::tensors, which says what a diagnostic is about.
std::vector<std::uint32_t> as_subjects(std::span<const TensorId> tensors);
inline std::vector<std::uint32_t> as_subjects(TensorId t) { return {std::uint32_t(t)}; }

// Runs `action` and returns its result. If that throws an Illegal that names no tensors, adds
// these, in this order, and throws it on.
template <class Action>
decltype(auto) about(std::vector<std::uint32_t> tensors, Action&& action) {
  try {
    return action();
  } catch (Illegal& refusal) {
    refusal.about(std::move(tensors));
    throw;
  }
}
template <class Action>
decltype(auto) about(TensorId t, Action&& action) {
  return about(as_subjects(t), std::forward<Action>(action));
}

}  // namespace selvage
