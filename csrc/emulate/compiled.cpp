#include <selvage/base/check.h>
#include <selvage/emulate/compiled.h>
#include <selvage/kernel/statements.h>

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
  Compiler(const Kernel& kernel, const StatementTree& tree) : kernel_(kernel), tree_(tree) {
    for (Expr size : kernel.sizes) slot(size);
  }

  CompiledKernel run() {
    out_.has_own_pace = has_own_pace(kernel_);
    for (PlaceId id = 0; id < tree_.size(); ++id) {
      const Statement& statement = *tree_[id].statement;
      const StatementParts parts = parts_of(statement);
      out_.meets = out_.meets || parts.together != nullptr;
      if (const auto* leave = std::get_if<Leave>(&statement.node)) check_is_inside(id, *leave);
      compile(out_.statements.emplace_back(), statement, parts);
    }
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
  void check_is_inside(PlaceId id, const Leave& leave) const {
    const auto is_left = [&](PlaceId p) { return same(tree_[p].variable, leave.loop); };
    while (id != kTop && !is_left(id)) id = tree_[id].parent;
    SELVAGE_CHECK(id != kTop);
  }

  void compile(CompiledStatement& s, const Statement& statement, const StatementParts& parts) {
    std::vector<Expr> expressions(parts.expressions.begin(), parts.expressions.end());
    if (const auto* loop = std::get_if<Loop>(&statement.node)) {
      SELVAGE_CHECK(loop->parallel != ParallelType::DIDx);
      s.parallel = loop->parallel;
      if (!loop->begin.valid()) {
        expressions.insert(expressions.begin(), loop->extent.pool().constant(0));
      }
    }
    if (const auto* barrier = std::get_if<Barrier>(&statement.node)) {
      out_.has_partial_barriers = out_.has_partial_barriers || barrier->is_partial();
    }
    s.store = std::get_if<Store>(&statement.node);
    s.shuffle = std::get_if<Shuffle>(&statement.node);
    s.transfer = std::get_if<Transfer>(&statement.node);
    if (const auto* copy = std::get_if<AsyncCopy>(&statement.node)) s.transfer = &copy->copy;
    if (parts.variable.valid()) s.slot = slot(parts.variable);
    if (parts.lane.valid()) s.slot = slot(parts.lane);
    if (parts.valid != nullptr) s.valid = Indices(*parts.valid, out_.slots);
    if (parts.value) {
      compute(s, *parts.value, std::move(expressions));
    } else {
      s.indices = indices(expressions);
    }
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
      if (node.kind == ValueNode::Kind::Search) op.added = node.integer;
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
  const StatementTree& tree_;
  CompiledKernel out_;
};

}  // namespace

CompiledKernel compile_kernel(const Kernel& kernel, const StatementTree& tree) {
  return Compiler(kernel, tree).run();
}

}  // namespace selvage
