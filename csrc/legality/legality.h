#pragma once

#include <selvage/legality/bank_conflicts.h>
#include <selvage/legality/fills.h>
#include <selvage/legality/tma.h>

#include <optional>

namespace selvage {

// The answers about one tensor's schedule besides its predicates, its coverage and its vector;
// empty where a question does not arise.
struct Legality {
  Finding store;  // every store is inside the tensor's memory
  std::optional<Fills> fills = {};
  std::optional<TmaCopy> tma = {};
  std::optional<BankConflicts> banks = {};
};

// The findings for which a schedule is refused: E443 a store outside of the tensor's memory, E460
// to E466 a TMA copy, E470 to E474 holes whose fill is lost, wrong or read in vain.
std::vector<Finding> refusals(const Legality& legality);
// The same for the questions that a kernel asks: stores and fills.
std::vector<Finding> memory_refusals(const Fusion& fusion, const Schedule& schedule,
                                     const TensorAnalysis& analysis);

// `reads` and `read`: how the tensor is read, if other than it is written.
Legality legality_of(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis,
                     const Schedule* reads = nullptr, const TensorAnalysis* read = nullptr,
                     const ReadBy& by = {});

}  // namespace selvage
