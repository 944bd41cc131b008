#pragma once

#include <selvage/base/data_type.h>
#include <selvage/ir/domain_graph.h>
#include <selvage/ir/value.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

enum class TensorId : std::uint32_t {};
inline std::size_t index_of(TensorId t) { return std::size_t(t); }

enum class Memory : std::uint8_t { Global, Shared, Local };

// What a fusion says of one tensor. Domains are cuts of the fusion's iterdomain graph.
struct TensorInfo {
  std::string name;
  DataType type = DataType::Float;
  bool is_input = false;
  bool is_output = false;
  std::vector<DomainId> root;        // before a view; empty: the logical domain
  std::vector<DomainId> logical;     // outer to inner
  std::vector<DomainId> allocation;  // how it lies in memory; empty: the logical domain
  std::vector<Expr> strides;         // in elements, one per allocation iterdomain; empty: dense
  Memory memory = Memory::Global;
  std::int64_t align = 16;  // bytes to which the base address is aligned
  // Of a computed tensor: its element at `indices`, one index symbol per logical iterdomain.
  std::vector<Expr> indices;
  std::optional<ValueId> definition;
  bool duplicates_allowed = false;  // every item may be stored more than once
};

class Fusion;

// A tensor of a fusion under construction: a handle, copied freely.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Fusion* fusion, TensorId id) : fusion_(fusion), id_(id) {}
  Fusion& fusion() const { return *fusion_; }
  TensorId id() const { return id_; }

 private:
  Fusion* fusion_ = nullptr;
  TensorId id_{};
};

// What a fusion computes, in index notation: inputs, computed tensors, outputs.
// Extents that one index equates must be equal: constants at once (E501), symbols at launch.
// Throws BadInput (E5xx) and stays as it was where a definition makes no sense.
class Fusion {
 public:
  Fusion();

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

  Tensor input(const std::string& name, std::vector<Expr> shape, DataType type);
  // A computed tensor in index notation: element `indices` is `value`, over values of values().
  Tensor compute(const std::string& name, std::vector<Expr> indices, std::vector<Expr> shape,
                 ValueId value, std::optional<DataType> type = {});
  // Names a tensor, makes it an output and gives it the type it is stored in.
  Tensor output(const std::string& name, Tensor t, std::optional<DataType> type = {});

  // An index symbol that is used nowhere else in this fusion.
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
  TensorInfo& edit(TensorId t) { return tensors_[index_of(t)]; }
  std::optional<TensorId> find(const std::string& name) const;
  TensorId add(TensorInfo tensor);
  std::vector<Expr> shape(TensorId t) const;

  // Sizes, in the order of declaration.
  const std::vector<Expr>& sizes() const { return sizes_; }
  // Sizes that may be 0 at launch; everything else is computed as if they were at least 1.
  const std::vector<Expr>& possibly_empty() const { return possibly_empty_; }
  // Conditions on sizes to be checked at launch: index notation has equated these extents.
  const std::vector<Expr>& launch_checks() const { return launch_checks_; }
  void check_at_launch(Expr condition) { launch_checks_.push_back(condition); }

 private:
  std::shared_ptr<ExprPool> pool_;
  std::shared_ptr<Facts> facts_;
  std::shared_ptr<DomainGraph> domains_;
  ValueGraph values_;
  std::vector<TensorInfo> tensors_;
  std::vector<Expr> sizes_, possibly_empty_, launch_checks_;
  int fresh_ = 0;
};

// Pointwise operations with NumPy's broadcasting; each makes a computed tensor.
Tensor apply(Function f, std::vector<Tensor> operands);
Tensor operator+(Tensor a, Tensor b);
Tensor operator-(Tensor a, Tensor b);
Tensor operator*(Tensor a, Tensor b);
Tensor operator/(Tensor a, Tensor b);
Tensor operator+(Tensor a, double b);
Tensor operator-(Tensor a, double b);
Tensor operator*(Tensor a, double b);
Tensor operator/(Tensor a, double b);
Tensor operator-(Tensor a);
Tensor operator<(Tensor a, Tensor b);
Tensor operator<=(Tensor a, Tensor b);
Tensor exp(Tensor a);
Tensor log(Tensor a);
Tensor tanh(Tensor a);
Tensor sqrt(Tensor a);
Tensor rsqrt(Tensor a);
Tensor relu(Tensor a);
Tensor sigmoid(Tensor a);
Tensor silu(Tensor a);
Tensor gelu(Tensor a);
Tensor select(Tensor condition, Tensor a, Tensor b);
Tensor cast(Tensor a, DataType type);
// The axes in another order: result axis k is operand axis order[k].
Tensor transpose(Tensor a, std::vector<int> order);

}  // namespace selvage
