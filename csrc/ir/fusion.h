#pragma once

#include <selvage/base/data_type.h>
#include <selvage/ir/domain_graph.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/value.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace selvage {

enum class TensorId : std::uint32_t {};
inline std::size_t index_of(TensorId t) { return std::size_t(t); }

enum class Memory : std::uint8_t { Global, Shared, Local };
std::string_view to_string(Memory m);  // "global", "shared", "local"

// How a tensor folds elements into each of its own: s[m] = sum(t[m, n]) over n.
struct Fold {
  Reduction how = Reduction::Sum;
  DataType type = DataType::Float;     // a compute type: elements have it, and are folded in it
  DataType element = type;             // what they would be stored as: fold_type()
  std::vector<DomainId> domains = {};  // what is folded over, outer to inner
  std::vector<Expr> indices = {};      // their symbols in the definition
  std::int64_t correction = 0;         // a variance divides by the number of items less this
  // Of rfactor. A partial tensor keeps for each element the state that its fold has come to (see
  // ir/fold.h), and whoever merges folds such states: its definition is a Read of the partial one.
  bool is_partial = false;
  bool merges = false;
  // Of rfactor, too; else empty. Of a partial tensor: what was folded over before it was made. Its
  // root has these, none of them may be out of bounds, and positions are counted over them. Of the
  // one that comes to the result: what all partial ones together fold over, in which items count.
  std::vector<DomainId> original = {};
};

// What the items of a fold are counted over, and their positions in row-major order.
const std::vector<DomainId>& counted_domain(const Fold& fold);

// What a fusion says of one tensor. Domains are cuts of the fusion's iterdomain graph. Axes that
// one index equates are one iterdomain (a dimension class) wherever no tensor would then have an
// iterdomain twice: y[m, n] = a[m, n] + a[n, m] shares a's axes with y by its first read, and the
// second is told by its subscripts alone. Nor has a tensor an axis that transforms make of others:
// y[m, n, k] = a[m, n] + flatten(a)[k] has a k of its own. Which element is read is what the
// subscripts say, always.
struct TensorInfo {
  std::string name;
  // Of its values. A computed tensor is read as it was computed, in compute_type(type), whether it
  // is inlined, kept, or an output besides: storing it as such rounds what is stored alone.
  DataType type = DataType::Float;
  bool is_input = false;
  bool is_output = false;
  std::optional<DataType> stored_as = {};  // of an output that lies in memory in another type
  std::vector<DomainId> root = {};         // before a view; empty: the logical domain
  std::vector<DomainId> logical = {};      // outer to inner
  std::vector<DomainId> allocation = {};   // how it lies in memory; empty: the logical domain
  std::vector<Expr> strides = {};  // in elements, one per allocation iterdomain; empty: dense
  Memory memory = Memory::Global;
  std::int64_t align = 16;  // bytes to which the base address is aligned
  // Of a computed tensor: its element at `indices`, one index symbol per iterdomain of
  // definition_domain(), as a value whose compute type is that of `type`. Of one that folds: what
  // is folded, over `indices` and fold->indices, in the type of the fold.
  std::vector<Expr> indices = {};
  std::optional<ValueId> definition = {};
  std::optional<Fold> fold = {};
  bool duplicates_allowed = false;        // every item may be stored more than once
  std::optional<std::int64_t> fill = {};  // what its holes in memory must hold
};

// What an element of it takes in memory: of a computed tensor that is no output, its compute type.
DataType stored_type(const TensorInfo& tensor);
// What the user says its elements are: of an output, what they are stored as.
DataType said_type(const TensorInfo& tensor);

// What the indices of a definition run over: the root where there is one, else the logical domain.
const std::vector<DomainId>& definition_domain(const TensorInfo& tensor);
// What its loops are over before any is cut up: the logical domain, then what it folds over.
std::vector<DomainId> nest_domain(const TensorInfo& tensor);
// What its loops lead to, and has to be in bounds: the same, and the `original` of a partial
// tensor.
std::vector<DomainId> visited_domain(const TensorInfo& tensor);
// Every item of this has to be met by its loops: the nest's, or the root of a partial tensor, whose
// logical domain and what it folds over are not independent.
std::vector<DomainId> covered_domain(const TensorInfo& tensor);

class Fusion;
class Element;

// A tensor of a fusion under construction: a handle, copied freely.
class Tensor {
 public:
  Tensor() = default;  // no tensor; only to be assigned to
  Tensor(Fusion* fusion, TensorId id) : fusion_(fusion), id_(id) {}
  bool is_any() const { return fusion_ != nullptr; }
  // Throw BadInput E508 where it is none.
  Fusion& fusion() const {
    if (!is_any()) refuse_none();
    return *fusion_;
  }
  TensorId id() const {
    if (!is_any()) refuse_none();
    return id_;
  }
  const std::string& name() const;
  DataType type() const;
  std::vector<Expr> shape() const;  // logical, outer to inner
  std::size_t rank() const;
  // An element, in index notation (ir/element.h): x(b, 1 - k, 0).
  template <class... Subscript>
  Element operator()(Subscript... subscripts) const;

 private:
  [[noreturn]] static void refuse_none();

  Fusion* fusion_ = nullptr;
  TensorId id_{};
};

// What a fusion computes, in index notation: inputs, computed tensors, outputs.
// Extents that one index equates must be equal: constants at once (E501), symbols at launch. Only a
// read that says what there is out of bounds equates nothing that is not known to be equal.
// Throws BadInput and stays as it was where a definition makes no sense: E402 extent past 2^62,
// E403 extent below 1, E501 extents that differ, E502 name taken, E503 wrong number of subscripts,
// E504 unknown index, E505 indices that are not distinct symbols or do not match the shape, E506
// literal that does not fit, E507 no permutation, E508 tensor of another fusion or none, E509 size
// that can have no value.
class Fusion {
 public:
  Fusion();
  ~Fusion();
  Fusion(const Fusion&);
  Fusion(Fusion&&) noexcept;
  Fusion& operator=(const Fusion&);
  Fusion& operator=(Fusion&&) noexcept;
  // Over expressions of a pool that others use, too.
  explicit Fusion(std::shared_ptr<ExprPool> pool);

  // Sizes known only at launch: at least 1 unless said otherwise.
  template <class... Name>
  auto extents(const Name&... names) {
    return std::array{extent(names)...};
  }
  Expr extent(const std::string& name, std::optional<std::int64_t> min = 1,
              std::optional<std::int64_t> max = {}, std::int64_t multiple_of = 1);
  Expr constant(std::int64_t v) { return pool().constant(v); }
  // A relation between sizes that may be taken for true, e.g. K <= N.
  void assume(Expr fact);

  // Its iterdomains are called `axes`; if none are given, name_0, name_1, ...
  Tensor input(const std::string& name, std::vector<Expr> shape, DataType type,
               std::vector<std::string> axes = {});
  // A computed tensor in index notation: element `indices` is `value`, written with elements of
  // tensors (ir/element.h), or as one of values(). An empty name: one is made up, and gives way to
  // whoever asks for it later.
  Tensor compute(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                 ValueId value, std::optional<DataType> type = {});
  Tensor compute(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                 const Element& value, std::optional<DataType> type = {});
  // The same, where `value` is over more indices, and all that it is over those is folded into one:
  //   f.compute_fold("s", {m}, {M}, {.how = Reduction::Sum, .indices = {n}, .shape = {N}}, t(m, n))
  // Elements are folded in compute_type(fold_type(how, type of the value)); the result has the type
  // result_type(how, type of the value), unless another is asked for.
  struct FoldRequest {
    Reduction how = Reduction::Sum;
    std::vector<Expr> indices, shape;
    std::int64_t correction = kUsualCorrection;  // of a variance
  };
  Tensor compute_fold(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                      FoldRequest fold, ValueId value, std::optional<DataType> type = {});
  Tensor compute_fold(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                      FoldRequest fold, const Element& value, std::optional<DataType> type = {});
  // A view: `value` is over indices of the root, which has `shape`; the logical domain is what
  // `view` makes of the iterdomains of the root, by transforms on the graph that it is given. What
  // it hands back as it was needs no transform. It is tried out first, on a graph of its own.
  using View =
      std::function<std::vector<DomainId>(DomainGraph& graph, const std::vector<DomainId>& root)>;
  Tensor compute_view(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                      const View& view, ValueId value, std::optional<DataType> type = {});
  // Names a tensor and makes it an output, stored in its own type or the one given; who reads the
  // tensor reads its values as ever. A copy becomes the output where the tensor is an input or an
  // output already.
  Tensor output(const std::string& name, Tensor t, std::optional<DataType> type = {});

  // From now on it is called so. E502 where that name is taken.
  void rename(TensorId t, const std::string& name);

  // An index symbol that is used nowhere else in this fusion: `name`, or name_1, name_2, ...
  Expr fresh_index(const std::string& name);

  ExprPool& pool() const { return *pool_; }
  const std::shared_ptr<ExprPool>& shared_pool() const { return pool_; }
  const std::shared_ptr<Facts>& facts() const { return facts_; }
  ValueGraph& values() { return values_; }
  const ValueGraph& values() const { return values_; }
  DomainGraph& domains() { return *domains_; }
  const DomainGraph& domains() const { return *domains_; }

  std::size_t size() const { return tensors_.size(); }
  const TensorInfo& operator[](TensorId t) const { return tensors_[index_of(t)]; }
  TensorInfo& edit(TensorId t) {  // all but its name
    ++changes_;
    return tensors_[index_of(t)];
  }
  std::optional<TensorId> find(const std::string& name) const;
  // A tensor as it is: only its name is checked.
  TensorId add(TensorInfo tensor);
  // A copy that nothing changes which is done to this one: what a Schedule is made over.
  std::shared_ptr<const Fusion> snapshot() const;
  // Is it a copy of the other, or both of one?
  bool is_version_of(const Fusion& other) const { return identity_ == other.identity_; }
  // How often it has been changed: a copy of which this is the same is as the other one is.
  std::uint64_t changes() const { return changes_; }
  // A copy to add tensors to whose iterdomains may be any of `domains`, which begin with its own.
  Fusion over(DomainGraph domains) const;
  std::vector<Expr> shape(TensorId t) const;

  // Sizes, in the order of declaration.
  const std::vector<Expr>& sizes() const { return sizes_; }
  // Sizes that may be 0 at launch. Everything is computed as if they were at least 1; where one is
  // 0, another fusion takes this one's place (ir/specialised.h).
  const std::vector<Expr>& possibly_empty() const { return possibly_empty_; }
  // Conditions on sizes to be checked at launch, which are facts for all that stands behind them;
  // and why each is there, in the same order: index notation has equated these extents, or what a
  // view asks of its sizes.
  const std::vector<Expr>& launch_checks() const { return launch_checks_; }
  const std::vector<std::string>& launch_reasons() const { return launch_reasons_; }
  void check_at_launch(Expr condition, std::string why);

 private:
  // One index of a definition on one axis of a tensor that is read. `may_leave`: the read says what
  // there is out of bounds, so the extents need not be equal.
  struct IndexUse {
    std::size_t index;
    TensorId tensor;
    std::size_t axis;
    bool may_leave;
  };
  Tensor define(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                const FoldRequest* fold, const View* view, ValueId value,
                std::optional<DataType> type);
  void claim(const std::string& name);
  Expr checked_extent(Expr extent, const std::string& what) const;
  std::vector<IndexUse> check_definition(const std::string& name, const std::vector<Expr>& indices,
                                         ValueId value) const;
  void drop_unequal(std::vector<IndexUse>& uses, const std::vector<Expr>& shape) const;
  void equate(const std::string& name, const std::vector<Expr>& indices,
              const std::vector<Expr>& shape, const std::vector<IndexUse>& uses);
  std::vector<DomainId> domains_of(const std::vector<Expr>& indices, const std::vector<Expr>& shape,
                                   const std::vector<IndexUse>& uses);
  void unify(DomainId a, DomainId b);
  void try_view(const View& view, const std::vector<Expr>& indices,
                const std::vector<Expr>& shape) const;
  bool may_take(const TensorInfo& tensor, DomainId gone, DomainId keep) const;
  bool is_of_inputs(DomainId d) const { return input_domains_.contains(d); }

  std::shared_ptr<const char> identity_ = std::make_shared<const char>();
  std::uint64_t changes_ = 0;
  std::shared_ptr<ExprPool> pool_;
  std::shared_ptr<Facts> facts_;
  std::shared_ptr<DomainGraph> domains_;
  ValueGraph values_;
  std::vector<TensorInfo> tensors_;
  std::vector<Expr> sizes_, possibly_empty_, launch_checks_;
  std::vector<std::string> launch_reasons_;
  std::unordered_map<std::string, TensorId> names_;
  std::unordered_map<std::string, int> index_names_;  // handed out, and the next number to try
  std::unordered_map<std::uint32_t, std::string> index_labels_;  // what was asked for, by symbol
  std::set<DomainId> input_domains_;  // iterdomains that no computed tensor has
  std::set<TensorId> auto_named_;
  int next_name_ = 0;
};

}  // namespace selvage
