#pragma once

#include <selvage/legality/analysis.h>
#include <selvage/legality/finding.h>
#include <selvage/legality/tma.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// A kind of change that may make a legal copy of one that is refused (legality/mend_tma.h).
enum class TmaMend : std::uint8_t {
  Sizes,     // loops of the tile without a known size are split by a number
  Inner,     // a loop of the tile is split, and its inner part bound alone
  Factor,    // another factor of a split
  Strides,   // other strides
  LastLoop,  // another loop is the last of the tile
  Items,     // a loop of too many items is split, and a part of it bound
  Left,      // a resize on the right only
  Swizzle,   // a swizzle of another kind, or none
  Whole,     // one more loop is bound
};

// Why a copy is refused: thrown by the parts of tma_copy, which makes it the copy's finding.
struct TmaRefused {
  Finding finding;
  std::vector<TmaMend> tries;
};

// One copy and what can be asked of it.
class TmaQuestions {
 public:
  TmaQuestions(const Fusion& fusion, const Schedule& schedule, const TensorAnalysis& analysis);

  const Fusion& fusion() const { return fusion_; }
  const Schedule& schedule() const { return schedule_; }
  const TensorAnalysis& analysis() const { return analysis_; }
  const DomainGraph& graph() const { return schedule_.graph(); }
  // The global side, by its id too.
  TensorId global() const { return access_.tensor; }
  const TensorInfo& tensor() const { return fusion_[global()]; }
  ExprPool& pool() const { return fusion_.pool(); }
  Expr c(std::int64_t v) const { return pool().constant(v); }
  std::string name(DomainId d) const { return schedule_.name(analysis_.tensor, d); }
  Expr index(DomainId d) const { return (*analysis_.coordinates)[d]; }
  Expr extent(DomainId d) const { return graph()[d].extent; }
  bool is_bulk(std::size_t loop) const;

  // The conditions that tell valid points from holes: all of them hold at valid points only.
  const std::vector<Expr>& checks() const { return checks_; }
  // The loops' extents, where all are numbers and no check uses a size.
  const std::optional<std::vector<std::int64_t>>& extents() const { return extents_; }

  // Whether the claim holds at every loop point, for all sizes, under the conditions so far.
  bool proves(Expr claim);
  // The same; a claim that only sizes decide becomes one more condition at launch. False: the claim
  // cannot hold.
  bool require(Expr claim);
  const std::vector<Expr>& conditions() const { return conditions_; }
  Expr simplify(Expr e) { return simplifier_->simplify(e); }
  std::optional<std::int64_t> number(Expr e);
  bool is_one(Expr extent) { return number(extent) == std::int64_t{1}; }
  // The strides of the allocation, in elements.
  std::vector<Expr> strides() { return strides_of(graph(), access_.storage, *simplifier_); }
  // The value of e at the first element of the tile, where Bulk loops are 0.
  Expr at_first(Expr e) const;
  // The facts of sizes and loops with the conditions so far.
  const Facts& facts() const { return simplifier_->facts(); }

  // A valid loop point at which the claim fails; the first valid one, if no claim is given or it
  // does not fail; any loop point, if none is valid: a copy is issued there all the same.
  Refuted point(std::optional<Expr> claim = {}) const;
  // A point at which `conditions` hold and the claim fails, with a value for every loop; nothing if
  // none is found.
  std::optional<Refuted> point(const Facts& base, const std::vector<Expr>& conditions,
                               Expr claim) const;

  // `tries`: what may help, in order.
  [[noreturn]] void refuse(std::string code, Verdict verdict, std::string reason,
                           std::vector<TmaMend> tries) const;

 private:
  const Fusion& fusion_;
  const Schedule& schedule_;
  const TensorAnalysis& analysis_;
  const Access access_;
  std::unique_ptr<Simplifier> simplifier_;
  std::vector<Expr> checks_, conditions_;
  std::optional<std::vector<std::int64_t>> extents_;
};

}  // namespace selvage
