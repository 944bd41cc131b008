#include <selvage/index/bound_oracle.h>
#include <selvage/index/symbolic_bounds.h>
#include <selvage/simplifier/sampler.h>

#include <algorithm>
#include <optional>

namespace selvage {

namespace {

constexpr std::size_t kRefuteAtMost = 64;        // variables; past that a single fixpoint
constexpr std::size_t kProveAtMost = 24;         // bounds left to the prover at a time
constexpr std::uint64_t kIntervalSteps = 4'000;  // ends of symbolic intervals, for one tensor
constexpr std::size_t kBoundAtMost = 40;         // variables; past that no symbolic intervals
constexpr std::uint64_t kSeed = 20;              // of the sizes that are tried

class NumericOracle : public BoundOracle {
 public:
  explicit NumericOracle(const HoleSystem& system) : system_(system), base_(system) {}

  std::vector<char> implied(std::span<const BoundId> assumed, Effort) override {
    Bounds bounds = base_;
    for (BoundId b : assumed) bounds.set_half(b / 2, Half(b % 2));
    bounds.propagate();
    std::vector<char> flags(2 * system_.size());
    // Assumes each open bound broken. If no loop point is left then, the bound follows, and others
    // may follow from it.
    for (bool again = system_.size() <= kRefuteAtMost; again;) {
      again = false;
      for (std::size_t v = 0; v < system_.size(); ++v) {
        for (Half half : {Half::Lo, Half::Hi}) {
          if (bounds.implies(v, half)) continue;
          Bounds broken = bounds;
          const bool is_left = broken.deny(v, half);
          steps_ += broken.steps() - bounds.steps();
          if (is_left) continue;
          bounds.assume(v, half);
          again = true;
        }
      }
    }
    for (std::size_t v = 0; v < system_.size(); ++v) {
      for (Half half : {Half::Lo, Half::Hi}) flags[bound_id(v, half)] = bounds.implies(v, half);
    }
    steps_ += bounds.steps() - base_.steps();
    return flags;
  }
  std::uint64_t steps() const override { return steps_; }

 private:
  const HoleSystem& system_;
  Bounds base_;
  std::uint64_t steps_ = 0;
};

class SymbolicOracle : public BoundOracle {
 public:
  SymbolicOracle(const PredicateRequest& request, std::span<const Implication> implications)
      : request_(request),
        implications_(implications),
        always_(2 * request.path.domains.size(), 0) {
    std::vector<BoundId> true_bounds;
    LawClosure closure(implications_, request_.path.domains.size());
    add_loops(true_bounds);
    closure.add(true_bounds);
    for (BoundId b = 0; b < always_.size(); ++b) {
      if (!closure.holds(b) && request_.simplifier.proves(claim(b))) closure.add(std::span(&b, 1));
    }
    for (BoundId b = 0; b < always_.size(); ++b) always_[b] = closure.holds(b);
    for (BoundId b = 0; b < always_.size(); ++b) {
      if (!always_[b] && request_.simplifier.simplify(claim(b)).is_false()) never_.push_back(b);
    }
  }

  std::vector<char> implied(std::span<const BoundId> assumed, Effort effort) override {
    // A bound that never holds leaves no loop point, and then everything follows.
    for (BoundId b : assumed) {
      if (std::find(never_.begin(), never_.end(), b) != never_.end()) {
        return std::vector<char>(always_.size(), 1);
      }
    }
    std::vector<BoundId> start(assumed.begin(), assumed.end());
    for (BoundId b = 0; b < always_.size(); ++b) {
      if (always_[b]) start.push_back(b);
    }
    LawClosure closure(implications_, request_.path.domains.size());
    closure.add(start);
    std::vector<BoundId> open;
    for (BoundId b = 0; b < always_.size(); ++b) {
      if (!closure.holds(b)) open.push_back(b);
    }
    if (effort == Effort::Thorough && !assumed.empty() && !open.empty() &&
        open.size() <= kProveAtMost) {
      ask_prover(assumed, open, closure);
      ask_intervals(assumed, open, closure);
    }
    std::vector<char> flags(always_.size());
    for (BoundId b = 0; b < flags.size(); ++b) flags[b] = closure.holds(b);
    return flags;
  }

 private:
  void add_loops(std::vector<BoundId>& bounds) const {
    for (std::size_t v = 0; v < request_.loops.size(); ++v) {
      bounds.push_back(bound_id(v, Half::Lo));
      bounds.push_back(bound_id(v, Half::Hi));
    }
  }
  // Asks the prover for each open bound under the assumed ones.
  void ask_prover(std::span<const BoundId> assumed, std::span<const BoundId> open,
                  LawClosure& closure) {
    Facts facts = request_.simplifier.facts();
    for (BoundId b : assumed) facts.assume(request_.simplifier.simplify(claim(b)));
    Simplifier under(std::move(facts));
    for (BoundId b : open) {
      if (!closure.holds(b) && under.proves(claim(b))) closure.add(std::span(&b, 1));
    }
  }
  // Symbolic intervals under the assumed bounds, directly and with a bound assumed broken.
  void ask_intervals(std::span<const BoundId> assumed, std::span<const BoundId> open,
                     LawClosure& closure) {
    const auto is_open = [&](BoundId b) { return !closure.holds(b); };
    if (always_.size() > 2 * kBoundAtMost || interval_budget_ == 0 ||
        std::none_of(open.begin(), open.end(), is_open))
      return;
    if (!base_) base_.emplace(request_, interval_budget_);
    SymbolicBounds bounds = *base_;
    for (BoundId b : assumed) bounds.assume(b / 2, Half(b % 2));
    bool alive = true;
    for (bool again = true; again && alive;) {
      again = false;
      for (BoundId b = 0; b < always_.size(); ++b) {
        if (closure.holds(b)) bounds.assume(b / 2, Half(b % 2));
      }
      alive = bounds.propagate();
      for (BoundId b : open) {
        if (closure.holds(b)) continue;
        bool follows = !alive || bounds.implies(b / 2, Half(b % 2));
        if (!follows) {
          SymbolicBounds broken = bounds;
          broken.deny(b / 2, Half(b % 2));
          follows = !broken.propagate();
        }
        if (follows) {
          closure.add(std::span(&b, 1));
          again = true;
        }
      }
    }
  }
  Expr claim(BoundId b) const {
    const DomainId d = request_.path.domains[b / 2];
    const Expr index = request_.coordinates[d];
    return b % 2 == 0 ? 0 <= index : index < request_.graph[d].extent;
  }

  const PredicateRequest& request_;
  std::span<const Implication> implications_;
  std::vector<char> always_;
  std::vector<BoundId> never_;
  std::optional<SymbolicBounds> base_;
  std::uint64_t interval_budget_ = kIntervalSteps;
};

}  // namespace

std::unique_ptr<BoundOracle> numeric_oracle(const HoleSystem& system) {
  return std::make_unique<NumericOracle>(system);
}

std::unique_ptr<BoundOracle> symbolic_oracle(const PredicateRequest& request,
                                             std::span<const Implication> implications) {
  return std::make_unique<SymbolicOracle>(request, implications);
}

std::vector<Instance> instances(const PredicateRequest& request, std::size_t most) {
  const DomainGraph& graph = request.graph;
  std::vector<Expr> sizes;
  for (DomainId d : request.path.domains) sizes.push_back(graph[d].extent);
  for (const Step& step : request.path.steps) {
    if (const auto* r = std::get_if<Resize>(&graph[step.transform])) {
      sizes.push_back(r->left);
    }
    // Coordinates that depend on offsets are none of a hole system.
    const auto* merge = std::get_if<Merge>(&graph[step.transform]);
    if (merge != nullptr && graph.rows_of(*merge) != nullptr) return {};
    if (const auto* s = std::get_if<Skew>(&graph[step.transform])) {
      sizes.insert(sizes.end(), {s->by, s->modulo});
    }
  }
  std::vector<Instance> out;
  const auto add = [&](Point symbols, const auto& value) {
    out.push_back(
        {std::move(symbols), HoleSystem(graph, request.path, request.loops.size(), value)});
  };
  Sampler sampler(request.simplifier.facts().without(request.variables), sizes, kSeed);
  if (sampler.symbols().empty()) {
    add({}, [](Expr e) { return e.is(Op::Const) ? e.value() : evaluate(e, {}, {}).value_or(0); });
    return out;
  }
  std::vector<std::vector<std::int64_t>> seen;
  for (int attempt = 0; attempt < 400 && out.size() < most; ++attempt) {
    if (!sampler.draw(1 + attempt / 4)) continue;
    if (std::find(seen.begin(), seen.end(), sampler.values()) != seen.end()) continue;
    seen.push_back(sampler.values());
    bool has_points = true;
    for (std::size_t i = 0; i < request.path.domains.size(); ++i) {
      has_points = has_points && sampler.root(i) >= 1;
    }
    if (!has_points) continue;
    add(sampler.point(), [&](Expr e) {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (same(sizes[i], e)) return sampler.root(i);
      }
      return std::int64_t{0};
    });
  }
  return out;
}

}  // namespace selvage
