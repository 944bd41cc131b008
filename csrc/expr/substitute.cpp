#include <selvage/expr/substitute.h>

#include <unordered_map>

namespace selvage {

namespace {

class Substitution {
 public:
  explicit Substitution(const Environment& environment) {
    // The first of several meanings counts.
    for (const auto& [symbol, value] : environment) replaced_.try_emplace(symbol.id(), value);
  }

  Expr operator()(Expr e) {
    if (const auto it = replaced_.find(e.id()); it != replaced_.end()) return it->second;
    if (e.args().empty()) return e;
    std::vector<Expr> operands;
    bool changed = false;
    for (Expr a : e.args()) {
      operands.push_back((*this)(a));
      changed = changed || !same(operands.back(), a);
    }
    const Expr result = changed ? with_operands(e, operands) : e;
    replaced_.emplace(e.id(), result);
    return result;
  }

 private:
  std::unordered_map<std::uint32_t, Expr> replaced_;  // by id
};

}  // namespace

Expr substitute(Expr e, const Environment& environment) {
  if (environment.empty()) return e;
  return Substitution(environment)(e);
}

}  // namespace selvage
