#pragma once

#include <selvage/index/hole_system.h>
#include <selvage/index/laws.h>
#include <selvage/index/predicate.h>

#include <memory>
#include <span>
#include <vector>

namespace selvage {

// Tells which bounds follow from others at every loop point: a flag per BoundId over
// request.path.domains. Sound and, if thorough, as complete as laws, intervals and congruences are.
class BoundOracle {
 public:
  enum class Effort : std::uint8_t { Quick, Thorough };
  virtual ~BoundOracle() = default;
  virtual std::vector<char> implied(std::span<const BoundId> assumed, Effort effort) = 0;
  // The number of relations looked at for all answers so far.
  virtual std::uint64_t steps() const { return 0; }
};

// For known extents: propagates intervals and congruences of all coordinates to a fixpoint, then
// assumes each open bound broken: the bound follows if no loop point is left.
std::unique_ptr<BoundOracle> numeric_oracle(const HoleSystem& system);

// For symbolic extents: applies the laws whose conditions are proved, then asks the prover and
// symbolic intervals about the bounds that are open.
std::unique_ptr<BoundOracle> symbolic_oracle(const PredicateRequest& request,
                                             std::span<const Implication> implications);

// A graph with its symbols replaced by numbers.
struct Instance {
  Point symbols;
  HoleSystem system;
};
// One instance if all extents are known; else up to `most` that the facts allow, small ones first.
std::vector<Instance> instances(const PredicateRequest& request, std::size_t most);

}  // namespace selvage
