// Defines computed tensors: checks a definition, equates its axes with those of the tensors that it
// reads, and takes over their iterdomains.
#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/op_shapes.h>
#include <selvage/ir/path.h>
#include <selvage/ir/ragged.h>
#include <selvage/ir/reads.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

std::size_t position(const std::vector<Expr>& indices, Expr e) {
  const auto it = std::find_if(indices.begin(), indices.end(), [&](Expr i) { return same(i, e); });
  return std::size_t(it - indices.begin());
}

void check_scan(const std::string& name, const Fusion::FoldRequest& fold, bool has_index) {
  const std::string how(to_string(fold.how));
  if (!is_scannable(fold.how)) {
    refuse<BadInput>("E511",
                     name + " scans by " + how + ", of which an element cannot be made from the " +
                         "one before it alone",
                     "scan by sum, prod, max, min, fmax or fmin");
  }
  if (has_index && fold.indices.empty()) return;
  refuse<BadInput>(
      "E505",
      name + " scans along " + to_string(fold.scanned) +
          (has_index ? ", and folds over other indices as well" : ", which is none of its indices"),
      "scan along one index of the result, and fold in a tensor of its own");
}

}  // namespace

// Refuses what makes no sense; returns each use of an index as a whole subscript.
std::vector<Fusion::IndexUse> Fusion::check_definition(const std::string& name,
                                                       const std::vector<Expr>& indices,
                                                       ValueId value) const {
  std::unordered_set<std::uint32_t> known;
  for (Expr n : sizes_) known.insert(n.id());
  for (Expr i : indices) {
    if (!i.is(Op::Symbol) || !known.insert(i.id()).second) {
      refuse<BadInput>(
          "E505", "the indices " + to_text(indices) + " of " + name + " are not distinct names",
          "give every axis an index of its own that is no size");
    }
  }
  const auto check_symbols = [&](std::span<const Expr> expressions,
                                 std::span<const LoadedIndex> loaded = {}) {
    for (Expr s : symbols_of(expressions)) {
      const auto is_it = [&](const LoadedIndex& l) { return same(l.symbol, s); };
      if (known.contains(s.id()) || std::ranges::any_of(loaded, is_it)) continue;
      refuse<BadInput>("E504",
                       "the index " + to_string(s) + " is used in " + name +
                           " but is none of its indices " + to_text(indices),
                       "put it on the left, or declare it as a size");
    }
  };
  std::vector<IndexUse> uses;
  for (ValueId v : values_under(values_, value)) {
    const ValueNode& n = values_[v];
    if (n.kind == ValueNode::Kind::Index) check_symbols(std::span(&n.index, 1));
    if (n.kind != ValueNode::Kind::Read) continue;
    SELVAGE_CHECK(n.source < size());
    const TensorInfo& source = tensors_[n.source];
    if (n.subscripts.size() != source.logical.size()) {
      refuse<BadInput>("E503",
                       source.name + " has " + std::to_string(source.logical.size()) +
                           " axes and is read " + "as " + source.name + to_text(n.subscripts),
                       "give one subscript for each axis");
    }
    check_symbols(n.subscripts, n.loaded);
    for (std::size_t axis = 0; axis < n.subscripts.size(); ++axis) {
      const std::size_t index = position(indices, n.subscripts[axis]);
      if (index == indices.size()) continue;
      uses.push_back({index, TensorId(n.source), axis, n.otherwise().has_value()});
    }
  }
  return uses;
}

// Drops the uses in reads that may leave their tensor, unless index and axis are proved to have
// equal extents.
void Fusion::drop_unequal(std::vector<IndexUse>& uses, const std::vector<Expr>& shape) const {
  std::optional<Simplifier> simplifier;
  std::erase_if(uses, [&](const IndexUse& use) {
    const Expr a = shape[use.index], b = (*domains_)[(*this)[use.tensor].logical[use.axis]].extent;
    if (!use.may_leave || same(a, b)) return false;
    if (a.is(Op::Const) && b.is(Op::Const)) return true;
    if (!simplifier) simplifier.emplace(*facts_);
    return !simplifier->proves(eq(a, b));
  });
}

// Makes the extents that share an index equal: refuses those that differ, proves the others equal
// or adds launch checks.
void Fusion::equate(const std::string& name, const std::vector<Expr>& indices,
                    const std::vector<Expr>& shape, const std::vector<IndexUse>& uses) {
  std::optional<Simplifier> simplifier;
  std::vector<Expr> checks;
  for (const IndexUse& use : uses) {
    const Expr a = shape[use.index], b = (*domains_)[(*this)[use.tensor].logical[use.axis]].extent;
    if (same(a, b)) continue;
    const bool constants = a.is(Op::Const) && b.is(Op::Const);
    const Expr equal = a.is(Op::Symbol) ? eq(a, b) : eq(b, a);
    if (!constants && !simplifier) simplifier.emplace(*facts_);
    if (!constants && simplifier->proves(equal)) continue;
    if (constants || simplifier->proves(!equal)) {
      // Another tensor that gives the index this extent, for the message.
      const auto other = std::find_if(uses.begin(), uses.end(), [&](const IndexUse& o) {
        return o.index == use.index &&
               same((*domains_)[(*this)[o.tensor].logical[o.axis]].extent, a);
      });
      const bool is_read = other != uses.end();
      const TensorInfo& tensor = (*this)[use.tensor];
      refuse<BadInput>(
          "E501",
          "the index " + to_string(indices[use.index]) + " has extent " + to_string(a) + " in " +
              (is_read ? (*this)[other->tensor].name + to_text(this->shape(other->tensor))
                       : name + to_text(shape)) +
              " and " + to_string(b) + " in " + tensor.name + to_text(this->shape(use.tensor)),
          a.is_const(1) || b.is_const(1)
              ? "make the extents equal; or read the axis of extent 1 with the subscript 0"
              : "make the extents equal");
    }
    for (std::size_t k = 0; k < domains_->rows(); ++k) {
      const RaggedRows& rows = (*domains_)[RowsId(k)];
      const auto is_end = [&](Expr symbol) { return same(symbol, rows.end); };
      if (std::ranges::none_of(symbols_of(equal), is_end)) continue;
      refuse<BadInput>(
          "E501",
          "the index " + to_string(indices[use.index]) + " runs over the items of a row of " +
              (*this)[TensorId(rows.offsets)].name + ", which differ in number, and over the " +
              to_string(same(a, rows.end - rows.begin) ? b : a) + " of " + (*this)[use.tensor].name,
          "read " + (*this)[use.tensor].name +
              " at a number that an input of the items has, or give it the rows, too");
    }
    checks.push_back(equal);
    Facts more = simplifier->facts();
    more.assume(equal);
    simplifier.emplace(std::move(more));
  }
  for (Expr equal : checks) {
    check_at_launch(equal, "extents that index notation equates must be equal");
  }
}

// Chooses an iterdomain for each index: that of a computed tensor that is read at it, else a new
// one.
std::vector<DomainId> Fusion::domains_of(const std::vector<Expr>& indices,
                                         const std::vector<Expr>& shape,
                                         const std::vector<IndexUse>& uses, ValueId value) {
  std::vector<std::optional<DomainId>> chosen(indices.size());
  std::vector<DomainId> logical;
  for (const IndexUse& use : uses) {
    const DomainId d = (*this)[use.tensor].logical[use.axis];
    if (chosen[use.index] || is_of_inputs(d) || contains(logical, d)) continue;
    logical.push_back(d);
    if (are_dependent(*domains_, logical)) {
      logical.pop_back();
    } else {
      chosen[use.index] = d;
    }
  }
  logical.clear();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    logical.push_back(chosen[i] ? *chosen[i] : domain_for(indices, i, shape[i], logical, value));
  }
  return logical;
}

// A new iterdomain; or the ragged one of a row, whose index is the one at which the definition
// reads the offsets or, if it does not, the one before.
DomainId Fusion::domain_for(const std::vector<Expr>& indices, std::size_t index, Expr extent,
                            const std::vector<DomainId>& before, ValueId value) {
  const std::string label = label_of(indices[index]);
  const std::optional<RowsId> rows = rows_of_length(*this, extent);
  if (!rows || before.empty()) return domains_->add(label, extent);
  std::size_t row = before.size() - 1;
  for (ValueId v : values_under(values_, value)) {
    const ValueNode& n = values_[v];
    if (n.kind != ValueNode::Kind::Read || n.source != (*domains_)[*rows].offsets) continue;
    const std::size_t at = position(indices, n.subscripts[0]);
    if (at < before.size()) row = at;
  }
  return domains_->ragged(label, before[row], *rows);
}

ValueId Fusion::check(ValueCheck check, ValueId condition, ValueId value,
                      std::optional<ValueId> shown) {
  if (!is_checked_) return value;
  checks_.push_back(std::move(check));
  const ValueId none = values_.index(constant(0)), point = values_.index(constant(0));
  return values_.check(std::uint32_t(checks_.size() - 1), condition, value, shown.value_or(none),
                       point);
}

// Says at which point of the definition each check in it is made.
void Fusion::complete_checks(const std::string& name, const std::vector<Expr>& indices,
                             const std::vector<Expr>& shape, ValueId value) {
  if (checks_.empty()) return;
  for (ValueId v : values_under(values_, value)) {
    const ValueNode& node = values_[v];
    if (node.kind != ValueNode::Kind::Check) continue;
    ValueCheck& check = checks_[node.source];
    if (!check.indices.empty()) continue;
    if (check.computed.empty()) check.computed = name;
    ValueNode point = values_[node.operands[3]];
    for (std::size_t k = 0; k < indices.size(); ++k) {
      point.index = k == 0 ? indices[k] : point.index * shape[k] + indices[k];
      check.indices.push_back(label_of(indices[k]));
    }
    check.extents = shape;
    values_.replace(node.operands[3], std::move(point));
  }
}

// Tries a view on a graph of its own. A refusal becomes a BadInput.
void Fusion::try_view(const View& view, std::span<const Expr> indices,
                      std::span<const Expr> shape) const {
  try {
    DomainGraph graph(pool_, facts_);
    std::vector<DomainId> root;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      root.push_back(graph.add(std::string(indices[i].name()), shape[i]));
    }
    view(graph, root);
  } catch (const Illegal& e) {
    throw BadInput(e.diagnostic());
  }
}

// Whether `keep` may replace `gone` in a tensor: no axis may be made of others.
bool Fusion::may_take(const TensorInfo& tensor, DomainId gone, DomainId keep) const {
  if (domains_->around(keep).empty()) return true;
  // A view may have axes that its root lacks.
  std::vector<DomainId> before = definition_domain(tensor), after = nest_domain(tensor);
  if (tensor.fold) {
    before.insert(before.end(), tensor.fold->domains.begin(), tensor.fold->domains.end());
  }
  if (!contains(before, gone)) before.push_back(gone);
  for (auto* axes : {&before, &after}) std::replace(axes->begin(), axes->end(), gone, keep);
  return !are_dependent(*domains_, before) && !are_dependent(*domains_, after);
}

// Puts two iterdomains into one class. Does nothing if transforms depend on the one to be replaced,
// or if a tensor has both, or would have one that is made of others of its own.
void Fusion::unify(DomainId a, DomainId b) {
  if (a == b) return;
  // Keeps the iterdomain of a computed tensor rather than an input's; of two alike, the older.
  const bool keep_b = is_of_inputs(a) != is_of_inputs(b) ? is_of_inputs(a) : b < a;
  const DomainId keep = keep_b ? b : a, gone = keep_b ? a : b;
  if (!domains_->around(gone).empty()) return;
  std::vector<std::vector<DomainId>*> cuts;
  for (TensorInfo& t : tensors_) {
    bool has_keep = false;
    std::vector<std::vector<DomainId>*> own;
    std::vector<std::vector<DomainId>*> all = {&t.root, &t.logical, &t.allocation};
    if (t.fold) all.push_back(&t.fold->domains);
    for (auto* cut : all) {
      if (contains(*cut, gone)) own.push_back(cut);
      if (contains(*cut, keep)) has_keep = true;
    }
    if (!own.empty() && (has_keep || !may_take(t, gone, keep))) return;
    cuts.insert(cuts.end(), own.begin(), own.end());
  }
  for (auto* cut : cuts) std::replace(cut->begin(), cut->end(), gone, keep);
  follow_row(gone, keep);
}

// Puts the items of row `keep` in the place of those of row `gone`.
void Fusion::follow_row(DomainId gone, DomainId keep) {
  for (std::size_t d = 0; d < domains_->size(); ++d) {
    const IterDomain own = (*domains_)[DomainId(d)];
    if (!own.ragged || own.ragged->row != gone) continue;
    const DomainId other = domains_->ragged(own.name, keep, own.ragged->rows);
    for (TensorInfo& t : tensors_) {
      for (auto* cut : {&t.root, &t.logical})
        std::replace(cut->begin(), cut->end(), DomainId(d), other);
      if (t.fold) std::ranges::replace(t.fold->domains, DomainId(d), other);
    }
  }
}

Tensor Fusion::compute(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                       ValueId value, std::optional<DataType> type) {
  return define(name, std::move(indices), std::move(shape), nullptr, nullptr, value, type);
}

Tensor Fusion::compute_fold(const std::string& name, std::vector<Expr> indices,
                            std::vector<Expr> shape, FoldRequest fold, ValueId value,
                            std::optional<DataType> type) {
  return define(name, std::move(indices), std::move(shape), &fold, nullptr, value, type);
}

Tensor Fusion::compute_view(const std::string& name, std::vector<Expr> indices,
                            std::vector<Expr> shape, const View& view, ValueId value,
                            std::optional<DataType> type, const FoldRequest* fold) {
  return define(name, std::move(indices), std::move(shape), fold, &view, value, type);
}

// Indices that are folded over come after those of the result.
Tensor Fusion::define(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                      const FoldRequest* fold, const View* view, ValueId value,
                      std::optional<DataType> type) {
  const std::string what = name.empty() ? "the result" : name;
  const auto check_number = [&](const std::vector<Expr>& some, const std::vector<Expr>& extents,
                                const char* of) {
    if (some.size() == extents.size()) return;
    refuse<BadInput>("E505",
                     "the indices " + to_text(some) + of + what + " and its shape " +
                         to_text(extents) + " differ in number",
                     "give one extent for each index");
  };
  check_number(indices, shape, " of ");
  const std::size_t rank = indices.size();
  if (fold != nullptr) {
    check_number(fold->indices, fold->shape, " folded into ");
    indices.insert(indices.end(), fold->indices.begin(), fold->indices.end());
    shape.insert(shape.end(), fold->shape.begin(), fold->shape.end());
  }
  std::optional<std::size_t> scanned;
  if (fold != nullptr && fold->scanned.valid()) {
    scanned = position(indices, fold->scanned);
    check_scan(what, *fold, *scanned < rank);
  }
  std::vector<IndexUse> uses = check_definition(what, indices, value);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = checked_extent(shape[i], to_string(indices[i]));
  }
  if (view != nullptr)
    try_view(*view, std::span(indices).first(rank), std::span(shape).first(rank));
  drop_unequal(uses, shape);
  if (!name.empty()) claim(name);
  equate(what, indices, shape, uses);
  complete_checks(what, indices, shape, value);

  const DataType element = values_[value].type;
  TensorInfo tensor{.name = name,
                    .type = type.value_or(fold ? result_type(fold->how, element) : element)};
  std::vector<DomainId> domains = domains_of(indices, shape, uses, value);
  const auto split = [&](auto& all) {
    std::remove_reference_t<decltype(all)> tail(all.begin() + std::ptrdiff_t(rank), all.end());
    all.resize(rank);
    return tail;
  };
  if (fold != nullptr) {
    const DataType folded = fold_type(fold->how, element), computed = compute_type(folded);
    tensor.fold = Fold{.how = fold->how,
                       .type = computed,
                       .element = folded,
                       .domains = split(domains),
                       .indices = split(indices),
                       .correction = fold->how == Reduction::Variance ? fold->correction : 0,
                       .scanned = scanned};
    if (compute_type(element) != computed) value = values_.cast(value, computed);
  }
  tensor.logical = std::move(domains);
  tensor.indices = std::move(indices);
  tensor.definition = fold != nullptr ? value : values_.as_element(value, tensor.type);
  const TensorId id = add(std::move(tensor));
  for (const IndexUse& use : uses) {
    const TensorInfo& own = (*this)[id];
    const DomainId d =
        use.index < rank ? own.logical[use.index] : own.fold->domains[use.index - rank];
    unify(d, (*this)[use.tensor].logical[use.axis]);
  }
  if (view != nullptr) {
    const std::vector<DomainId> root = (*this)[id].logical;
    std::vector<DomainId> logical = (*view)(*domains_, root);
    if (logical != root) edit(id).root = root;
    edit(id).logical = std::move(logical);
  }
  return {this, id};
}

}  // namespace selvage
