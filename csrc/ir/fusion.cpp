#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/fusion.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>
#include <unordered_set>

namespace selvage {

namespace {

std::string to_text(const std::vector<Expr>& list) {
  std::string text;
  for (Expr e : list) text += (text.empty() ? "" : ", ") + to_string(e);
  return "[" + text + "]";
}

// The values that a value is made of, each once, itself included, operands first.
std::vector<ValueId> parts_of(const ValueGraph& values, ValueId root) {
  std::set<ValueId> seen = {root};
  std::vector<ValueId> open = {root};
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    for (ValueId operand : values[v].operands) {
      if (seen.insert(operand).second) open.push_back(operand);
    }
  }
  return {seen.begin(), seen.end()};
}

std::size_t position(const std::vector<Expr>& indices, Expr e) {
  const auto it = std::find_if(indices.begin(), indices.end(), [&](Expr i) { return same(i, e); });
  return std::size_t(it - indices.begin());
}

bool contains(const std::vector<DomainId>& domains, DomainId d) {
  return std::find(domains.begin(), domains.end(), d) != domains.end();
}

}  // namespace

DataType stored_type(const TensorInfo& tensor) {
  return tensor.is_input || tensor.is_output ? tensor.type : compute_type(tensor.type);
}

const std::vector<DomainId>& definition_domain(const TensorInfo& tensor) {
  return tensor.root.empty() ? tensor.logical : tensor.root;
}

const std::vector<DomainId>& counted_domain(const Fold& fold) {
  return fold.original.empty() ? fold.domains : fold.original;
}

std::vector<DomainId> nest_domain(const TensorInfo& tensor) {
  std::vector<DomainId> domains = tensor.logical;
  if (tensor.fold) {
    domains.insert(domains.end(), tensor.fold->domains.begin(), tensor.fold->domains.end());
  }
  return domains;
}

std::vector<DomainId> visited_domain(const TensorInfo& tensor) {
  std::vector<DomainId> domains = nest_domain(tensor);
  if (!tensor.fold || !tensor.fold->is_partial) return domains;
  for (DomainId d : tensor.fold->original) {
    if (!contains(domains, d)) domains.push_back(d);
  }
  return domains;
}

std::vector<DomainId> covered_domain(const TensorInfo& tensor) {
  const bool is_root = tensor.fold && tensor.fold->is_partial && !tensor.root.empty();
  return is_root ? tensor.root : nest_domain(tensor);
}

Fusion::Fusion()
    : pool_(std::make_shared<ExprPool>()),
      facts_(std::make_shared<Facts>(*pool_)),
      domains_(std::make_shared<DomainGraph>(pool_, facts_)) {}

Expr Fusion::extent(const std::string& name, std::optional<std::int64_t> min,
                    std::optional<std::int64_t> max, std::int64_t multiple_of) {
  if (min && max && *min > *max) {
    refuse<BadInput>("E509",
                     "no value of " + name + " is at least " + std::to_string(*min) +
                         " and at most " + std::to_string(*max),
                     "give it a max that is not below its min");
  }
  if (multiple_of < 1) {
    refuse<BadInput>("E509", name + " cannot be a multiple of " + std::to_string(multiple_of),
                     "multiple_of is at least 1");
  }
  if (index_names_.contains(name)) {
    refuse<BadInput>("E502", name + " is the name of an index already", "choose another name");
  }
  claim(name);
  const Expr n = pool_->symbol(name);
  // A size that may be 0 is computed with as if it were at least 1.
  if (min && *min <= 0 && (!max || *max >= 1)) {
    possibly_empty_.push_back(n);
    min = 1;
  }
  facts_->bound(n, min ? constant(*min) : Expr(), max ? constant(*max) : Expr());
  if (multiple_of > 1) facts_->congruent(n, multiple_of);
  sizes_.push_back(n);
  return n;
}

void Fusion::assume(Expr fact) { facts_->assume(fact); }

// Refuses a name that a size or a tensor has; a made-up name gives way.
void Fusion::claim(const std::string& name) {
  const bool is_size =
      std::any_of(sizes_.begin(), sizes_.end(), [&](Expr n) { return n.name() == name; });
  const auto taken = find(name);
  if (is_size || (taken && !auto_named_.contains(*taken))) {
    refuse<BadInput>("E502",
                     name + " is the name of a " + (is_size ? "size" : "tensor") + " already",
                     "choose another name");
  }
  if (taken) {
    names_.erase(name);
    std::string other;
    do {
      other = "t" + std::to_string(next_name_++);
    } while (names_.contains(other) || other == name);
    tensors_[index_of(*taken)].name = other;
    names_[other] = *taken;
  }
}

std::optional<TensorId> Fusion::find(const std::string& name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? std::nullopt : std::optional(it->second);
}

TensorId Fusion::add(TensorInfo tensor) {
  const auto id = TensorId(tensors_.size());
  if (tensor.name.empty()) {
    const auto is_size = [&](Expr n) { return n.name() == tensor.name; };
    do {
      tensor.name = "t" + std::to_string(next_name_++);
    } while (names_.contains(tensor.name) || std::any_of(sizes_.begin(), sizes_.end(), is_size));
    auto_named_.insert(id);
  } else {
    claim(tensor.name);
  }
  names_[tensor.name] = id;
  tensors_.push_back(std::move(tensor));
  return id;
}

Fusion Fusion::over(DomainGraph domains) const {
  Fusion copy = *this;
  copy.domains_ = std::make_shared<DomainGraph>(std::move(domains));
  return copy;
}

std::vector<Expr> Fusion::shape(TensorId t) const {
  std::vector<Expr> extents;
  for (DomainId d : (*this)[t].logical) extents.push_back((*domains_)[d].extent);
  return extents;
}

Expr Fusion::fresh_index(const std::string& name) {
  const auto is_taken = [&](const std::string& n) {
    return index_names_.contains(n) ||
           std::any_of(sizes_.begin(), sizes_.end(), [&](Expr s) { return s.name() == n; });
  };
  std::string unique = name;
  while (is_taken(unique)) unique = name + "_" + std::to_string(++index_names_[name]);
  index_names_.try_emplace(unique, 0);
  const Expr index = pool_->symbol(unique);
  index_labels_[index.id()] = name;
  return index;
}

Expr Fusion::checked_extent(Expr extent, const std::string& what) const {
  if (!extent.is(Op::Const) && !extent.is(Op::Symbol)) {
    Simplifier simplifier(*facts_);
    extent = simplifier.simplify(extent);
  }
  if (extent.is(Op::Const) && extent.value() < 1) {
    refuse<BadInput>("E403", "the extent of " + what + " is " + std::to_string(extent.value()),
                     "an extent is at least 1; a size that may be 0 is a symbol with min: 0");
  }
  if (extent.is(Op::Const) && extent.value() > std::int64_t{1} << 62) {
    refuse<BadInput>("E402", "the extent of " + what + " is past 2^62", "use a smaller extent");
  }
  return extent;
}

Tensor Fusion::input(const std::string& name, std::vector<Expr> shape, DataType type,
                     std::vector<std::string> axes) {
  SELVAGE_CHECK(axes.size() <= shape.size());
  for (std::size_t k = axes.size(); k < shape.size(); ++k) {
    axes.push_back(name + "_" + std::to_string(k));
  }
  for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = checked_extent(shape[k], axes[k]);
  claim(name);
  TensorInfo tensor{.name = name, .type = type, .is_input = true};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    tensor.logical.push_back(domains_->add(axes[k], shape[k]));
    input_domains_.insert(tensor.logical.back());
  }
  return {this, add(std::move(tensor))};
}

// Refuses what makes no sense; returns where an index stands alone on an axis.
std::vector<Fusion::Meeting> Fusion::check_definition(const std::string& name,
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
  const auto check_symbols = [&](std::span<const Expr> expressions) {
    for (Expr s : symbols_of(expressions)) {
      if (known.contains(s.id())) continue;
      refuse<BadInput>("E504",
                       "the index " + to_string(s) + " is used in " + name +
                           " but is none of its indices " + to_text(indices),
                       "put it on the left, or declare it as a size");
    }
  };
  std::vector<Meeting> meetings;
  for (ValueId v : parts_of(values_, value)) {
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
    check_symbols(n.subscripts);
    for (std::size_t axis = 0; axis < n.subscripts.size(); ++axis) {
      const std::size_t index = position(indices, n.subscripts[axis]);
      if (index < indices.size()) meetings.push_back({index, TensorId(n.source), axis});
    }
  }
  return meetings;
}

// Makes the extents that meet in one index equal: refuses them, proves it or has it checked.
void Fusion::equate(const std::string& name, const std::vector<Expr>& indices,
                    const std::vector<Expr>& shape, const std::vector<Meeting>& meetings) {
  std::optional<Simplifier> simplifier;
  std::vector<Expr> checks;
  for (const Meeting& m : meetings) {
    const Expr a = shape[m.index], b = (*domains_)[(*this)[m.tensor].logical[m.axis]].extent;
    if (same(a, b)) continue;
    const bool constants = a.is(Op::Const) && b.is(Op::Const);
    const Expr equal = a.is(Op::Symbol) ? eq(a, b) : eq(b, a);
    if (!constants && !simplifier) simplifier.emplace(*facts_);
    if (!constants && simplifier->proves(equal)) continue;
    if (constants || simplifier->proves(!equal)) {
      // The other side: who else says what this extent is.
      const auto other = std::find_if(meetings.begin(), meetings.end(), [&](const Meeting& o) {
        return o.index == m.index && same((*domains_)[(*this)[o.tensor].logical[o.axis]].extent, a);
      });
      const bool is_read = other != meetings.end();
      const TensorInfo& tensor = (*this)[m.tensor];
      refuse<BadInput>(
          "E501",
          "the index " + to_string(indices[m.index]) + " has extent " + to_string(a) + " in " +
              (is_read ? (*this)[other->tensor].name + to_text(this->shape(other->tensor))
                       : name + to_text(shape)) +
              " and " + to_string(b) + " in " + tensor.name + to_text(this->shape(m.tensor)),
          "make the extents equal, or read the axis of extent 1 with the subscript 0");
    }
    checks.push_back(equal);
    Facts more = simplifier->facts();
    more.assume(equal);
    simplifier.emplace(std::move(more));
  }
  if (checks.empty()) return;
  *facts_ = simplifier->facts();
  launch_checks_.insert(launch_checks_.end(), checks.begin(), checks.end());
}

// An iterdomain for each index: that of a computed tensor which it reads there, else a new one.
std::vector<DomainId> Fusion::domains_of(const std::vector<Expr>& indices,
                                         const std::vector<Expr>& shape,
                                         const std::vector<Meeting>& meetings) {
  std::vector<std::optional<DomainId>> chosen(indices.size());
  std::vector<DomainId> logical;
  for (const Meeting& m : meetings) {
    const DomainId d = (*this)[m.tensor].logical[m.axis];
    if (chosen[m.index] || is_of_inputs(d) || contains(logical, d)) continue;
    chosen[m.index] = d;
    logical.push_back(d);
  }
  logical.clear();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto label = index_labels_.find(indices[i].id());
    logical.push_back(chosen[i] ? *chosen[i]
                                : domains_->add(label != index_labels_.end()
                                                    ? label->second
                                                    : std::string(indices[i].name()),
                                                shape[i]));
  }
  return logical;
}

// Puts two iterdomains into one class, unless a tensor has both or transforms hang on either.
void Fusion::unify(DomainId a, DomainId b) {
  if (a == b) return;
  // Computed tensors give the name; among equals, who came first.
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
    if (!own.empty() && has_keep) return;
    cuts.insert(cuts.end(), own.begin(), own.end());
  }
  for (auto* cut : cuts) std::replace(cut->begin(), cut->end(), gone, keep);
}

Tensor Fusion::compute(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                       ValueId value, std::optional<DataType> type) {
  return define(name, std::move(indices), std::move(shape), nullptr, value, type);
}

Tensor Fusion::compute_fold(const std::string& name, std::vector<Expr> indices,
                            std::vector<Expr> shape, FoldRequest fold, ValueId value,
                            std::optional<DataType> type) {
  return define(name, std::move(indices), std::move(shape), &fold, value, type);
}

// Indices that are folded over come after those of the result.
Tensor Fusion::define(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                      const FoldRequest* fold, ValueId value, std::optional<DataType> type) {
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
  const std::vector<Meeting> meetings = check_definition(what, indices, value);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = checked_extent(shape[i], to_string(indices[i]));
  }
  if (!name.empty()) claim(name);
  equate(what, indices, shape, meetings);

  const DataType element = values_[value].type;
  TensorInfo tensor{.name = name,
                    .type = type.value_or(fold ? result_type(fold->how, element) : element)};
  std::vector<DomainId> domains = domains_of(indices, shape, meetings);
  const auto split = [&](auto& all) {
    std::remove_reference_t<decltype(all)> tail(all.begin() + std::ptrdiff_t(rank), all.end());
    all.resize(rank);
    return tail;
  };
  DataType computed = compute_type(tensor.type);
  if (fold != nullptr) {
    computed = compute_type(fold_type(fold->how, element));
    tensor.fold = Fold{.how = fold->how,
                       .type = computed,
                       .domains = split(domains),
                       .indices = split(indices),
                       .correction = fold->correction};
  }
  tensor.logical = std::move(domains);
  tensor.indices = std::move(indices);
  const bool same_type = compute_type(element) == computed;
  tensor.definition = same_type ? value : values_.cast(value, computed);
  const TensorId id = add(std::move(tensor));
  for (const Meeting& m : meetings) {
    read_.insert(m.tensor);
    const TensorInfo& own = (*this)[id];
    const DomainId d = m.index < rank ? own.logical[m.index] : own.fold->domains[m.index - rank];
    unify(d, (*this)[m.tensor].logical[m.axis]);
  }
  return {this, id};
}

Tensor Fusion::output(const std::string& name, Tensor t, std::optional<DataType> type) {
  if (&t.fusion() != this) {
    refuse<BadInput>("E508", "the tensor that " + name + " is to name belongs to another fusion",
                     "build it from the inputs of this one");
  }
  const TensorInfo& info = (*this)[t.id()];
  const DataType stored = type.value_or(info.type);
  if (info.is_input || info.is_output || (stored != info.type && read_.contains(t.id()))) {
    std::vector<Expr> indices;
    if (info.root.empty()) indices = info.indices;
    for (std::size_t k = 0; k < info.logical.size(); ++k) {
      if (indices.size() == k) indices.push_back(fresh_index("i" + std::to_string(k)));
    }
    const ValueId read = values_.read(info.type, std::uint32_t(t.id()), indices);
    const Tensor copy = compute(name, std::move(indices), shape(t.id()), read, stored);
    edit(copy.id()).is_output = true;
    return copy;
  }
  if (name != info.name) claim(name);
  TensorInfo& tensor = edit(t.id());
  names_.erase(tensor.name);
  names_[name] = t.id();
  auto_named_.erase(t.id());
  tensor.name = name;
  tensor.is_output = true;
  if (!tensor.fold && compute_type(stored) != compute_type(tensor.type)) {
    tensor.definition = values_.cast(*tensor.definition, compute_type(stored));
  }
  tensor.type = stored;
  return t;
}

}  // namespace selvage
