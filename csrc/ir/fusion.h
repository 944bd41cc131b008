#pragma once

#include <selvage/base/data_type.h>
#include <selvage/ir/domain_graph.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/value.h>
#include <selvage/ir/value_check.h>

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

// How a tensor folds many elements into each of its own: s[m] = sum over n of t[m, n].
struct Fold {
  Reduction how = Reduction::Sum;
  DataType type = DataType::Float;     // a compute type, in which elements are folded
  DataType element = type;             // the storage type behind it: fold_type()
  std::vector<DomainId> domains = {};  // folded over, outer to inner
  std::vector<Expr> indices = {};      // their symbols in the definition
  std::int64_t correction = 0;  // a variance, a mean divides by the number of items less this
  // Set by rfactor. A partial tensor (`is_partial`) stores for each element the state of its fold
  // (ir/fold.h). A tensor with `merges` folds such states: its definition is a Read of the partial
  // tensor.
  bool is_partial = false;
  bool merges = false;
  // Set by rfactor, else empty. For a partial tensor, or for the scan of the items of a part: the
  // domains folded over before rfactor or scan_in_parts split the fold. Its root has them, each
  // must be in bounds, and positions are counted over them. For the tensor that gives the final
  // result: the domains that all partial tensors fold over together, over which items are counted.
  std::vector<DomainId> original = {};
  // Of a scan, else empty: the axis, by its number in the logical domain, that it runs along. Each
  // element of a scan is the fold of the values up to it along that axis,
  //   y[m, n] = fold over k <= n of t[m, k]
  // so `domains` is empty, and the definition is the value that an element adds to those before it.
  std::optional<std::size_t> scanned = {};
};

// The domains over which the items of a fold are counted; positions are row-major in them.
const std::vector<DomainId>& counted_domain(const Fold& fold);

// What the elements of an input are that are indices: at least 0 and less than `below`.
struct IndexPromise {
  Expr below;
  bool may_be_none = false;  // -1 stands for no index
  bool rise = false;         // none is less than the one before it, of items of rows in its row
};

// One tensor of a fusion. Its domains are cuts of the fusion's iterdomain graph. Axes that share an
// index become one iterdomain (a dimension class), unless a tensor would then have an iterdomain
// twice: y[m, n] = a[m, n] + a[n, m] shares the axes of the first read; only the subscripts
// describe the second. Nor does a tensor get an axis that transforms derive from its other axes:
// y[m, n, k] = a[m, n] + flatten(a)[k] has a k of its own. The subscripts alone decide which
// element is read.
struct TensorInfo {
  std::string name;
  // The type of the values. Readers of a computed tensor get its values in compute_type(type),
  // whether it is inlined, kept in memory or also an output: storing an output rounds only what is
  // stored.
  DataType type = DataType::Float;
  bool is_input = false;
  bool is_output = false;
  std::optional<DataType> stored_as = {};  // an output's type in memory, if another
  // An output that takes the place of an input: both are one array, whose elements are read before
  // they are stored (Fusion::output_in_place).
  std::optional<TensorId> in_place_of = {};
  std::vector<DomainId> root = {};  // before a view; empty: the logical domain
  // The loops before any transform are those of the root: a row and its items, where memory and
  // the logical domain have positions (ir/ragged.h).
  bool is_iterated_by_root = false;
  std::optional<RowsId> items_of = {};    // the first axis has the items of these rows
  std::vector<DomainId> logical = {};     // outer to inner
  std::vector<DomainId> allocation = {};  // how it lies in memory; empty: the logical domain
  std::vector<Expr> strides = {};  // in elements, one per allocation iterdomain; empty: dense
  Memory memory = Memory::Global;
  std::int64_t align = 16;  // bytes to which the base address is aligned
  // For a computed tensor: the value of its element at `indices`, which has one symbol per
  // iterdomain of definition_domain(). Its compute type is that of `type`. For a tensor that folds:
  // the value that is folded, over `indices` and fold->indices, in the type of the fold.
  std::vector<Expr> indices = {};
  std::optional<ValueId> definition = {};
  std::optional<Fold> fold = {};
  // The last axis has the real and the imaginary part of complex numbers (ir/complex.h).
  bool is_complex = false;
  // Of an input: its elements are indices. A promise of the data, which no proof rests on.
  std::optional<IndexPromise> indexes = {};
  // Of an input: none of its elements is NaN. A promise as well.
  bool has_no_nan = false;
  bool duplicates_allowed = false;        // every item may be stored more than once
  std::optional<std::int64_t> fill = {};  // what its holes in memory must hold
};

// The type of an element in memory: said_type() of inputs and outputs, else the compute type.
DataType stored_type(const TensorInfo& tensor);
// The type that the user gave the elements; for an output, the type that it is stored as.
DataType said_type(const TensorInfo& tensor);

// The domain of the definition's indices: the root if there is one, else the logical domain.
const std::vector<DomainId>& definition_domain(const TensorInfo& tensor);
// The loops before any transform: the logical domain, or the root if the tensor is iterated by it;
// then the domains that are folded over.
std::vector<DomainId> nest_domain(const TensorInfo& tensor);
// Whether the points that have no item of the root are holes: in what rfactor and scan_in_parts
// make of a part of a fold or a scan. (In a view they are items, at which the definition has a
// value.)
bool has_part_of_root(const TensorInfo& tensor);
// The iterdomains whose indices the loops must determine and keep in bounds: nest_domain(), and
// `original` where the tensor has a part of its root.
std::vector<DomainId> visited_domain(const TensorInfo& tensor);
// The iterdomains whose items the loops must all visit: nest_domain(), or the root where the tensor
// has a part of it, because its logical and its folded domains are not independent.
std::vector<DomainId> covered_domain(const TensorInfo& tensor);

bool is_scan(const TensorInfo& tensor);
// The iterdomains whose loops a tensor must run through to fold: those that it folds over, or the
// axis that it scans along.
std::vector<DomainId> folded_domain(const TensorInfo& tensor);

class Fusion;
class Element;

// A tensor of a fusion under construction: a handle, copied freely.
class Tensor {
 public:
  Tensor() = default;  // no tensor; only to be assigned to
  Tensor(Fusion* fusion, TensorId id) : fusion_(fusion), id_(id) {}
  bool is_any() const { return fusion_ != nullptr; }
  // fusion() and id() throw BadInput E508 if this is no tensor.
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
  template <class... At>
  Element operator()(At... subscripts) const;

 private:
  [[noreturn]] static void refuse_none();

  Fusion* fusion_ = nullptr;
  TensorId id_{};
};

// A program in index notation: inputs, computed tensors, outputs.
// Axes that share an index must have equal extents. Extents known to differ are refused at once
// (E501), others are checked at launch. A read that gives a value for out of bounds (read_or)
// shares an index only where the extents are known to be equal.
// A definition that makes no sense throws BadInput and leaves the fusion as it was: E402 extent
// past 2^62, E403 extent below 1, E501 extents that differ, E502 name taken, E503 wrong number of
// subscripts, E504 unknown index, E505 indices that are not distinct symbols or do not match the
// shape, E506 literal that does not fit, E507 no permutation, E508 tensor of another fusion or
// none, E509 size that can have no value.
class Fusion {
 public:
  Fusion();
  ~Fusion();
  Fusion(const Fusion&);
  Fusion(Fusion&&) noexcept;
  Fusion& operator=(const Fusion&);
  Fusion& operator=(Fusion&&) noexcept;
  // Shares a pool of expressions with others.
  explicit Fusion(std::shared_ptr<ExprPool> pool);

  // Declares sizes that are known only at launch, each at least 1 unless `min` says otherwise.
  template <class... Name>
  auto extents(const Name&... names) {
    return std::array{extent(names)...};
  }
  Expr extent(const std::string& name, std::optional<std::int64_t> min = 1,
              std::optional<std::int64_t> max = {}, std::int64_t multiple_of = 1);
  Expr constant(std::int64_t v) { return pool().constant(v); }
  // Adds rows that the elements of `offsets` tell; use add_rows() of ir/ragged.h.
  RowsId add_rows(TensorId offsets, Expr count, Expr items);
  // Adds a relation between sizes that proofs take for true, e.g. K <= N.
  void assume(Expr fact);

  // `axes` names the iterdomains; axis k without a name is called name_k.
  Tensor input(const std::string& name, std::vector<Expr> shape, DataType type,
               std::vector<std::string> axes = {});
  // Adds a computed tensor whose element at `indices` is `value`: elements of tensors
  // (ir/element.h) or a node of values(). An empty name stands for a made-up one, which the tensor
  // gives up if something else asks for it later.
  Tensor compute(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                 ValueId value, std::optional<DataType> type = {});
  Tensor compute(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                 const Element& value, std::optional<DataType> type = {});
  // The same, where `value` also has the indices fold.indices, and its values over these are folded
  // into one element:
  // Elements are folded in compute_type(fold_type(how, type of the value)); the result has the type
  // result_type(how, type of the value), unless another is asked for.
  struct FoldRequest {
    Reduction how = Reduction::Sum;
    std::vector<Expr> indices, shape;
    std::int64_t correction = kUsualCorrection;  // of a variance
    // Of a scan: the one of the result's indices along which it runs; `indices` are empty. A scan
    // is a sum, a product, a max, a min, an fmax or an fmin (is_scannable, ir/identity.h; E511).
    Expr scanned = {};
  };
  Tensor compute_fold(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                      FoldRequest fold, ValueId value, std::optional<DataType> type = {});
  Tensor compute_fold(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                      FoldRequest fold, const Element& value, std::optional<DataType> type = {});
  // Adds a view. `value` is over `indices` of the root, which has `shape`. `view` takes the graph
  // and the root's iterdomains, applies transforms and returns the logical domain; iterdomains of
  // the root may be returned unchanged. `view` first runs on a graph of its own, so that what it
  // refuses leaves the fusion as it was. `fold`: as compute_fold has it; the root then is that of
  // the result.
  using View =
      std::function<std::vector<DomainId>(DomainGraph& graph, const std::vector<DomainId>& root)>;
  Tensor compute_view(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                      const View& view, ValueId value, std::optional<DataType> type = {},
                      const FoldRequest* fold = nullptr);
  // Names a tensor and makes it an output, stored in its own type or in `type`; readers of the
  // tensor get its values unrounded. If the tensor is an input or already an output, a copy of it
  // becomes the output.
  Tensor output(const std::string& name, Tensor t, std::optional<DataType> type = {});

  // The same, where the output takes the place of an input of the same shape: both are one array,
  // laid out as the input is, and the output is stored in the input's type. The result is as if all
  // inputs were read before anything is stored; lower() refuses a schedule under which a kernel
  // might read an element of the input behind its store (E447).
  //   f.output_in_place("new_mean", 0.9 * mean + 0.1 * sum(x, {0}) / n, mean);
  // Throws BadInput E508 as output() does, E501 where the shapes are known to differ, and E517: no
  // input, one that another output replaces, or an output that has a layout of its own.
  Tensor output_in_place(const std::string& name, Tensor t, Tensor input);
  // The output that takes the place of an input; nothing if there is none.
  std::optional<TensorId> replacement(TensorId input) const;

  // Gives tensor `t` another name. Throws BadInput E502 if the name is taken.
  void rename(TensorId t, const std::string& name);

  // An index symbol that is used nowhere else in this fusion: `name`, or name_1, name_2, ...
  Expr fresh_index(const std::string& name);

  // How kernels compute the functions of this fusion, those to come included (ir/fast_math.h).
  // Exact is the default; fast() makes single ones fast.
  void set_math(Math math) {
    ++changes_;
    values_.set_math(math);
  }
  Math math() const { return values_.math(); }

  // Whether what is defined from now on is checked where it is computed (ir/value_check.h).
  void set_checked(bool is_checked) { is_checked_ = is_checked; }
  bool is_checked() const { return is_checked_; }
  // `value`, with a check that fails where the condition is false, and then shows the number
  // `shown`; as it is, if the fusion is not checked. The definition that it becomes part of says
  // the rest: the indices, their extents and, if the check does not, what is computed.
  ValueId check(ValueCheck check, ValueId condition, ValueId value,
                std::optional<ValueId> shown = {});
  const std::vector<ValueCheck>& checks() const { return checks_; }

  ExprPool& pool() const { return *pool_; }
  const std::shared_ptr<ExprPool>& shared_pool() const { return pool_; }
  const std::shared_ptr<Facts>& facts() const { return facts_; }
  ValueGraph& values() { return values_; }
  const ValueGraph& values() const { return values_; }
  DomainGraph& domains() { return *domains_; }
  const DomainGraph& domains() const { return *domains_; }

  std::size_t size() const { return tensors_.size(); }
  const TensorInfo& operator[](TensorId t) const { return tensors_[index_of(t)]; }
  TensorInfo& edit(TensorId t) {  // for all but the name
    ++changes_;
    return tensors_[index_of(t)];
  }
  std::optional<TensorId> find(const std::string& name) const;
  // Adds a tensor unchanged; only its name is checked.
  TensorId add(TensorInfo tensor);
  // A copy that later changes of this fusion do not reach: the basis of a Schedule.
  std::shared_ptr<const Fusion> snapshot() const;
  // The same, for the sizes alone for which the condition holds: as check_at_launch().
  std::shared_ptr<const Fusion> where(Expr condition, std::string why) const;
  // Whether one is a copy of the other, or both are copies of a third.
  bool is_version_of(const Fusion& other) const { return identity_ == other.identity_; }
  // The number of changes made so far: equal to a snapshot's if nothing has changed since.
  std::uint64_t changes() const { return changes_; }
  // A copy over the graph `domains`, which begins with this fusion's iterdomains: tensors with any
  // of its iterdomains may be added.
  Fusion over(DomainGraph domains) const;
  std::vector<Expr> shape(TensorId t) const;

  // Sizes, in the order of declaration.
  const std::vector<Expr>& sizes() const { return sizes_; }
  // Sizes that may be 0 at launch. Everything is derived as if they were at least 1; if one is 0,
  // another fusion takes this one's place (lower/specialised.h).
  const std::vector<Expr>& possibly_empty() const { return possibly_empty_; }
  // Conditions on sizes that are checked at launch and are facts for everything derived after them.
  // launch_reasons() says why, in the same order: index notation equates the extents, or a view
  // needs it.
  const std::vector<Expr>& launch_checks() const { return launch_checks_; }
  const std::vector<std::string>& launch_reasons() const { return launch_reasons_; }
  void check_at_launch(Expr condition, std::string why);

 private:
  // An index of a definition that is a subscript by itself, on one axis of a tensor that is read.
  // `may_leave`: the read has a value for out of bounds, so the extents need not be equal.
  struct IndexUse {
    std::size_t index;
    TensorId tensor;
    std::size_t axis;
    bool may_leave;
  };
  Tensor define(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                const FoldRequest* fold, const View* view, ValueId value,
                std::optional<DataType> type);
  std::shared_ptr<Fusion> copy() const;
  void claim(const std::string& name);
  Expr checked_extent(Expr extent, const std::string& what) const;
  std::vector<IndexUse> check_definition(const std::string& name, const std::vector<Expr>& indices,
                                         ValueId value) const;
  std::string label_of(Expr index) const;  // the name that it was asked for by
  void complete_checks(const std::string& name, const std::vector<Expr>& indices,
                       const std::vector<Expr>& shape, ValueId value);
  void drop_unequal(std::vector<IndexUse>& uses, const std::vector<Expr>& shape) const;
  void equate(const std::string& name, const std::vector<Expr>& indices,
              const std::vector<Expr>& shape, const std::vector<IndexUse>& uses);
  std::vector<DomainId> domains_of(const std::vector<Expr>& indices, const std::vector<Expr>& shape,
                                   const std::vector<IndexUse>& uses, ValueId value);
  void unify(DomainId a, DomainId b);
  void follow_row(DomainId gone, DomainId keep);
  DomainId domain_for(const std::vector<Expr>& indices, std::size_t index, Expr extent,
                      const std::vector<DomainId>& before, ValueId value);
  void try_view(const View& view, std::span<const Expr> indices, std::span<const Expr> shape) const;
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
  bool is_checked_ = false;
  std::vector<ValueCheck> checks_;
  std::unordered_map<std::string, TensorId> names_;
  std::unordered_map<std::string, int> index_names_;  // handed out, and the last number tried
  std::unordered_map<std::uint32_t, std::string> index_labels_;  // the name asked for, by symbol
  std::set<DomainId> input_domains_;  // iterdomains that no computed tensor has
  std::set<TensorId> auto_named_;
  int next_name_ = 0;
};

}  // namespace selvage
