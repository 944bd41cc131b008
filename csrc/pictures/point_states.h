#pragma once

#include <selvage/expr/tape.h>
#include <selvage/ir/fusion.h>
#include <selvage/legality/analysis.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// The state of one loop point.
struct PointState {
  enum class Kind : std::uint8_t {
    Valid,     // stores its item
    Repeated,  // a hole that still stores an item, as duplicates are allowed
    Hole,      // a check stops it
  };
  Kind kind = Kind::Hole;
  std::int64_t item = -1;         // row-major number, unless it is a hole
  std::vector<std::size_t> out;   // positions in PointStates::domains that are out of bounds
  std::vector<std::size_t> stop;  // those of `out` whose check stops it; all, if none is kept
};

// Computes the states of loop points one by one, on demand, however many there are.
class PointStates {
 public:
  // nullopt if an index or an extent depends on a size without a value.
  static std::optional<PointStates> of(const DomainGraph& graph, const TensorInfo& tensor,
                                       const TensorAnalysis& analysis);

  const std::vector<std::int64_t>& extents() const { return extents_; }  // of the loops
  // The iterdomains on the way from the loops to the logical domain, ends included.
  const std::vector<DomainId>& domains() const { return domains_; }
  // `point`: one index per loop, within its extent. nullopt if an index leaves 64 bits.
  std::optional<PointState> at(std::span<const std::int64_t> point);
  // At the point of the last at(): the address of its item, in elements, unless it is a hole; the
  // index of an iterdomain.
  std::int64_t address() const;
  std::int64_t index(std::size_t domain) const;

 private:
  PointStates(const TensorAnalysis& analysis, std::vector<Expr> roots);

  std::vector<std::int64_t> extents_, bounds_;
  std::vector<DomainId> domains_;
  std::vector<std::size_t> logical_;  // positions in domains_
  std::vector<char> lo_, hi_;         // by domain: which halves are checked
  bool duplicates_allowed_ = false;
  Tape tape_;
};

}  // namespace selvage
