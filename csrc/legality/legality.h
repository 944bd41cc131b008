#pragma once

#include <selvage/legality/bank_conflicts.h>

#include <optional>

namespace selvage {

// What is asked of one tensor's schedule besides its predicates and its coverage; a question that
// does not arise has no answer here.
struct Legality {
  std::optional<BankConflicts> banks = {};
};

// `reads` and `read`: how a shared tensor is read, if other than it is written.
Legality legality_of(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                     const Schedule* reads = nullptr, const TensorAnalysis* read = nullptr);

}  // namespace selvage
