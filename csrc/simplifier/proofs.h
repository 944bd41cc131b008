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

// The sums that are taken to be at least 0: those of the assumptions, and those that the current
// proof supposes. Also some points that the facts allow: a sum that is negative at one where the
// premises hold does not follow from them. Asks Structure for the symbols of a sum.
class Premises {
 public:
  Premises(const Facts& facts, Structure& structure) : facts_(facts), structure_(structure) {}

  // Adds a sum that is at least 0 by the assumptions.
  void assume(LinearSum sum);
  const std::vector<LinearSum>& assumed() const { return assumed_; }

  struct Supposed {
    std::vector<const LinearSum*> sums;
    std::uint64_t symbols = 0;
    Samples::Mask points = Samples::kAll;  // at which all of them are at least 0
  };
  // Each replaces what is supposed, and returns what was supposed before.
  Supposed suppose(const std::vector<const LinearSum*>& sums);
  Supposed suppose(Supposed supposed);
  const std::vector<const LinearSum*>& supposed() const { return supposed_.sums; }

  // The symbols in the premises (Structure::symbol_mask).
  std::uint64_t symbols() const { return assumed_symbols_ | supposed_.symbols; }
  // Whether nothing is assumed, and all terms are symbols whose bounds are numbers. The interval of
  // the sum is exact then.
  bool leave_free(const LinearSum& sum) const;
  // Whether the sum is negative at a point; if as_supposed, at one where what is supposed holds.
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

// Proves that sums are at least 0. Intervals settle most of them. Else it searches: it subtracts a
// multiple of a premise, or replaces an atom by a bound of the atom (Elimination), and proves the
// same of the result. Each step is such that the sum is at least 0 if the result is: so `true` is
// proved, and `false` means that no proof was found. Remembers which sums were tried and how it
// ended, and how deep it is in proofs within simplifications within proofs.
class Prover : SimplifierPart {
 public:
  explicit Prover(SimplifierParts& parts);

  // Whether 0 <= sum always holds.
  bool nonnegative(const LinearSum& sum) { return nonnegative(sum, kProofDepth); }
  // The same, as a step of a proof that may go `depth` steps deeper.
  bool nonnegative(const LinearSum& sum, int depth);
  // Whether 0 <= sum follows from 0 <= known, by a step that takes a multiple of it away.
  bool follows_from(const LinearSum& sum, const LinearSum& known, int depth);
  // Whether sum < bound always holds.
  bool is_below(const LinearSum& sum, std::int64_t bound);
  // Whether narrowing shows that the assumptions leave no point with sum < 0. False if there are no
  // assumptions, and within a proof.
  bool no_point_denies(const LinearSum& sum);
  // The points at which `sum` and all assumed sums are at least 0, for narrowing.
  Narrowing points_of(const LinearSum& sum);
  // Whether the sum is negative at a point of the premises, so that no proof need be tried.
  bool is_refuted(const LinearSum& sum);

  // What holds() returns while proofs suppose that these sums are at least 0.
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
  // What was found about a sum. proved_supposing: proved with what is supposed. failed[n]: the
  // greatest depth to which a complete search failed, n proofs deep in other proofs.
  struct Tried {
    bool proved = false, proved_supposing = false;
    std::array<int, kDeepestNesting + 1> failed{};
  };
  using AllTried = std::unordered_map<LinearSum, Tried, SumHash, SumEqual>;

  bool prove_with_budget(const LinearSum& sum);
  bool holds_by_rows(const LinearSum& sum);
  bool search(LinearSum sum, int depth);
  bool follows_from_known(const LinearSum& sum, int depth);
  std::optional<std::pair<LinearSum, LinearSum>> common_multiple(const LinearSum::Term& u,
                                                                 const LinearSum::Term& t);

  Premises& premises_;
  Normalizer& normalizer_;
  Elimination& elimination_;
  Recomposition& recomposition_;

  AllTried tried_;
  bool all_tried_ = true;         // the current search left nothing out
  bool assumes_nothing_ = false;  // the current proof uses no premise
  int depth_ = 0;                 // of proofs within simplifications within proofs
  int steps_ = 0;                 // left in the current proof
};

// Steps of a proof of 0 <= sum that each eliminate one atom. Asks the prover whether the sum rises
// or falls with the atom, and puts the bound at the worse end in its place. This makes the sum no
// larger, so a proof for the result is enough. Knows bounds of each kind of atom, and keeps
// nothing.
class Elimination : SimplifierPart {
 public:
  explicit Elimination(SimplifierParts& parts);

  // Puts a symbol that occurs in one term only, and in no premise, at the end of its range where
  // the term is least. Nothing is lost by that.
  void replace_free_symbols(LinearSum& sum);
  // Whether the sum is proved with a bound in place of the atom. `depth` as in the prover.
  bool eliminate(const LinearSum& sum, Expr atom, int depth);

 private:
  bool eliminate_quotient(const LinearSum& rest, const LinearSum& k, Expr atom, bool rising,
                          int depth);
  bool holds(std::optional<LinearSum> total, int depth);
  struct Choice {
    LinearSum value;
    std::vector<LinearSum> known;
  };
  void list_choices(Expr atom, bool least, const std::vector<LinearSum>& known,
                    std::vector<Choice>& list);
  bool holds_for_all(const LinearSum& rest, const LinearSum& factor, Expr atom, bool least,
                     int depth);
  void atom_bounds(Expr atom, std::vector<LinearSum>& lower, std::vector<LinearSum>& upper);

  Premises& premises_;
  Prover& prover_;
  Normalizer& normalizer_;
  Recomposition& recomposition_;
};

// Decides conditions, by cheap means before expensive ones: intervals, the normal form, the prover;
// for a verdict also a search by narrowing, and at last points at which the condition may fail.
// Proved is what one of these proves, Refuted what fails at a point that the facts allow. Remembers
// the conditions that are neither.
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
