#include <selvage/base/check.h>
#include <selvage/index/bound_oracle.h>
#include <selvage/index/check_claims.h>
#include <selvage/index/derivation.h>
#include <selvage/index/hitting_set.h>
#include <selvage/index/hole_search.h>
#include <selvage/index/predicate.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

namespace selvage {

namespace {

constexpr std::size_t kInstances = 12;
constexpr std::size_t kMostDemands = 160;    // past that the guess is completed greedily
constexpr std::size_t kMinimiseAtMost = 12;  // checks that an implied one is said to follow from
constexpr std::size_t kHalvesAtMost = 64;    // halves that are asked about one by one
constexpr std::uint64_t kCompletionSteps = 600'000;

// The chosen checks must include one of `members`. With a point: a hole at which exactly these are
// broken, at the sizes of an instance, or at `sizes` if given. Without: laws and intervals do not
// prove the rest without one of them.
struct Demand {
  Members members;
  std::size_t instance = 0;
  std::vector<std::int64_t> point;
  std::optional<Point> sizes = {};
};

// Finds the fewest checks, as an implicit hitting set: guesses the lightest set that meets all
// demands so far; if it does not imply the rest, what is missing makes a new demand.
class Planner {
  using Effort = BoundOracle::Effort;

 public:
  explicit Planner(const PredicateRequest& request)
      : request_(request),
        implications_(implications(request.graph, request.path, request.simplifier)),
        instances_(instances(request, kInstances)),
        known_(instances_.size() == 1 && instances_[0].symbols.empty()),
        budget_(request.budget / 2),
        claims_(request) {
    oracle_ =
        known_ ? numeric_oracle(instances_[0].system) : symbolic_oracle(request_, implications_);
    always_ = oracle_->implied({}, Effort::Thorough);
    std::unordered_set<std::uint32_t> wanted;
    for (DomainId d : request.candidates) wanted.insert(std::uint32_t(d));
    for (std::size_t v = request.loops.size(); v < request.path.domains.size(); ++v) {
      if (!wanted.count(std::uint32_t(request.path.domains[v])) || holds(always_, v)) continue;
      candidates_.push_back(v);
      weights_.push_back(std::int64_t(request.coordinates[request.path.domains[v]].size()));
    }
  }

  PredicatePlan run() {
    choose();
    budget_ = std::max(budget_, request_.budget / 2);  // finding witnesses is worth as much again
    attach_witnesses();
    ask_for_holes();
    PredicatePlan plan;
    plan.searched = searched_;
    const std::vector<BoundId> bounds = needed_halves();
    std::erase_if(chosen_, [&](std::uint32_t m) {
      return std::none_of(bounds.begin(), bounds.end(),
                          [&](BoundId b) { return b / 2 == candidates_[m]; });
    });
    for (std::uint32_t m : chosen_) plan.kept.push_back(describe(m, bounds));
    ask_for_witnesses(plan.kept);
    plan.implied = derive();
    plan.minimal = minimality(plan.kept);
    return plan;
  }

 private:
  static bool holds(const std::vector<char>& flags, std::size_t v) {
    return flags[bound_id(v, Half::Lo)] && flags[bound_id(v, Half::Hi)];
  }
  static void push_both(std::vector<BoundId>& bounds, std::size_t v) {
    bounds.push_back(bound_id(v, Half::Lo));
    bounds.push_back(bound_id(v, Half::Hi));
  }
  std::vector<BoundId> bounds_of(const Members& members) const {
    std::vector<BoundId> bounds;
    for (std::uint32_t m : members) push_both(bounds, candidates_[m]);
    return bounds;
  }
  HittingSet lightest(bool real_only) {
    std::vector<Members> sets;
    for (const Demand& d : demands_) {
      if (!real_only || !d.point.empty()) sets.push_back(d.members);
    }
    return minimum_hitting_set(sets, weights_, hitting_budget_);
  }

  void choose() {
    while (demands_.size() < kMostDemands && hitting_budget_ > 0) {
      const HittingSet guess = lightest(false);
      chosen_ = guess.members;
      chosen_is_fewest_ = guess.exact;
      const std::vector<BoundId> assumed = bounds_of(chosen_);
      // Looks for holes first: the thorough oracle is asked only about guesses that no hole
      // refutes.
      std::vector<char> flags = oracle_->implied(assumed, Effort::Quick);
      Members rest = not_implied(flags);
      if (!rest.empty() && request_.exact && demand_by_search(assumed, flags)) continue;
      rest = not_implied(flags);  // where all extents are known, the search may have proved some
      if (!rest.empty() && demand_by_drawing()) continue;
      if (!rest.empty() && !known_) rest = not_implied(oracle_->implied(assumed, Effort::Thorough));
      if (rest.empty()) return;
      demand_by_component(rest);
    }
    complete_guess();
  }

  // Past the budget: adds checks one by one, those nearest the logical domain first, until the rest
  // follows; then drops each that the others imply. Irredundant as far as the oracle sees.
  void complete_guess() {
    chosen_is_fewest_ = false;
    const auto rest_of = [&](const Members& members) {
      return not_implied(oracle_->implied(bounds_of(members), Effort::Quick));
    };
    const std::uint64_t last_step = oracle_->steps() + kCompletionSteps;
    for (Members rest = rest_of(chosen_); !rest.empty(); rest = rest_of(chosen_)) {
      if (oracle_->steps() > last_step) {
        chosen_.insert(chosen_.end(), rest.begin(), rest.end());
        std::sort(chosen_.begin(), chosen_.end());
        return;
      }
      chosen_.insert(std::upper_bound(chosen_.begin(), chosen_.end(), rest.back()), rest.back());
    }
    for (std::size_t k = 0; k < chosen_.size() && oracle_->steps() < last_step;) {
      Members fewer = chosen_;
      fewer.erase(fewer.begin() + std::ptrdiff_t(k));
      if (rest_of(fewer).empty()) {
        chosen_ = std::move(fewer);
      } else {
        ++k;
      }
    }
  }

  Members not_implied(const std::vector<char>& flags) const {
    Members rest;
    for (std::uint32_t m = 0; m < candidates_.size(); ++m) {
      if (!holds(flags, candidates_[m])) rest.push_back(m);
    }
    return rest;
  }

  Bounds start(const Instance& instance, std::span<const BoundId> assumed) {
    const auto at = std::size_t(&instance - instances_.data());
    if (bases_.empty()) {
      for (const Instance& i : instances_) bases_.emplace_back(i.system);
    }
    Bounds bounds = bases_[at];
    for (BoundId b : assumed) bounds.set_half(b / 2, Half(b % 2));
    bounds.propagate();
    budget_ -= std::min(budget_, bounds.steps() - bases_[at].steps());
    return bounds;
  }

  // The connected part of the graph with variable v. Without an instance, the graph is one part.
  std::uint32_t component(std::size_t v) const {
    return instances_.empty() ? 0 : instances_[0].system.component(v);
  }

  // Adds a demand for each connected part of the graph: laws and intervals do not prove the rest of
  // this part without one of its members.
  void demand_by_component(const Members& rest) {
    std::map<std::uint32_t, Members> parts;
    for (std::uint32_t m : rest) {
      parts[component(candidates_[m])].push_back(m);
    }
    for (auto& [component, members] : parts) demands_.push_back({std::move(members), 0, {}});
  }

  // Where coordinates depend on offsets, so that there is no instance to be searched: draws holes
  // once; true: the guess lets one of them through. Far cheaper than a thorough oracle that fails.
  bool demand_by_drawing() {
    if (!instances_.empty() || !request_.exact || chosen_.empty() || is_drawn_) return false;
    is_drawn_ = true;
    const std::size_t before = demands_.size();
    for (Members& broken : claims_.failing_together(all_in_bounds())) {
      demands_.push_back({std::move(broken), 0, {}});
    }
    return std::any_of(demands_.begin() + std::ptrdiff_t(before), demands_.end(),
                       [&](const Demand& d) { return !meets(d.members, chosen_); });
  }

  // Looks for holes that the guess lets through; true: there are new demands. If all extents are
  // known and a bound has no such hole, it is proved and marked in `flags`.
  bool demand_by_search(std::span<const BoundId> assumed, std::vector<char>& flags) {
    const std::size_t before = demands_.size();
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      const Bounds bounds = start(instances_[i], assumed);
      for (std::uint32_t m = 0; m < candidates_.size(); ++m) {
        const bool demanded = std::any_of(
            demands_.begin() + std::ptrdiff_t(before), demands_.end(), [&](const Demand& d) {
              return std::binary_search(d.members.begin(), d.members.end(), m);
            });
        if (demanded) continue;
        for (Half half : {Half::Lo, Half::Hi}) {
          const BoundId b = bound_id(candidates_[m], half);
          if (flags[b]) continue;
          const SearchResult found = search(instances_[i], bounds, candidates_[m], half);
          if (found.answer == Answer::Found && demand_at(i, found.point)) break;
          if (found.answer == Answer::None && known_) {
            flags[b] = 1;
            by_search_.insert(b);
            searched_ = true;
          }
        }
      }
      if (demands_.size() > before) return true;
    }
    return false;
  }

  // Spends at most a quarter of the budget, so that other questions have some left.
  SearchResult search(const Instance& instance, const Bounds& bounds, std::size_t v, Half half) {
    std::uint64_t share = budget_ / 4;
    const std::uint64_t granted = share;
    SearchResult found = find_violation(instance.system, bounds, v, half, share);
    budget_ -= granted - share;
    return found;
  }

  bool demand_at(std::size_t instance, std::vector<std::int64_t> point) {
    Members broken = broken_at(instances_[instance].system, point);
    if (broken.empty() || meets(broken, chosen_)) return false;
    demands_.push_back({std::move(broken), instance, std::move(point)});
    return true;
  }

  Members broken_at(const HoleSystem& system, std::span<const std::int64_t> point) const {
    Members broken;
    const auto indices = system.at(point);
    if (!indices) return broken;
    for (std::uint32_t m = 0; m < candidates_.size(); ++m) {
      if (!system.in_bounds(candidates_[m], (*indices)[candidates_[m]])) broken.push_back(m);
    }
    return broken;
  }

  static bool meets(const Members& a, const Members& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](std::uint32_t m) { return std::binary_search(b.begin(), b.end(), m); });
  }

  // A known hole that no other chosen check stops; null if there is none.
  const Demand* witness_of(std::uint32_t member) const {
    for (const Demand& d : demands_) {
      if (d.point.empty()) continue;
      const auto stops = std::count_if(d.members.begin(), d.members.end(), [&](std::uint32_t m) {
        return std::binary_search(chosen_.begin(), chosen_.end(), m);
      });
      if (stops == 1 && std::binary_search(d.members.begin(), d.members.end(), member)) return &d;
    }
    return nullptr;
  }

  void attach_witnesses() {
    for (std::size_t k = 0; k < chosen_.size() && budget_ > 0;) {
      const std::uint32_t member = chosen_[k];
      if (witness_of(member) != nullptr || find_witness(member)) {
        ++k;
      } else if (redundant_) {
        chosen_.erase(chosen_.begin() + std::ptrdiff_t(k));
      } else {
        ++k;
      }
    }
  }

  bool find_witness(std::uint32_t member) {
    Members others;
    for (std::uint32_t m : chosen_) {
      if (m != member) others.push_back(m);
    }
    const std::vector<BoundId> assumed = bounds_of(others);
    redundant_ = known_ && request_.exact;
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      const Bounds bounds = start(instances_[i], assumed);
      for (Half half : {Half::Hi, Half::Lo}) {
        const SearchResult found = search(instances_[i], bounds, candidates_[member], half);
        if (found.answer == Answer::GaveUp) redundant_ = false;
        if (found.answer != Answer::Found) continue;
        Members broken = broken_at(instances_[i].system, found.point);
        if (!std::binary_search(broken.begin(), broken.end(), member) || meets(broken, others)) {
          redundant_ = false;
          continue;
        }
        demands_.push_back({std::move(broken), i, found.point});
        return true;
      }
    }
    return false;
  }

  // Asks the simplifier about each chosen check without a witness: do all others imply it? If that
  // is refuted, the point is a hole that the check alone stops; if proved, the check is dropped.
  void ask_for_holes() {
    if (!request_.exact || chosen_.size() > kHalvesAtMost) return;
    const std::vector<Expr> bounds = all_in_bounds();
    for (std::size_t k = 0; k < chosen_.size();) {
      const std::uint32_t member = chosen_[k++];
      if (witness_of(member) != nullptr) continue;
      std::vector<Expr> others;
      for (std::uint32_t m : chosen_) {
        if (m != member) others.push_back(bounds[m]);
      }
      const Verdict verdict = claims_.ask(others, bounds[member]);
      if (is_proved(verdict)) {
        by_proof_.push_back(member);
        chosen_.erase(chosen_.begin() + std::ptrdiff_t(--k));
      } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
        const auto broken = CheckClaims::failing(bounds, *refuted);
        // Loops first; a variable that the claim does not have may have any value.
        const Point point = in_order(request_.variables, refuted->point);
        const auto sizes = point.begin() + std::ptrdiff_t(request_.variables.size());
        if (broken) {
          demands_.push_back(
              {*broken, 0, values_in({point.begin(), sizes}), Point(sizes, point.end())});
        }
      }
    }
  }

  // Asks the same of the conditions that are finally tested. These lack the halves that follow, so
  // more points can be witnesses.
  void ask_for_witnesses(std::vector<KeptPredicate>& kept) {
    if (!request_.exact || kept.size() > kHalvesAtMost) return;
    for (KeptPredicate& p : kept) {
      if (!p.witness.empty()) continue;
      std::vector<Expr> others;
      for (const KeptPredicate& q : kept) {
        if (&q != &p) others.push_back(q.condition);
      }
      const Verdict verdict = claims_.ask(others, p.condition);
      const auto* refuted = std::get_if<Refuted>(&verdict);
      if (refuted == nullptr) continue;
      p.witness = in_order(request_.variables, refuted->point);
    }
  }

  // That each candidate is in bounds.
  std::vector<Expr> all_in_bounds() const {
    std::vector<Expr> bounds;
    for (std::size_t v : candidates_) {
      const DomainId d = request_.path.domains[v];
      bounds.push_back(ok(request_.coordinates[d], request_.graph[d].extent));
    }
    return bounds;
  }

  // The halves that are tested: those of the chosen checks that do not follow from the others.
  std::vector<BoundId> needed_halves() {
    std::vector<BoundId> bounds = bounds_of(chosen_);
    std::erase_if(bounds, [&](BoundId b) { return always_[b] != 0; });
    if (bounds.size() > kHalvesAtMost) return bounds;
    for (std::size_t k = 0; k < bounds.size();) {
      const BoundId b = bounds[k];
      std::vector<BoundId> others = bounds;
      others.erase(others.begin() + std::ptrdiff_t(k));
      if (follows_from(others, b)) {
        bounds = std::move(others);
      } else {
        ++k;
      }
    }
    return bounds;
  }

  bool follows_from(const std::vector<BoundId>& others, BoundId b) {
    bool none = known_ && request_.exact;
    for (const Instance& instance : instances_) {
      const SearchResult found = search(instance, start(instance, others), b / 2, Half(b % 2));
      if (found.answer == Answer::Found) return false;
      if (found.answer == Answer::GaveUp) none = false;
    }
    return none || oracle_->implied(others, Effort::Thorough)[b] != 0;
  }

  KeptPredicate describe(std::uint32_t member, const std::vector<BoundId>& bounds) {
    const std::size_t v = candidates_[member];
    const DomainId d = request_.path.domains[v];
    const auto tested = [&](Half half) {
      return std::find(bounds.begin(), bounds.end(), bound_id(v, half)) != bounds.end();
    };
    KeptPredicate kept{d, tested(Half::Lo), tested(Half::Hi), {}, {}};
    const Expr index = request_.coordinates[d], extent = request_.graph[d].extent;
    if (kept.lo) kept.condition = 0 <= index;
    if (kept.hi) kept.condition = kept.lo ? kept.condition && index < extent : index < extent;
    if (!kept.condition.valid()) kept.condition = request_.simplifier.pool().truth(true);
    kept.condition = request_.simplifier.simplify(kept.condition);
    if (const Demand* witness = witness_of(member)) {
      for (std::size_t i = 0; i < request_.loops.size(); ++i) {
        kept.witness.emplace_back(request_.variables[i], witness->point[i]);
      }
      const auto& sizes = witness->sizes ? *witness->sizes : instances_[witness->instance].symbols;
      kept.witness.insert(kept.witness.end(), sizes.begin(), sizes.end());
    }
    return kept;
  }

  Minimality minimality(const std::vector<KeptPredicate>& kept) {
    for (const KeptPredicate& p : kept) {
      if (p.witness.empty()) return Minimality::Unknown;
    }
    if (!chosen_is_fewest_) return Minimality::Irredundant;
    const HittingSet real = lightest(true);
    return real.exact && real.members.size() == chosen_.size() ? Minimality::Proved
                                                               : Minimality::Irredundant;
  }

  // Explains every bound that is not tested: by laws, then by ranges, then by what the oracle, the
  // search and the simplifier say under the checks that stay.
  std::vector<ImpliedPredicate> derive() {
    Derivation derivation(request_.path, request_.loops.size(), implications_, always_);
    std::vector<std::uint32_t> tested;
    for (std::uint32_t m : chosen_) tested.push_back(std::uint32_t(candidates_[m]));
    derivation.take(tested);
    if (derivation.is_complete()) return derivation.implied();
    const auto all_chosen = [&](std::size_t) { return domains_of(chosen_); };
    std::vector<char> flags = oracle_->implied(bounds_of(chosen_), Effort::Thorough);
    derivation.tell(flags, "interval", [&](std::size_t v) { return needed_for(v); });
    for (BoundId b : by_search_) flags[b] = 1;
    derivation.tell(flags, "exact search", all_chosen);
    for (std::uint32_t m : by_proof_) {
      for (Half half : {Half::Lo, Half::Hi}) flags[bound_id(candidates_[m], half)] = 1;
    }
    derivation.tell(flags, "simplifier", all_chosen);
    // All others followed when the checks were chosen; the oracle may have no steps left to show
    // that again.
    flags.assign(flags.size(), 0);
    for (std::size_t v : candidates_) {
      for (Half half : {Half::Lo, Half::Hi}) flags[bound_id(v, half)] = 1;
    }
    derivation.tell(flags, "interval", all_chosen);
    return derivation.implied();
  }

  std::vector<DomainId> domains_of(const Members& members) const {
    std::vector<DomainId> domains;
    for (std::uint32_t m : members) domains.push_back(request_.path.domains[candidates_[m]]);
    return domains;
  }
  // Chosen checks that imply variable v, as few as the oracle needs.
  std::vector<DomainId> needed_for(std::size_t v) {
    Members members;
    for (std::uint32_t m : chosen_) {
      if (component(candidates_[m]) == component(v)) members.push_back(m);
    }
    // A check in another part that no point passes implies everything.
    if (!holds(oracle_->implied(bounds_of(members), Effort::Thorough), v)) members = chosen_;
    if (members.size() > kMinimiseAtMost) return domains_of(members);
    for (std::size_t k = 0; k < members.size() && members.size() > 1;) {
      Members fewer = members;
      fewer.erase(fewer.begin() + std::ptrdiff_t(k));
      if (holds(oracle_->implied(bounds_of(fewer), Effort::Thorough), v)) {
        members = std::move(fewer);
      } else {
        ++k;
      }
    }
    return domains_of(members);
  }

  const PredicateRequest& request_;
  std::vector<Implication> implications_;
  std::vector<Instance> instances_;
  std::vector<Bounds> bases_;  // of the instances, before any assumption
  bool known_;                 // all extents are numbers: the one instance is the graph
  std::uint64_t budget_;
  std::uint64_t hitting_budget_ = 3'000'000;
  std::unique_ptr<BoundOracle> oracle_;
  std::vector<char> always_;
  std::vector<std::size_t>
      candidates_;  // variables that are out of bounds somewhere, as far as known
  std::vector<std::int64_t> weights_;
  std::vector<Demand> demands_;
  Members chosen_;
  std::unordered_set<BoundId> by_search_;
  CheckClaims claims_;
  Members by_proof_;  // no longer chosen: the simplifier proves that the others imply them
  bool chosen_is_fewest_ = false;
  bool searched_ = false;
  bool is_drawn_ = false;
  bool redundant_ = false;
};

}  // namespace

std::vector<Expr> conditions(const PredicatePlan& plan) {
  std::vector<Expr> list;
  for (const KeptPredicate& kept : plan.kept) list.push_back(kept.condition);
  return list;
}

PredicatePlan plan_predicates(const PredicateRequest& request) { return Planner(request).run(); }

}  // namespace selvage
