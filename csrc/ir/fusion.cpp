#include <selvage/base/check.h>
#include <selvage/base/refuse.h>
#include <selvage/expr/text.h>
#include <selvage/ir/fusion.h>
#include <selvage/ir/ragged.h>
#include <selvage/simplifier/simplifier.h>

#include <algorithm>

namespace selvage {

std::string_view to_string(Memory m) {
  switch (m) {
    case Memory::Global: return "global";
    case Memory::Shared: return "shared";
    case Memory::Local: return "local";
  }
  return {};
}

DataType stored_type(const TensorInfo& tensor) {
  return tensor.is_input || tensor.is_output ? said_type(tensor) : compute_type(tensor.type);
}

DataType said_type(const TensorInfo& tensor) { return tensor.stored_as.value_or(tensor.type); }

const std::vector<DomainId>& definition_domain(const TensorInfo& tensor) {
  return tensor.root.empty() ? tensor.logical : tensor.root;
}

const std::vector<DomainId>& counted_domain(const Fold& fold) {
  return fold.original.empty() ? fold.domains : fold.original;
}

std::vector<DomainId> nest_domain(const TensorInfo& tensor) {
  std::vector<DomainId> domains = tensor.is_iterated_by_root ? tensor.root : tensor.logical;
  if (tensor.fold) {
    domains.insert(domains.end(), tensor.fold->domains.begin(), tensor.fold->domains.end());
  }
  return domains;
}

bool is_scan(const TensorInfo& tensor) { return tensor.fold && tensor.fold->scanned; }

std::vector<DomainId> folded_domain(const TensorInfo& tensor) {
  if (is_scan(tensor)) return {tensor.logical[*tensor.fold->scanned]};
  return tensor.fold ? tensor.fold->domains : std::vector<DomainId>{};
}

bool has_part_of_root(const TensorInfo& tensor) {
  if (!tensor.fold) return false;
  return tensor.fold->is_partial || (tensor.fold->scanned && !tensor.fold->original.empty());
}

std::vector<DomainId> visited_domain(const TensorInfo& tensor) {
  std::vector<DomainId> domains = nest_domain(tensor);
  if (!has_part_of_root(tensor)) return domains;
  for (DomainId d : tensor.fold->original) {
    if (!contains(domains, d)) domains.push_back(d);
  }
  return domains;
}

std::vector<DomainId> covered_domain(const TensorInfo& tensor) {
  return has_part_of_root(tensor) && !tensor.root.empty() ? tensor.root : nest_domain(tensor);
}

void Tensor::refuse_none() {
  refuse<BadInput>("E508", "a Tensor is used that stands for no tensor of a fusion: Tensor{}",
                   "assign to it first what an input or an operation gave");
}

const std::string& Tensor::name() const { return fusion()[id()].name; }
DataType Tensor::type() const { return fusion()[id()].type; }
std::vector<Expr> Tensor::shape() const { return fusion().shape(id()); }
std::size_t Tensor::rank() const { return fusion()[id()].logical.size(); }

Fusion::Fusion() : Fusion(std::make_shared<ExprPool>()) {}
Fusion::~Fusion() = default;
Fusion::Fusion(const Fusion&) = default;
Fusion::Fusion(Fusion&&) noexcept = default;
Fusion& Fusion::operator=(const Fusion&) = default;
Fusion& Fusion::operator=(Fusion&&) noexcept = default;

Fusion::Fusion(std::shared_ptr<ExprPool> pool)
    : pool_(std::move(pool)),
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
  ++changes_;
  return n;
}

RowsId Fusion::add_rows(TensorId offsets, Expr count, Expr items) {
  const std::string& name = (*this)[offsets].name;
  // No size or index that a file names can be called so: its names have no dot.
  const Expr row = pool_->symbol(name + ".row"), begin = pool_->symbol(name + ".begin"),
             end = pool_->symbol(name + ".end");
  facts_->loop(row, count);
  facts_->bound(begin, constant(0), items);
  facts_->bound(end, begin, items);
  ++changes_;
  return domains_->add_rows({std::uint32_t(offsets), count, items, row, begin, end});
}

// The new fact may simplify extents of the graph.
void Fusion::assume(Expr fact) {
  ++changes_;
  facts_->assume(fact);
  domains_->simplify_extents(facts_);
}

void Fusion::check_at_launch(Expr condition, std::string why) {
  ++changes_;
  launch_checks_.push_back(condition);
  launch_reasons_.push_back(std::move(why));
  assume(condition);
}

// Refuses a name that a size or a tensor has; but a tensor with a made-up name gets another one.
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

void Fusion::rename(TensorId t, const std::string& name) {
  ++changes_;
  TensorInfo& tensor = edit(t);
  if (name != tensor.name) claim(name);
  auto_named_.erase(t);
  names_.erase(tensor.name);
  names_[name] = t;
  tensor.name = name;
}

std::optional<TensorId> Fusion::find(const std::string& name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? std::nullopt : std::optional(it->second);
}

TensorId Fusion::add(TensorInfo tensor) {
  ++changes_;
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

std::shared_ptr<const Fusion> Fusion::snapshot() const { return copy(); }

std::shared_ptr<const Fusion> Fusion::where(Expr condition, std::string why) const {
  auto bounded = copy();
  bounded->check_at_launch(condition, std::move(why));
  return bounded;
}

std::shared_ptr<Fusion> Fusion::copy() const {
  auto copy = std::make_shared<Fusion>(*this);
  copy->facts_ = std::make_shared<Facts>(*facts_);
  copy->domains_ = std::make_shared<DomainGraph>(*domains_);
  return copy;
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

std::string Fusion::label_of(Expr index) const {
  const auto it = index_labels_.find(index.id());
  return it == index_labels_.end() ? std::string(index.name()) : it->second;
}

Expr Fusion::checked_extent(Expr extent, const std::string& what) const {
  if (rows_of_length(*this, extent)) return extent;
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

Tensor Fusion::output(const std::string& name, Tensor t, std::optional<DataType> type) {
  if (&t.fusion() != this) {
    refuse<BadInput>("E508", "the tensor that " + name + " is to name belongs to another fusion",
                     "build it from the inputs of this one");
  }
  const TensorInfo& info = (*this)[t.id()];
  const DataType stored = type.value_or(info.type);
  if (info.is_input || info.is_output) {
    std::vector<Expr> indices;
    if (info.root.empty()) indices = info.indices;
    for (std::size_t k = 0; k < info.logical.size(); ++k) {
      if (indices.size() == k) indices.push_back(fresh_index("i" + std::to_string(k)));
    }
    const ValueId read = values_.read(info.type, std::uint32_t(t.id()), indices);
    const bool is_complex = info.is_complex;
    const auto rows = info.items_of;
    const Tensor copy = compute(name, std::move(indices), shape(t.id()), read);
    edit(copy.id()).is_complex = is_complex;
    edit(copy.id()).items_of = rows;
    return output(name, copy, stored);
  }
  rename(t.id(), name);
  TensorInfo& tensor = edit(t.id());
  tensor.is_output = true;
  if (stored != tensor.type) tensor.stored_as = stored;
  return t;
}

}  // namespace selvage
