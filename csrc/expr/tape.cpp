#include <selvage/base/check.h>
#include <selvage/base/integer.h>
#include <selvage/expr/tape.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace selvage {

// Operands have smaller ids than their users: taken from the largest id down, all users of a node
// come before it, and the times it is met follow one another.
std::vector<Expr> reachable(std::span<const Expr> roots, bool through_let) {
  const auto later = [](Expr a, Expr b) { return a.id() < b.id(); };
  std::vector<Expr> nodes, open;
  nodes.reserve(16), open.reserve(16);
  for (Expr root : roots) {
    if (root.valid()) open.push_back(root);
  }
  std::make_heap(open.begin(), open.end(), later);
  while (!open.empty()) {
    std::pop_heap(open.begin(), open.end(), later);
    const Expr e = open.back();
    open.pop_back();
    if (!nodes.empty() && same(nodes.back(), e)) continue;
    nodes.push_back(e);
    if (e.is(Op::Let) && !through_let) continue;
    for (Expr a : e.args()) {
      open.push_back(a);
      std::push_heap(open.begin(), open.end(), later);
    }
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<Expr> symbols_of(std::span<const Expr> expressions) {
  std::vector<Expr> symbols;
  for (Expr e : reachable(expressions, true)) {
    if (e.is(Op::Symbol)) symbols.push_back(e);
  }
  std::sort(symbols.begin(), symbols.end(), structurally_before);
  return symbols;
}

Tape::Tape(std::span<const Expr> roots, std::span<const Expr> inputs) {
  const std::vector<Expr> nodes = reachable(roots, true);
  std::unordered_map<std::uint32_t, std::uint32_t> slot;
  const auto fresh = [&](std::int64_t value) {
    values_.push_back(value);
    return std::uint32_t(values_.size() - 1);
  };
  for (Expr e : inputs) {
    if (const auto it = slot.find(e.id()); it != slot.end()) {
      inputs_.push_back(it->second);
    } else {
      inputs_.push_back(slot[e.id()] = fresh(0));
    }
  }
  for (Expr e : nodes) {
    if (slot.count(e.id())) continue;
    if (e.is(Op::Const) || e.is(Op::Bool)) {
      slot[e.id()] = fresh(e.value());
    } else if (e.is(Op::Let)) {
      slot[e.id()] = slot.at(e[0].id());
    } else {
      const auto operand = [&](std::size_t i) {
        return i < e.args().size() ? slot.at(e[i].id()) : 0;
      };
      const std::uint32_t out = fresh(0);
      slot[e.id()] = out;
      code_.push_back({e.op(), out, operand(0), operand(1), operand(2)});
      written_.push_back(e);
    }
  }
  for (Expr root : roots) roots_.push_back(slot.at(root.id()));
}

void Tape::limit(std::int64_t lo, std::int64_t hi) {
  lo_ = lo;
  hi_ = hi;
}

bool Tape::evaluate(std::span<const std::int64_t> input_values) {
  SELVAGE_CHECK(input_values.size() == inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) values_[inputs_[i]] = input_values[i];
  for (const Instruction& in : code_) {
    const std::int64_t a = values_[in.a], b = values_[in.b];
    std::optional<std::int64_t> r;
    switch (in.op) {
      case Op::Add: r = checked_add(a, b); break;
      case Op::Sub: r = checked_sub(a, b); break;
      case Op::Mul: r = checked_mul(a, b); break;
      case Op::Div: r = euclid_div(a, b); break;
      case Op::Mod: r = euclid_mod(a, b); break;
      case Op::Min: r = std::min(a, b); break;
      case Op::Max: r = std::max(a, b); break;
      case Op::Xor: r = a ^ b; break;
      case Op::Select: r = a != 0 ? b : values_[in.c]; break;
      case Op::Lt: r = a < b; break;
      case Op::Le: r = a <= b; break;
      case Op::Eq: r = a == b; break;
      case Op::Not: r = a == 0; break;
      case Op::And: r = (a != 0) & (b != 0); break;
      case Op::Or: r = (a != 0) | (b != 0); break;
      case Op::Const:
      case Op::Bool:
      case Op::Symbol:
      case Op::Let:
      case Op::Load:
      case Op::Call: break;
    }
    if (!r || *r < lo_ || *r > hi_) {
      stopped_at_ = written_[std::size_t(&in - code_.data())];
      return false;
    }
    values_[in.out] = *r;
  }
  return true;
}

std::optional<std::int64_t> evaluate(Expr e, std::span<const Expr> symbols,
                                     std::span<const std::int64_t> values) {
  Tape tape(std::span(&e, 1), symbols);
  if (!tape.evaluate(values)) return std::nullopt;
  return tape.root(0);
}

}  // namespace selvage
