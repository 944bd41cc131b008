#include <selvage/expr/tape.h>
#include <selvage/ir/reads.h>
#include <selvage/kernel/value_nodes.h>
#include <selvage/lower/body.h>

#include <unordered_set>

namespace selvage {

namespace {

// From the last statement to the first: what is used is known before its definition is met.
class Pruner {
 public:
  explicit Pruner(const ValueGraph& values) : values_(values) {}

  void prune(Body& body) {
    for (std::size_t i = body.size(); i-- > 0;) {
      const bool is_needed = std::visit([&](auto& s) { return prune(s); }, body[i].node);
      if (!is_needed) body.erase(body.begin() + std::ptrdiff_t(i));
    }
  }

 private:
  void use(Expr e) {
    for (Expr s : symbols_of(std::span(&e, 1))) used_.insert(s.id());
  }

  // Each says whether the statement is needed.
  bool prune(Loop& loop) {
    prune(loop.body);
    use(loop.extent);
    if (loop.begin.valid()) use(loop.begin);
    return !loop.body.empty();
  }
  bool prune(Guard& guard) {
    if (guard.condition.is_false()) guard.body.clear();
    prune(guard.body);
    prune(guard.otherwise);
    use(guard.condition);
    return !guard.body.empty() || !guard.otherwise.empty();
  }
  bool prune(Define& define) {
    const bool is_used = used_.contains(define.variable.id());
    if (is_used) use(define.value);
    return is_used;
  }
  bool prune(Store& store) {
    use(store.address);
    for (ValueId v : values_under(values_, store.value)) {
      for (Expr e : index_expressions(values_[v])) use(e);
    }
    return true;
  }
  bool prune(Barrier&) { return true; }
  bool prune(Leave&) { return true; }
  bool prune(Shuffle& shuffle) {
    use(shuffle.to_address);
    use(shuffle.from_address);
    return true;
  }
  bool prune(Transfer& transfer) {
    use(transfer.to_address);
    use(transfer.from_address);
    return true;
  }

  const ValueGraph& values_;
  std::unordered_set<std::uint32_t> used_;  // symbols, by id
};

}  // namespace

Body guarded(const std::vector<Expr>& conditions, Body body) {
  if (conditions.empty()) return body;
  Expr all = conditions.front();
  for (std::size_t i = 1; i < conditions.size(); ++i) all = all && conditions[i];
  return body_of(Guard{all, std::move(body), {}});
}

void prune(Body& body, const ValueGraph& values) { Pruner(values).prune(body); }

std::size_t defines_in(const Body& body) {
  std::size_t n = 0;
  for (const Statement& s : body) {
    if (const auto* loop = std::get_if<Loop>(&s.node)) n += defines_in(loop->body);
    if (std::holds_alternative<Define>(s.node)) ++n;
    if (const auto* guard = std::get_if<Guard>(&s.node)) {
      n += defines_in(guard->body) + defines_in(guard->otherwise);
    }
  }
  return n;
}

}  // namespace selvage
