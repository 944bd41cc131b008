// Schedule::two_pass.
#include <selvage/base/refuse.h>
#include <selvage/expr/substitute.h>
#include <selvage/ir/schedule_nest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace selvage {

namespace {

// Whether two nodes are the same but for their operands, the one's symbols replaced. An index that
// is read from memory counts as another one.
bool are_alike(const ValueNode& x, const ValueNode& y, const Environment& symbols) {
  const auto is_same = [&](Expr e, Expr f) { return same(substitute(e, symbols), f); };
  return x.kind == y.kind && x.type == y.type && x.integer == y.integer && x.real == y.real &&
         x.source == y.source && x.function == y.function && x.math == y.math && x.loaded.empty() &&
         y.loaded.empty() && x.operands.size() == y.operands.size() &&
         x.index.valid() == y.index.valid() && (!x.index.valid() || is_same(x.index, y.index)) &&
         std::ranges::equal(x.subscripts, y.subscripts, is_same);
}

// Whether value a, with symbols replaced, is value b.
bool are_same(const ValueGraph& values, ValueId a, ValueId b, const Environment& symbols) {
  std::set<std::pair<ValueId, ValueId>> seen = {{a, b}};
  std::vector<std::pair<ValueId, ValueId>> open = {{a, b}};
  while (!open.empty()) {
    const ValueNode &x = values[open.back().first], &y = values[open.back().second];
    open.pop_back();
    if (!are_alike(x, y, symbols)) return false;
    for (std::size_t k = 0; k < x.operands.size(); ++k) {
      const std::pair pair{x.operands[k], y.operands[k]};
      if (seen.insert(pair).second) open.push_back(pair);
    }
  }
  return true;
}

// The subscripts at which a mean is read for an item of a variance: its axes are those of the
// variance, but for such of one item, as keepdim leaves them. Nothing if they are others.
std::optional<std::vector<Expr>> subscripts(const Fusion& fusion, const TensorInfo& mean,
                                            const TensorInfo& variance) {
  const auto is_single = [&](DomainId d) { return fusion.domains()[d].extent.is_const(1); };
  std::vector<Expr> at;
  for (DomainId d : mean.logical) {
    const auto own = std::ranges::find(variance.logical, d);
    if (own == variance.logical.end() && !is_single(d)) return std::nullopt;
    at.push_back(own == variance.logical.end()
                     ? fusion.pool().constant(0)
                     : variance.indices[std::size_t(own - variance.logical.begin())]);
  }
  for (DomainId d : variance.logical) {
    if (!is_single(d) && !contains(mean.logical, d)) return std::nullopt;
  }
  return at;
}

// Whether a tensor is the mean of what a variance folds. Its readers get it as it was computed,
// whatever type it is stored in.
bool is_mean_of(const Fusion& fusion, const TensorInfo& mean, const TensorInfo& variance) {
  if (!mean.fold || mean.fold->how != Reduction::Mean || mean.fold->correction != 0) return false;
  const Fold &own = *mean.fold, &other = *variance.fold;
  const bool are_alike = compute_type(mean.type) == other.type && own.type == other.type &&
                         own.element == other.element && own.domains == other.domains &&
                         mean.root.empty() && !own.is_partial && !own.merges;
  const auto at = are_alike ? subscripts(fusion, mean, variance) : std::nullopt;
  if (!at) return false;
  Environment symbols;
  const auto add = [&](const std::vector<Expr>& from, const std::vector<Expr>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) symbols.emplace_back(from[k], to[k]);
  };
  add(mean.indices, *at);
  add(own.indices, other.indices);
  return are_same(fusion.values(), *mean.definition, *variance.definition, symbols);
}

}  // namespace

void Schedule::check_is_whole_variance(TensorId t) const {
  const TensorInfo& tensor = fusion()[t];
  if (!tensor.fold || tensor.fold->how != Reduction::Variance) {
    refuse<Illegal>("E421", tensor.name + " is no variance",
                    "leave two_pass out: it takes tensors that are variances");
  }
  const bool is_in_parts = tensor.fold->is_partial || tensor.fold->merges;
  if (!is_in_parts && nest(t).loops == nest_domain(tensor)) return;
  refuse<Illegal>("E421", tensor.name + (is_in_parts ? " is in parts" : " is cut up") + " already",
                  "let two_pass come first");
}

std::optional<TensorId> Schedule::mean_of_same(TensorId t, const std::string& name) const {
  for (std::size_t k = 0; k < fusion().size(); ++k) {
    const TensorInfo& other = fusion()[TensorId(k)];
    if (!name.empty() && other.name != name) continue;
    if (is_mean_of(fusion(), other, fusion()[t])) return TensorId(k);
  }
  return std::nullopt;
}

// The copy that readers of a tensor read, where it was cached.
TensorId Schedule::read_instead_of(TensorId t) const {
  const auto is_copy = [&](const Nest& n) {
    return n.making != nullptr && n.making->kind == Making::Kind::CacheAfter && n.making->of == t;
  };
  for (;;) {
    const auto copy = std::ranges::find_if(nests_, is_copy);
    if (copy == nests_.end()) return t;
    t = TensorId(copy - nests_.begin());
  }
}

TensorId Schedule::add_mean(TensorId t, const std::string& name) {
  const TensorInfo& tensor = fusion()[t];
  const Fold& fold = *tensor.fold;
  TensorInfo mean{.name = name.empty() ? unused_name(tensor.name + "_mean") : name,
                  .type = fold.type,
                  .logical = tensor.logical,
                  .indices = tensor.indices,
                  .definition = tensor.definition,
                  .fold = Fold{.how = Reduction::Mean,
                               .type = fold.type,
                               .element = fold.element,
                               .domains = fold.domains,
                               .indices = fold.indices}};
  Nest own;
  own.loops = nest(t).loops;
  own.names = nest(t).names;
  own.folded = nest(t).folded;
  own.follows = true;
  own.making = std::make_shared<const Making>(Making{Making::Kind::Mean, t, own.loops, {}, {}});
  return add_tensor(fusion().over(graph_), std::move(mean), std::move(own));
}

TensorId Schedule::two_pass(TensorId t, const std::string& wanted) {
  check_is_whole_variance(t);
  Schedule tried = *this;
  std::optional<TensorId> mean = mean_of_same(t, wanted);
  if (!mean && fusion().find(wanted)) {
    refuse<Illegal>("E421",
                    wanted + " is not the mean of what " + fusion()[t].name +
                        " folds, in the type and over the iterdomains of " + fusion()[t].name,
                    "take a name that no tensor has: the mean is made");
  }
  if (!mean) mean = tried.add_mean(t, wanted);
  Fusion changed = tried.fusion().over(graph_);
  TensorInfo& tensor = changed.edit(t);
  ValueGraph& values = changed.values();
  const ValueId about =
      values.read(changed[*mean].type, std::uint32_t(tried.read_instead_of(*mean)),
                  *subscripts(changed, changed[*mean], tensor));
  const ValueId distance = values.apply(Function::Sub, {*tensor.definition, about});
  tensor.definition = values.apply(Function::Mul, {distance, distance});
  tensor.fold->how = Reduction::Mean;
  tried.own_ = std::make_shared<const Fusion>(std::move(changed));
  tried.nest(t).mean = mean;
  *this = std::move(tried);
  return *mean;
}

}  // namespace selvage
