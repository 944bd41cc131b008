#include <selvage/codegen/shared_quotients.h>
#include <selvage/expr/symbols.h>
#include <selvage/ir/reads.h>
#include <selvage/kernel/statements.h>
#include <selvage/kernel/value_nodes.h>

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

// A division takes about ten instructions. With a reciprocal it takes four, and the reciprocal and
// the tests take fifteen.
constexpr std::int64_t kFewestQuotients = 3;
constexpr std::int64_t kMostQuotients = 64;

bool is_power_of_two(double v) {
  int exponent = 0;
  return std::abs(std::frexp(v, &exponent)) == 0.5;
}

// How often a thread runs the body, where numbers tell.
std::optional<std::int64_t> extent_of(const Loop& loop) {
  if (is_index(loop.parallel)) return 1;
  const bool is_known =
      loop.extent.is(Op::Const) && (!loop.begin.valid() || loop.begin.is(Op::Const));
  if (!is_known) return std::nullopt;
  return loop.extent.value() - (loop.begin.valid() ? loop.begin.value() : 0);
}

// How often the innermost body of a nest runs, 0 where numbers do not tell.
std::int64_t iterations(const Loop& loop) {
  std::int64_t most = 1;
  for_each_statement(loop.body, [&](const Statement& s) {
    if (const auto* inner = std::get_if<Loop>(&s.node)) most = std::max(most, iterations(*inner));
  });
  return extent_of(loop).value_or(0) * most;
}

class Finder {
 public:
  Finder(const Kernel& kernel, const Loop& loop) : values_(kernel.values), kernel_(kernel) {
    changing_.push_back(loop.variable);
  }

  SharedQuotients run(const Body& body) {
    if (!note(body)) return {};
    std::vector<BufferId> fresh;
    if (!may_run_twice(body, fresh)) return {};
    visit(body, false);
    return std::move(found_);
  }

 private:
  // Notes what the loop stores and defines. Returns whether it does nothing else.
  bool note(const Body& body) {
    return std::ranges::all_of(body, [&](const Statement& s) {
      const auto* guard = std::get_if<Guard>(&s.node);
      const auto* define = std::get_if<Define>(&s.node);
      const auto* loop = std::get_if<Loop>(&s.node);
      const auto* store = std::get_if<Store>(&s.node);
      const auto* transfer = std::get_if<Transfer>(&s.node);
      if (guard != nullptr) return note(guard->body) && note(guard->otherwise);
      if (loop != nullptr) {
        changing_.push_back(loop->variable);
        return extent_of(*loop) && note(loop->body);
      }
      if (define != nullptr) {
        changing_.push_back(define->variable);
        return !define->read;
      }
      if (store != nullptr) stored_.push_back(store->buffer);
      if (transfer != nullptr) stored_.push_back(transfer->to);
      return transfer != nullptr || (store != nullptr && !store->atomic);
    });
  }
  bool is_stored(BufferId b) const { return std::ranges::count(stored_, b) > 0; }

  // Whether what the loop reads is stored before the loop alone, or always just before: the lanes
  // of a vector. `fresh`: the buffers all of which has been stored since the body began.
  bool may_run_twice(const Body& body, std::vector<BufferId>& fresh) const {
    for (const Statement& s : body) {
      bool reads_old = false;
      for_each_access(s, values_, [&](const StatementAccess& a) {
        const bool is_old = is_stored(a.buffer) && std::ranges::count(fresh, a.buffer) == 0;
        reads_old = reads_old || (a.kind == AccessKind::Read && is_old);
      });
      if (reads_old) return false;
      for (const Body* inner : bodies(s)) {
        std::vector<BufferId> within = fresh;
        if (!may_run_twice(*inner, within)) return false;
      }
      if (const auto whole = wholly_stored(s)) fresh.push_back(*whole);
    }
    return true;
  }
  // The buffer of which the statement stores every element.
  std::optional<BufferId> wholly_stored(const Statement& s) const {
    if (const auto* transfer = std::get_if<Transfer>(&s.node)) {
      const bool is_whole = kernel_.buffers[transfer->to].elements.is_const(transfer->width);
      return is_whole ? std::optional(transfer->to) : std::nullopt;
    }
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || loop->begin.valid() || loop->body.size() != 1) return std::nullopt;
    const auto* store = std::get_if<Store>(&loop->body[0].node);
    const bool is_whole = store != nullptr && same(store->address, loop->variable) &&
                          same(kernel_.buffers[store->buffer].elements, loop->extent);
    return is_whole ? std::optional(store->buffer) : std::nullopt;
  }

  void visit(const Body& body, bool is_guarded) {
    for (const Statement& s : body) {
      if (const auto* store = std::get_if<Store>(&s.node)) visit(store->value, is_guarded);
      const bool is_guard = std::holds_alternative<Guard>(s.node);
      for (const Body* inner : bodies(s)) visit(*inner, is_guarded || is_guard);
    }
  }
  // Visits what is computed whenever the root is. A branch of a select may be left out.
  void visit(ValueId v, bool is_guarded) {
    const ValueNode& node = values_[v];
    if (node.kind == ValueNode::Kind::Read) return;
    if (is_shared(node, is_guarded)) {
      if (std::ranges::count(found_.divisions, v) > 0) return;
      found_.divisions.push_back(v);
      if (std::ranges::count(found_.divisors, node.operands[1]) == 0)
        found_.divisors.push_back(node.operands[1]);
    }
    const bool selects = node.kind == ValueNode::Kind::Apply && node.function == Function::Select;
    const std::size_t computed = selects ? 1 : node.operands.size();
    for (std::size_t k = 0; k < computed; ++k) visit(node.operands[k], is_guarded);
  }

  bool is_shared(const ValueNode& node, bool is_guarded) const {
    if (node.kind != ValueNode::Kind::Apply || node.function != Function::TrueDiv) return false;
    if (node.math == Math::Fast) return false;  // the compiler shares its reciprocal
    const ValueId dividend = node.operands[0], divisor = node.operands[1];
    if (compute_type(values_[divisor].type) != DataType::Float) return false;
    // A compiler divides by a power of two as it multiplies.
    const ValueNode& by = values_[divisor];
    if (by.kind == ValueNode::Kind::Constant && is_power_of_two(by.real)) return false;
    return changes(dividend) && !changes(divisor) && (!is_guarded || is_readable(divisor));
  }
  bool changes(ValueId v) const {
    return std::ranges::any_of(values_under(values_, v), [&](ValueId u) {
      const ValueNode& node = values_[u];
      if (node.kind == ValueNode::Kind::Read && is_stored(node.source)) return true;
      return std::ranges::any_of(index_expressions(node),
                                 [&](Expr e) { return mentions(e, changing_); });
    });
  }
  // Whether the value may be computed where a guard around it does not hold.
  bool is_readable(ValueId v) const {
    return std::ranges::all_of(values_under(values_, v), [&](ValueId u) {
      const ValueNode& node = values_[u];
      if (node.kind != ValueNode::Kind::Read) return true;
      const Buffer& buffer = kernel_.buffers[node.source];
      return buffer.memory == Memory::Local && buffer.elements.is_const(1);
    });
  }

  const ValueGraph& values_;
  const Kernel& kernel_;
  std::vector<Expr> changing_;  // what each iteration has its own values of
  std::vector<BufferId> stored_;
  SharedQuotients found_;
};

}  // namespace

SharedQuotients shared_quotients(const Kernel& kernel, const Loop& loop) {
  const std::int64_t n = iterations(loop);
  if (n < kFewestQuotients || n > kMostQuotients) return {};
  return Finder(kernel, loop).run(loop.body);
}

}  // namespace selvage
