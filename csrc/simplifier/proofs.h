#pragma once

#include <selvage/simplifier/narrowing.h>
#include <selvage/simplifier/part.h>
#include <selvage/simplifier/samples.h>
#include <selvage/simplifier/verdict.h>

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace selvage {

// Knows which sums are taken to be at least 0: those that the assumptions say are, and for the
// proof under way those that it supposes. Knows, too, some points that the facts allow: what is
// negative at one of them where the premises hold is no consequence of theirs. Asks Structure
// which symbols are in a sum.
class Premises {
 public:
  Premises(const Facts& facts, Structure& structure) : facts_(facts), structure_(structure) {}

  // Is at least 0, by the assumptions.
  void assume(LinearSum sum);
  const std::vector<LinearSum>& assumed() const { return assumed_; }

  struct Supposed {
    std::vector<const LinearSum*> sums;
    std::uint64_t symbols = 0;
    Samples::Mask points = Samples::kAll;  // at which they are at least 0
  };
  // Each gives back what was supposed before.
  Supposed suppose(const std::vector<const LinearSum*>& sums);
  Supposed suppose(Supposed supposed);
  const std::vector<const LinearSum*>& supposed() const { return supposed_.sums; }

  // Those in the premises (Structure::symbol_mask).
  std::uint64_t symbols() const { return assumed_symbols_ | supposed_.symbols; }
  // Do the assumptions tie nothing together that is in a plain sum? Then its interval is exact.
  bool leave_free(const LinearSum& sum) const;
  // Is the sum negative at a point, perhaps of those at which what is supposed holds?
  bool refute(const LinearSum& sum, bool as_supposed);

 private:
  Samples& samples();

  const Facts& facts_;
  Structure& structure_;
  std::vector<LinearSum> assumed_;
  std::uint64_t assumed_symbols_ = 0;
  Supposed supposed_;
  std::unique_ptr<Samples> samples_;  // chosen when first asked for
};

// Proves that sums are at least 0. Knows which sums were tried, with which end, and how deep it is
// in proofs within simplifications within proofs. Asks for intervals, which settle most; else it
// searches: a multiple of a premise is taken away, or an atom replaced by a bound of it
// (Elimination), and what comes out is to be at least 0 in turn. Wherever that holds the sum is at
// least 0, so yes is true; no means that no proof was found.
class Prover : SimplifierPart {
 public:
  explicit Prover(SimplifierParts& parts);

  // 0 <= sum, always?
  bool nonnegative(const LinearSum& sum) { return nonnegative(sum, kProofDepth); }
  // The same as a step of a proof that may go so much deeper.
  bool nonnegative(const LinearSum& sum, int depth);
  // sum < bound, always?
  bool is_below(const LinearSum& sum, std::int64_t bound);
  // 0 <= sum, for the assumptions leave no values to deny it: by narrowing, where there are any.
  bool no_point_denies(const LinearSum& sum);
  // The points of the assumptions at which a sum is at least 0.
  Narrowing points_of(const LinearSum& sum);
  // Is there a point at which the sum is negative? Then no proof need be tried.
  bool is_refuted(const LinearSum& sum);

  // Does it hold where proofs suppose that these sums are at least 0?
  template <class Holds>
  bool supposing(const std::vector<const LinearSum*>& sums, Holds holds) {
    Premises::Supposed outer = premises_.suppose(sums);
    AllTried outer_tried = std::exchange(tried_, {});
    const bool result = holds();
    premises_.suppose(std::move(outer));
    tried_ = std::move(outer_tried);
    return result;
  }
  void forget() { tried_.clear(); }

 private:
  static constexpr int kProofDepth = 6;
  static constexpr int kDeepestNesting = 3;  // of proofs within simplifications within proofs
  // Whether a sum is at least 0, as far as it was tried: where the search failed with all tried, by
  // how deep in other proofs it was, to what depth.
  struct Tried {
    bool proved = false, proved_supposing = false;
    std::array<int, kDeepestNesting + 1> failed{};
  };
  using AllTried = std::unordered_map<LinearSum, Tried, SumHash, SumEqual>;

  bool prove_with_budget(const LinearSum& sum);
  bool search(LinearSum sum, int depth);
  bool follows_from_known(const LinearSum& sum, int depth);
  bool follows_from(const LinearSum& sum, const LinearSum& known, int depth);
  std::optional<std::pair<LinearSum, LinearSum>> common_multiple(const LinearSum::Term& u,
                                                                 const LinearSum::Term& t);

  Premises& premises_;
  Normalizer& normalizer_;
  Elimination& elimination_;

  AllTried tried_;
  bool all_tried_ = true;         // by the proof under way
  bool assumes_nothing_ = false;  // the proof under way
  int depth_ = 0;                 // of proofs within simplifications within proofs
  int steps_ = 0;                 // left in the current proof
};

// Steps of a proof that a sum is at least 0 that take one atom out of it. Knows what bounds each
// kind of atom, and keeps nothing. Asks the prover which way the sum goes with the atom, puts the
// bound at the worse end in the atom's place, which makes the sum no larger, and asks for that.
class Elimination : SimplifierPart {
 public:
  explicit Elimination(SimplifierParts& parts);

  // A symbol that occurs in one term alone, and in no premise, is at its worst there: at the one
  // end of its range. Nothing is lost by putting it there.
  void replace_free_symbols(LinearSum& sum);
  // Is the sum at least 0 with a bound in the place of the atom? `depth` as in the prover.
  bool eliminate(const LinearSum& sum, Expr atom, int depth);

 private:
  bool eliminate_quotient(const LinearSum& rest, const LinearSum& k, Expr atom, bool rising,
                          int depth);
  bool holds(std::optional<LinearSum> total, int depth);
  void atom_bounds(Expr atom, std::vector<LinearSum>& lower, std::vector<LinearSum>& upper);

  Premises& premises_;
  Prover& prover_;
  Normalizer& normalizer_;
  Recomposition& recomposition_;
};

// Decides conditions: what is tried, in which order, the cheap before the dear. Knows which of them
// could be neither proved nor refuted. Asks for intervals, the normal form, the prover and, for
// a verdict, a search by narrowing; at last for points at which the condition fails. Proved is what
// one of them proves, Refuted what fails at a point that the facts allow.
class Verdicts : SimplifierPart {
 public:
  explicit Verdicts(SimplifierParts& parts);

  bool proves(Expr condition);
  bool proves_nonnegative(Expr e);
  Verdict prove(Expr condition);
  const std::vector<Expr>& rules_wanted() const { return wanted_; }

 private:
  bool proves_by_narrowing(Expr condition);

  Prover& prover_;
  Normalizer& normalizer_;
  RuleApplication& rules_;
  Recomposition& recomposition_;
  Comparisons& comparisons_;
  TextWriter& writer_;

  std::vector<Expr> wanted_;
};

}  // namespace selvage
