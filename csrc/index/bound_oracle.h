#pragma once

#include <selvage/index/hole_system.h>
#include <selvage/index/laws.h>
#include <selvage/index/predicate.h>

#include <memory>
#include <span>
#include <vector>

namespace selvage {

// Which bounds follow from others at every loop point. Sound, and, if thorough, as complete as
// laws, intervals and congruences are; a flag per BoundId over request.path.domains.
class BoundOracle {
 public:
  enum class Effort : std::uint8_t { Quick, Thorough };
  virtual ~BoundOracle() = default;
  virtual std::vector<char> implied(std::span<const BoundId> assumed, Effort effort) = 0;
  // Relations that were looked at for all answers so far.
  virtual std::uint64_t steps() const { return 0; }
};

// For known extents: intervals and congruences of all coordinates in one fixpoint, then what is
// still open assumed broken, to see whether anything is left.
std::unique_ptr<BoundOracle> numeric_oracle(const HoleSystem& system);

// For symbolic extents: the laws, their conditions proved, and the prover on what they leave open.
std::unique_ptr<BoundOracle> symbolic_oracle(const PredicateRequest& request,
                                             std::span<const Implication> implications);

// A graph with its symbols replaced by numbers.
struct Instance {
  Point symbols;
  HoleSystem system;
};
// One instance if all extents are known; else some that the facts allow, small ones first.
std::vector<Instance> instances(const PredicateRequest& request, std::size_t most);

}  // namespace selvage
