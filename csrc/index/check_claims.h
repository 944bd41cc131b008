#pragma once

#include <selvage/index/predicate.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Puts questions about checks to the simplifier, as claims about all loop points and all sizes: a
// counterexample may have sizes that no instance has.
class CheckClaims {
 public:
  explicit CheckClaims(const PredicateRequest& request);

  // Whether `others` imply `claim`. Unknown, too, if the claim is too large or the work for all
  // questions is used up.
  Verdict ask(std::span<const Expr> others, Expr claim);

  // Which of these conditions fail together, at each of some points that are drawn. No set occurs
  // twice, and none is empty.
  std::vector<std::vector<std::uint32_t>> failing_together(std::span<const Expr> conditions) const;

  // The conditions that fail at the point; nothing if one of them has no value there.
  static std::optional<std::vector<std::uint32_t>> failing(std::span<const Expr> conditions,
                                                           const Refuted& refuted);

 private:
  // The most nodes of a claim with its assumptions, and of all claims together: beyond that a
  // question is not worth its time.
  static constexpr std::size_t kLargest = 250;
  static constexpr std::size_t kMostNodes = 2'000;
  static constexpr int kDraws = 200;

  Facts premises() const;

  const PredicateRequest& request_;
  std::vector<Expr> promises_;  // what offsets promise of the rows that are searched
  std::size_t nodes_left_ = kMostNodes;
};

}  // namespace selvage
