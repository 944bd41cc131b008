#include <selvage/base/check.h>
#include <selvage/report/texts.h>

namespace selvage {

namespace {

// Room for what an operator adds to the texts of its operands: its sign or name, parentheses.
constexpr std::size_t kOperator = 12;

bool is_leaf(Expr e) { return e.is(Op::Symbol) || e.is(Op::Const); }

}  // namespace

Texts::Texts(std::span<const Expr> roots, std::size_t longest) : longest_(longest) {
  // Operands before their users, first come first named: nothing depends on ids, so nothing
  // depends on what else was computed before.
  struct Open {
    Expr expr;
    std::size_t next = 0;
  };
  std::vector<Open> open;
  for (Expr root : roots) {
    open.push_back({root});
    while (!open.empty()) {
      const Expr e = open.back().expr;
      if (written_.contains(e.id())) {
        open.pop_back();
      } else if (open.back().next < e.args().size()) {
        open.push_back({e[open.back().next++]});
      } else {
        written_.emplace(e.id(), write(e));
        open.pop_back();
      }
    }
  }
}

std::string Texts::operator()(Expr root) const {
  const auto it = written_.find(root.id());
  SELVAGE_CHECK(it != written_.end());
  return to_string(it->second.expr, &names_);
}

Texts::Written Texts::name(Expr definition) {
  const Expr let = definition.is(Op::Let) ? definition : definition.pool().let(definition);
  const auto [it, is_new] = names_.emplace(let.id(), "");
  if (is_new) {
    std::string text = to_string(let[0], &names_);
    it->second = "_t" + std::to_string(lets_.size());
    lets_.emplace_back(it->second, std::move(text));
  }
  return {let, it->second.size()};
}

Texts::Written Texts::write(Expr e) {
  if (e.is(Op::Let)) {
    const Written& definition = written_.at(e[0].id());
    return is_leaf(definition.expr) ? definition : name(definition.expr);
  }
  if (e.args().empty()) return {e, to_string(e).size()};
  std::vector<Expr> operands;
  std::size_t length = kOperator + (e.is(Op::Load) || e.is(Op::Call) ? e.name().size() : 0);
  bool changed = false;
  for (Expr a : e.args()) {
    const Written& operand = written_.at(a.id());
    operands.push_back(operand.expr);
    length += operand.length;
    changed = changed || !same(operand.expr, a);
  }
  if (changed) e = with_operands(e, operands);
  const bool is_integer = info(e.op()).result == Result::Int;
  if (is_integer && length > longest_) return name(e);
  return {e, length};
}

std::string condition_text(Expr condition) {
  return text_length(condition, 300) > 300 ? "the sizes are small enough" : to_string(condition);
}

}  // namespace selvage
