#include <selvage/index/coordinates.h>
#include <selvage/report/obligations.h>

#include <algorithm>

namespace selvage {

namespace {

using Of = Confirmation::Of;

class TensorObligations {
 public:
  explicit TensorObligations(const TensorReport& tensor)
      : tensor_(tensor), analysis_(tensor.analysis), graph_(tensor.graph()) {}

  std::vector<Obligation> list() {
    contracts_ = contracts_of_rows(tensor_);
    for (TransformId t : tensor_.schedule->transforms(analysis_.tensor)) add_extents(graph_[t]);
    for (const Step& step : analysis_.path.steps) add_indices(step);
    for (const KeptPredicate& kept : analysis_.predicates.kept) add_check(kept);
    for (const ImpliedPredicate& implied : analysis_.predicates.implied) add_dropped(implied);
    add_address();
    return std::move(list_);
  }

 private:
  void add(Of of, std::string what, std::vector<Question> questions) {
    for (Question& q : questions) {
      q.under.insert(q.under.end(), contracts_.begin(), contracts_.end());
    }
    list_.push_back({of, std::move(what), &analysis_.ranges->facts(), std::move(questions)});
  }
  void add_equal(Of of, std::string what, std::vector<Expr> under, Expr printed, Expr formula) {
    add(of, std::move(what), {{under, eq(printed, formula)}});
    list_.back().simplified = {{std::move(under), formula}};
  }
  Expr extent(DomainId d) const { return graph_[d].extent; }
  Expr index(DomainId d) const { return (*analysis_.coordinates)[d]; }
  Expr in_bounds(DomainId d) const { return ok(index(d), extent(d)); }

  void add_extents(const Transform& transform) {
    const auto says = [&](DomainId d, Expr formula) {
      add_equal(Of::Extent, tensor_.name_of(d), {}, extent(d), formula);
    };
    const auto reached = [&](DomainId d) { return analysis_.coordinates->has(d); };
    const std::vector<DomainId> in = inputs(transform), out = outputs(transform);
    if (!std::all_of(in.begin(), in.end(), reached)) return;
    if (!std::all_of(out.begin(), out.end(), reached)) return;
    std::visit(overloaded{[&](const Split& s) {
                            const Expr tiles = ceil_div(extent(s.in), s.factor);
                            says(s.outer, s.inner_split ? tiles : s.factor);
                            says(s.inner, s.inner_split ? s.factor : tiles);
                          },
                          [&](const Merge& m) {
                            const RaggedRows* rows = graph_.rows_of(m);
                            if (m.group) return;  // what is read of offsets
                            says(m.out, rows == nullptr
                                            ? extent(m.outer) * extent(m.inner)
                                            : rows->items +
                                                  graph_[m.inner].ragged->added * extent(m.outer));
                          },
                          [&](const Resize& r) { says(r.out, extent(r.in) + r.left + r.right); },
                          [&](const Swizzle& s) {
                            says(s.out_x, extent(s.in_x));
                            says(s.out_y, extent(s.in_y));
                          },
                          [&](const Skew& s) { says(s.out, extent(s.in) + s.modulo - 1); }},
               transform);
  }

  void add_indices(const Step& step) {
    std::vector<Expr> from;
    for (DomainId d : sources(graph_, step)) from.push_back(index(d));
    const std::vector<Expr> formulas = step_formula(graph_, step, from);
    const std::vector<DomainId> made = results(graph_, step);
    for (std::size_t i = 0; i < made.size(); ++i) {
      add_equal(Of::Index, tensor_.name_of(made[i]), {}, index(made[i]), formulas[i]);
    }
  }

  std::vector<Expr> guard() const { return conditions(analysis_.predicates); }

  // What is tested, all of it, keeps this index in bounds; and it keeps nothing out that is.
  void add_check(const KeptPredicate& kept) {
    add(Of::Check, tensor_.name_of(kept.domain),
        {{guard(), in_bounds(kept.domain)}, {{in_bounds(kept.domain)}, kept.condition}});
    if (kept.lo) list_.back().simplified.push_back({{}, 0 <= index(kept.domain)});
    if (kept.hi) list_.back().simplified.push_back({{}, index(kept.domain) < extent(kept.domain)});
  }

  void add_dropped(const ImpliedPredicate& implied) {
    std::vector<Expr> premises;
    for (DomainId d : implied.from) premises.push_back(in_bounds(d));
    const DomainId d = implied.domain;
    add(Of::Dropped, tensor_.name_of(d), {{premises, in_bounds(d)}});
    // A law needs no simplifier.
    if (implied.by == "range" || implied.by == "interval") {
      list_.back().simplified = {{premises, 0 <= index(d)}, {premises, index(d) < extent(d)}};
    }
  }

  void add_address() {
    const TensorInfo& info = tensor_.tensor();
    const Fusion& fusion = tensor_.fusion();
    const Access own =
        access_of(fusion, graph_, analysis_, analysis_.tensor, storage_of(fusion, analysis_));
    std::vector<Expr> under = own.guard;
    for (DomainId d : info.logical) under.push_back(in_bounds(d));
    add_equal(Of::Address, tensor_.name(), under, analysis_.address, own.address);
  }

  const TensorReport& tensor_;
  const TensorAnalysis& analysis_;
  const DomainGraph& graph_;
  std::vector<Expr> contracts_;
  std::vector<Obligation> list_;
};

}  // namespace

std::vector<Obligation> tensor_obligations(const TensorReport& tensor) {
  return TensorObligations(tensor).list();
}

}  // namespace selvage
