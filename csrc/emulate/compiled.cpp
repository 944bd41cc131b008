#include <selvage/base/check.h>
#include <selvage/emulate/compiled.h>
#include <selvage/kernel/statements.h>

#include <algorithm>
#include <limits>

namespace selvage {

Indices::Indices(const std::vector<Expr>& expressions,
                 const std::unordered_map<std::uint32_t, std::uint32_t>& slots)
    : tape_(expressions, symbols_of(expressions)) {
  for (Expr symbol : symbols_of(expressions)) {
    SELVAGE_CHECK(slots.count(symbol.id()) > 0);  // a symbol that the kernel defines
    from_.push_back(slots.at(symbol.id()));
  }
  inputs_.resize(from_.size());
}

void Indices::limit(IndexType type) {
  using Narrow = std::numeric_limits<std::int32_t>;
  if (type == IndexType::Int32) tape_.limit(Narrow::min(), Narrow::max());
}

namespace {

class Compiler {
 public:
  explicit Compiler(const Kernel& kernel) : kernel_(kernel) {
    for (Expr size : kernel.sizes) slot(size);
  }

  CompiledKernel run() {
    out_.body = compile(kernel_.body);
    return std::move(out_);
  }

 private:
  std::uint32_t slot(Expr symbol) {
    const auto [it, fresh] = out_.slots.try_emplace(symbol.id(), out_.names.size());
    if (fresh) out_.names.emplace_back(symbol.name());
    return it->second;
  }
  Indices indices(const std::vector<Expr>& expressions) const {
    Indices compiled(expressions, out_.slots);
    compiled.limit(kernel_.index_type);
    return compiled;
  }

  static bool meets(const CompiledBody& body) {
    return std::any_of(body.begin(), body.end(), [](const auto& s) { return s.meets; });
  }
  CompiledBody compile(const Body& body) {
    CompiledBody compiled;
    for (const Statement& statement : body) {
      compiled.push_back(std::visit([&](const auto& s) { return compile(s); }, statement.node));
      compiled.back().statement = &statement;
      out_.has_own_pace = out_.has_own_pace || parts_of(statement).has_own_pace;
    }
    return compiled;
  }
  CompiledStatement compile(const Loop& loop) {
    using Kind = CompiledStatement::Kind;
    const bool bound = is_index(loop.parallel);
    SELVAGE_CHECK(loop.parallel != ParallelType::DIDx && loop.parallel != ParallelType::Bulk);
    const Expr begin = loop.begin.valid() ? loop.begin : loop.extent.pool().constant(0);
    CompiledStatement s{.kind = bound ? Kind::Bound : Kind::Run,
                        .parallel = loop.parallel,
                        .indices = indices({loop.extent, begin})};
    s.slot = slot(loop.variable);
    if (!bound) open_.push_back(s.slot);
    s.body = compile(loop.body);
    if (!bound) open_.pop_back();
    s.meets = meets(s.body);
    return s;
  }
  CompiledStatement compile(const Define& define) {
    CompiledStatement s{.kind = CompiledStatement::Kind::Define, .indices = {}};
    if (define.read) {
      compute(s, *define.read, {define.least, define.most});
    } else {
      s.indices = indices({define.value});
    }
    s.slot = slot(define.variable);
    return s;
  }
  CompiledStatement compile(const Guard& guard) {
    CompiledStatement s{.kind = CompiledStatement::Kind::Guard,
                        .indices = indices({guard.condition})};
    s.body = compile(guard.body);
    s.otherwise = compile(guard.otherwise);
    s.meets = meets(s.body) || meets(s.otherwise);
    return s;
  }
  CompiledStatement compile(const Transfer& transfer) {
    CompiledStatement s{.kind = CompiledStatement::Kind::Transfer,
                        .indices = indices({transfer.to_address, transfer.from_address})};
    s.slot = slot(transfer.lane);
    s.transfer = &transfer;
    s.valid = Indices(transfer.valid, out_.slots);
    return s;
  }
  CompiledStatement compile(const Barrier& barrier) {
    out_.has_partial_barriers = out_.has_partial_barriers || barrier.is_partial();
    CompiledStatement s{.kind = CompiledStatement::Kind::Barrier, .meets = true, .indices = {}};
    s.barrier = &barrier;
    return s;
  }
  CompiledStatement compile(const Leave& leave) {
    CompiledStatement s{.kind = CompiledStatement::Kind::Leave, .indices = {}};
    s.slot = slot(leave.loop);
    s.is_next = leave.is_next;
    SELVAGE_CHECK(std::find(open_.begin(), open_.end(), s.slot) != open_.end());
    out_.has_leaves = true;
    return s;
  }
  CompiledStatement compile(const Shuffle& shuffle) {
    CompiledStatement s{.kind = CompiledStatement::Kind::Shuffle,
                        .meets = true,
                        .indices = indices({shuffle.to_address, shuffle.from_address})};
    s.shuffle = &shuffle;
    return s;
  }
  CompiledStatement compile(const Store& store) {
    CompiledStatement s{.kind = CompiledStatement::Kind::Store, .indices = {}};
    s.store = &store;
    s.valid = Indices(store.valid, out_.slots);
    compute(s, store.value, {store.address});
    return s;
  }
  CompiledStatement compile(const AsyncCopy& copy) {
    CompiledStatement s = compile(copy.copy);
    s.kind = CompiledStatement::Kind::OwnPace;
    if (copy.object) {
      s.indices = indices({copy.copy.to_address, copy.copy.from_address, copy.object->address});
    }
    return s;
  }
  CompiledStatement compile(const Arrive& arrive) { return compile(arrive.object, arrive.bytes); }
  CompiledStatement compile(const Wait& wait) { return compile(wait.object, wait.phase); }
  CompiledStatement compile(const std::optional<BarrierObject>& object, Expr amount) {
    CompiledStatement s{.kind = CompiledStatement::Kind::OwnPace, .indices = {}};
    std::vector<Expr> expressions;
    if (object) expressions.push_back(object->address);
    if (amount.valid()) expressions.push_back(amount);
    s.indices = indices(expressions);
    return s;
  }
  CompiledStatement compile(const Region& region) {
    CompiledStatement s{.kind = CompiledStatement::Kind::OwnPace, .indices = {}};
    s.body = compile(region.body);
    return s;
  }
  CompiledStatement compile(const While& loop) {
    CompiledStatement s{.kind = CompiledStatement::Kind::OwnPace, .indices = {}};
    s.slot = slot(loop.variable);
    compute(s, loop.condition, {});
    open_.push_back(s.slot);
    s.body = compile(loop.body);
    open_.pop_back();
    return s;
  }
  // The operations of a value, whose indices stand behind `expressions`.
  void compute(CompiledStatement& s, ValueId value, std::vector<Expr> expressions) {
    std::unordered_map<std::uint32_t, std::uint32_t> position;
    for (ValueId v : values_under(kernel_.values, value)) {
      const ValueNode& node = kernel_.values[v];
      Operation op{.kind = node.kind, .type = node.type};
      if (node.kind == ValueNode::Kind::Constant) op.value = value_of(node);
      op.function = node.function;
      op.source = node.source;
      op.index = std::uint32_t(expressions.size());
      for (Expr e : index_expressions(node)) expressions.push_back(e);
      SELVAGE_CHECK(node.operands.size() <= op.operands.size());
      for (std::size_t i = 0; i < node.operands.size(); ++i) {
        op.operands[i] = position.at(std::uint32_t(node.operands[i]));
      }
      position[std::uint32_t(v)] = std::uint32_t(s.operations.size());
      s.operations.push_back(op);
    }
    s.indices = indices(expressions);
  }

  const Kernel& kernel_;
  CompiledKernel out_;
  std::vector<std::uint32_t> open_;  // variables of the serial loops around
};

}  // namespace

CompiledKernel compile_kernel(const Kernel& kernel) { return Compiler(kernel).run(); }

}  // namespace selvage
