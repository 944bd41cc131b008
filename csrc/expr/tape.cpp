#include <selvage/base/check.h>
#include <selvage/base/recycling.h>
#include <selvage/expr/apply.h>
#include <selvage/expr/tape.h>

#include <algorithm>

namespace selvage {

// Takes nodes from the largest id down. Operands have smaller ids than their users, so all users of
// a node come before it, and its copies in the heap come out one after another.
std::vector<Expr> reachable(std::span<const Expr> roots, bool through_let) {
  if (roots.size() == 1 && roots[0].valid() && roots[0].args().empty()) return {roots[0]};
  const auto later = [](Expr a, Expr b) { return a.id() < b.id(); };
  std::vector<Expr> nodes;
  std::vector<Expr, Recycling<Expr>> open;
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
  std::vector<Expr> symbols = reachable(expressions, true);
  std::erase_if(symbols, [](Expr e) { return !e.is(Op::Symbol); });
  std::sort(symbols.begin(), symbols.end(), structurally_before);
  return symbols;
}

std::size_t position_of(Expr e, std::span<const Expr> nodes) {
  const auto before = [](Expr a, std::uint32_t id) { return a.id() < id; };
  const auto it = std::lower_bound(nodes.begin(), nodes.end(), e.id(), before);
  return it != nodes.end() && same(*it, e) ? std::size_t(it - nodes.begin()) : nodes.size();
}

Tape::Tape(std::span<const Expr> roots, std::span<const Expr> inputs) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  const std::vector<Expr> nodes = reachable(roots, true);
  std::vector<std::uint32_t> slots(nodes.size(), kNone);  // of each node
  const auto slot = [&](Expr e) -> std::uint32_t& { return slots[position_of(e, nodes)]; };
  const auto fresh = [&](std::int64_t value) {
    values_.push_back(value);
    return std::uint32_t(values_.size() - 1);
  };
  for (Expr e : inputs) {
    const std::size_t at = position_of(e, nodes);
    const bool is_known = at < nodes.size() && slots[at] != kNone;
    inputs_.push_back(is_known ? slots[at] : fresh(0));
    if (at < nodes.size()) slots[at] = inputs_.back();
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Expr e = nodes[i];
    if (slots[i] != kNone) continue;
    if (e.is(Op::Const) || e.is(Op::Bool)) {
      slots[i] = fresh(e.value());
    } else if (e.is(Op::Let)) {
      slots[i] = slot(e[0]);
    } else {
      const auto operand = [&](std::size_t k) { return k < e.args().size() ? slot(e[k]) : 0; };
      slots[i] = fresh(0);
      code_.push_back({e.op(), slots[i], operand(0), operand(1), operand(2)});
      written_.push_back(e);
    }
  }
  for (Expr root : roots) roots_.push_back(slot(root));
}

void Tape::limit(std::int64_t lo, std::int64_t hi) {
  lo_ = lo;
  hi_ = hi;
}

bool Tape::evaluate(std::span<const std::int64_t> input_values) {
  SELVAGE_CHECK(input_values.size() == inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) values_[inputs_[i]] = input_values[i];
  for (const Instruction& in : code_) {
    const auto operand = [&](std::uint32_t slot) { return Checked(values_[slot]); };
    const Checked r = apply(in.op, operand(in.a), operand(in.b), operand(in.c));
    if (!r.is_defined || r.value < lo_ || r.value > hi_) {
      stopped_at_ = written_[std::size_t(&in - code_.data())];
      return false;
    }
    values_[in.out] = r.value;
  }
  return true;
}

LaneTape::LaneTape(std::span<const Expr> roots, std::span<const Expr> inputs)
    : tape_(roots, inputs) {
  values_.reserve(tape_.values().size() * kLanes);
  for (std::int64_t v : tape_.values()) values_.insert(values_.end(), kLanes, v);
}

bool LaneTape::evaluate(std::size_t points) {
  bool is_defined = true;
  for (const Tape::Instruction& in : tape_.code()) {
    const auto out = column(in.out), a = column(in.a), b = column(in.b), c = column(in.c);
    with_operator(in.op, [&](auto f) {
      for (std::size_t i = 0; i < points; ++i) {
        const Checked r = f(Checked(a[i]), Checked(b[i]), Checked(c[i]));
        out[i] = r.value;
        is_defined = is_defined && r.is_defined;
      }
    });
    if (!is_defined) return false;
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
