#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/ir/fusion.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace selvage {

// The tensors as a diagnostic says what it is about (Diagnostic::tensors).
std::vector<std::uint32_t> as_subjects(std::span<const TensorId> tensors);
inline std::vector<std::uint32_t> as_subjects(TensorId t) { return {std::uint32_t(t)}; }

// Does something for tensors. What is refused meanwhile, and does not say what it is about, is
// about these, the first of them first.
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
