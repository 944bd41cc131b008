#include <selvage/kernel/statements.h>
#include <selvage/lower/body.h>

#include <unordered_set>

namespace selvage {

namespace {

// Goes from the last statement to the first, so that all uses are seen before their definition.
class Pruner {
 public:
  explicit Pruner(const ValueGraph& values) : values_(values) {}

  void prune(Body& body) {
    for (std::size_t i = body.size(); i-- > 0;) {
      Statement& s = body[i];
      auto* guard = std::get_if<Guard>(&s.node);
      if (guard != nullptr && guard->condition.is_false()) guard->body.clear();
      bool is_empty = bodies(s).size() > 0;
      for (Body* inner : bodies(s)) {
        prune(*inner);
        is_empty = is_empty && inner->empty();
      }
      const bool is_unused =
          std::holds_alternative<Define>(s.node) && !used_.contains(parts_of(s).variable.id());
      if (!is_unused) {
        for_each_expression(s, values_, [&](Expr e) { use(e); });
      }
      if (is_empty || is_unused) body.erase(body.begin() + std::ptrdiff_t(i));
    }
  }

 private:
  void use(Expr e) {
    if (!used_.insert(e.id()).second) return;
    for (Expr a : e.args()) use(a);
  }

  const ValueGraph& values_;
  std::unordered_set<std::uint32_t> used_;  // expressions with all that is in them, by id
};

}  // namespace

Body guarded(const std::vector<Expr>& conditions, Body body) {
  if (conditions.empty()) return body;
  Expr all = conditions.front();
  for (std::size_t i = 1; i < conditions.size(); ++i) all = all && conditions[i];
  return body_of(Guard{all, std::move(body), {}});
}

void prune(Body& body, const ValueGraph& values) { Pruner(values).prune(body); }

}  // namespace selvage
