#include <selvage/base/integer.h>
#include <selvage/codegen/local_arrays.h>
#include <selvage/expr/tape.h>
#include <selvage/kernel/statements.h>

#include <algorithm>

namespace selvage {

namespace {

class Arrays {
 public:
  Arrays(const Kernel& kernel, const ComputedExpressions& computed)
      : kernel_(kernel), computed_(computed), choosers_(kernel.buffers.size()) {
    out_.unrolled.assign(kernel.buffers.size(), 0);
    out_.is_in_registers.assign(kernel.buffers.size(), false);
  }

  LocalArrays run() {
    for_each_statement(kernel_.body, [&](const Statement& s) {
      for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
        if (is_array(a.buffer)) add(a.address, choosers_[a.buffer]);
      });
    });
    for (BufferId b = 0; b < choosers_.size(); ++b) follow(choosers_[b]);
    count(kernel_.body);
    for (BufferId b = 0; b < choosers_.size(); ++b) {
      if (!is_array(b)) continue;
      const Buffer& buffer = kernel_.buffers[b];
      const std::int64_t bytes = buffer.elements.value() * std::max(size_of(buffer.type), 4);
      out_.is_in_registers[b] = bytes <= kMostRegisterBytes && out_.unrolled[b] <= kMostUnrolled;
      if (out_.is_in_registers[b]) out_.choosers.insert(choosers_[b].begin(), choosers_[b].end());
    }
    return std::move(out_);
  }

 private:
  using Variables = std::unordered_set<std::uint32_t>;

  bool is_array(BufferId b) const {
    const Buffer& buffer = kernel_.buffers[b];
    return buffer.memory == Memory::Local && !buffer.elements.is_const(1);
  }
  static void add(Expr e, Variables& variables) {
    for (Expr symbol : symbols_of(e)) variables.insert(symbol.id());
  }
  // A definition stands before its uses; going backwards finds what chosen variables depend on.
  void follow(Variables& variables) const {
    const auto& definitions = computed_.definitions;
    for (auto d = definitions.rbegin(); d != definitions.rend(); ++d) {
      if (variables.contains(d->first.id())) add(d->second, variables);
    }
  }

  void count(const Body& body) {
    for (const Statement& s : body) {
      for_each_access(s, kernel_.values, [&](const StatementAccess& a) {
        if (!is_array(a.buffer)) return;
        std::int64_t times = 1;
        for (const Loop* loop : open_) {
          if (!choosers_[a.buffer].contains(loop->variable.id())) continue;
          times = checked_mul(times, loop->extent.value()).value_or(INT64_MAX);
        }
        out_.unrolled[a.buffer] = std::max(out_.unrolled[a.buffer], times);
      });
      const auto* loop = std::get_if<Loop>(&s.node);
      const bool is_counted = loop != nullptr && !is_index(loop->parallel) &&
                              loop->parallel != ParallelType::Unroll && loop->extent.is(Op::Const);
      if (is_counted) open_.push_back(loop);
      for (const Body* inner : bodies(s)) count(*inner);
      if (is_counted) open_.pop_back();
    }
  }

  const Kernel& kernel_;
  const ComputedExpressions& computed_;
  std::vector<Variables> choosers_;  // by buffer
  std::vector<const Loop*> open_;    // that the user has not unrolled
  LocalArrays out_;
};

}  // namespace

LocalArrays local_arrays(const Kernel& kernel, const ComputedExpressions& computed) {
  return Arrays(kernel, computed).run();
}

}  // namespace selvage
