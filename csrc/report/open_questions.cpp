#include <selvage/index/bound_oracle.h>
#include <selvage/index/hole_search.h>
#include <selvage/legality/reads.h>
#include <selvage/report/checks.h>
#include <selvage/report/open_questions.h>
#include <selvage/report/point.h>

#include <algorithm>

namespace selvage {

namespace {

constexpr Half kHalves[] = {Half::Lo, Half::Hi};
constexpr std::size_t kInstances = 12;           // of sizes, to look for a hole in
constexpr std::uint64_t kSearchSteps = 100'000;  // for one half of a check

class OpenChecks {
 public:
  explicit OpenChecks(const TensorReport& tensor)
      : tensor_(tensor), analysis_(tensor.analysis), kept_(kept_checks(tensor)) {}

  std::vector<OpenQuestion> list() {
    std::vector<OpenQuestion> list;
    for (const KeptPredicate* p : kept_) {
      for (Half half : kHalves) {
        if (!is_tested(*p, half) || value_at(claim(*p, half), p->witness) == 0) continue;
        if (lets_a_hole_through(*p, half)) continue;
        Facts facts = analysis_.ranges->facts();
        for_others(*p, half, [&](const KeptPredicate& q, Half h) { facts.assume(claim(q, h)); });
        list.push_back({"the check of " + tensor_.name_of(p->domain) + " of " + tensor_.name() +
                            (kept_.size() > 1 ? ", given the others" : ""),
                        std::move(facts), claim(*p, half)});
      }
    }
    return list;
  }

 private:
  static bool is_tested(const KeptPredicate& p, Half half) {
    return half == Half::Lo ? p.lo : p.hi;
  }
  Expr claim(const KeptPredicate& p, Half half) const {
    const Expr index = (*analysis_.coordinates)[p.domain];
    return half == Half::Lo ? 0 <= index : index < tensor_.graph()[p.domain].extent;
  }
  std::size_t variable(const KeptPredicate& p) const {
    const std::vector<DomainId>& domains = analysis_.path.domains;
    return std::size_t(std::find(domains.begin(), domains.end(), p.domain) - domains.begin());
  }
  template <class Visit>
  void for_others(const KeptPredicate& p, Half half, Visit visit) const {
    for (const KeptPredicate* q : kept_) {
      for (Half h : kHalves) {
        if (is_tested(*q, h) && (q != &p || h != half)) visit(*q, h);
      }
    }
  }

  // At some sizes, all other halves let a hole through that this one stops: the analysis looks for
  // such holes, and keeps one for each check, not for each half.
  bool lets_a_hole_through(const KeptPredicate& p, Half half) {
    if (!instances_) instances_ = instances(request(), kInstances);
    std::uint64_t budget = kSearchSteps;
    for (const Instance& instance : *instances_) {
      Bounds bounds(instance.system);
      for_others(p, half, [&](const KeptPredicate& q, Half h) { bounds.set_half(variable(q), h); });
      bounds.propagate();
      const SearchResult found = find_violation(instance.system, bounds, variable(p), half, budget);
      if (found.answer == Answer::Found) return true;
    }
    return false;
  }

  PredicateRequest request() const {
    return {.graph = tensor_.graph(),
            .path = analysis_.path,
            .loops = analysis_.loops,
            .variables = analysis_.variables,
            .candidates = {},
            .coordinates = *analysis_.coordinates,
            .simplifier = *analysis_.ranges};
  }

  const TensorReport& tensor_;
  const TensorAnalysis& analysis_;
  std::vector<const KeptPredicate*> kept_;
  std::optional<std::vector<Instance>> instances_;
};

std::vector<OpenQuestion> open_coverage(const TensorReport& tensor) {
  const Coverage& coverage = tensor.analysis.coverage;
  std::vector<OpenQuestion> list;
  for (Expr claim : coverage.open) {
    list.push_back({"the visit to every item of " + tensor.name(), *coverage.items, claim});
  }
  return list;
}

std::vector<OpenQuestion> open_reads(const TensorReport& tensor) {
  const Fusion& fusion = tensor.fusion();
  std::vector<OpenQuestion> list;
  for (const Access& read : reads_of(fusion, *tensor.schedule, tensor.analysis)) {
    for (const Access::Open& open : read.open) {
      list.push_back({"the read of " + fusion[read.tensor].name + " in " + fusion[read.user].name,
                      *open.facts, open.claim});
    }
  }
  return list;
}

}  // namespace

std::vector<OpenQuestion> open_questions(const TensorReport& tensor, const FusionReport& fusion) {
  std::vector<OpenQuestion> list = OpenChecks(tensor).list();
  const auto append = [&](std::vector<OpenQuestion> more) {
    std::move(more.begin(), more.end(), std::back_inserter(list));
  };
  append(open_coverage(tensor));
  // A kernel is there only where all its reads are proved to be in bounds.
  if (!fusion.program) append(open_reads(tensor));
  return list;
}

std::vector<RuleWanted> rules_wanted(const TensorReport& tensor, const FusionReport& fusion) {
  std::vector<RuleWanted> wanted;
  for (const OpenQuestion& q : open_questions(tensor, fusion)) {
    Simplifier simplifier(q.facts);
    simplifier.prove(q.claim);
    for (Expr residue : simplifier.rules_wanted()) {
      // Where nothing but "never" is left, that is an answer, if one without a point.
      if (!residue.is_false()) wanted.push_back({q.what, q.facts, residue});
    }
  }
  return wanted;
}

}  // namespace selvage
