#pragma once

#include <selvage/index/predicate.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// Questions about checks as claims about all loop points, put to the simplifier: what no instance
// of the sizes shows, a point of other sizes may.
class CheckClaims {
 public:
  explicit CheckClaims(const PredicateRequest& request) : request_(request) {}

  // Do the others imply the claim? Unknown, too, where the work for all questions is used up.
  Verdict ask(std::span<const Expr> others, Expr claim);

  // Which of the conditions fail there; nothing where one of them has no value.
  static std::optional<std::vector<std::uint32_t>> failing(std::span<const Expr> conditions,
                                                           const Refuted& refuted);

 private:
  // Nodes of a claim with what it is under, and of all that are asked: past that a question is not
  // worth its time.
  static constexpr std::size_t kLargest = 250;
  static constexpr std::size_t kMostNodes = 2'000;

  const PredicateRequest& request_;
  std::size_t nodes_left_ = kMostNodes;
};

}  // namespace selvage
