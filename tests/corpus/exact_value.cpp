#include "tests/corpus/exact_value.h"

#include <selvage/base/check.h>
#include <selvage/expr/tape.h>

#include <algorithm>
#include <unordered_map>

namespace selvage {

namespace {

using Wide = __int128;

std::optional<Wide> remainder(Wide a, Wide b) {
  if (b == 0) return std::nullopt;
  const Wide r = a % b;
  return r >= 0 ? r : r + (b > 0 ? b : -b);
}

}  // namespace

ExactValue::ExactValue(Expr e, std::span<const Expr> symbols) {
  std::unordered_map<std::uint32_t, std::size_t> position;  // of a node among the steps
  for (Expr n : reachable({&e, 1}, true)) {
    Step step{n.op(), 0, {}};
    if (n.is(Op::Const) || n.is(Op::Bool)) step.number = n.value();
    if (n.is(Op::Symbol)) {
      const auto is_n = [&](Expr s) { return same(s, n); };
      step.number = std::find_if(symbols.begin(), symbols.end(), is_n) - symbols.begin();
      SELVAGE_CHECK(std::size_t(step.number) < symbols.size());
    }
    const std::size_t operands = std::min<std::size_t>(n.args().size(), 3);
    for (std::size_t k = 0; k < operands; ++k) step.operands[k] = position.at(n[k].id());
    position[n.id()] = steps_.size();
    steps_.push_back(step);
  }
  results_.resize(steps_.size());
}

std::optional<Wide> ExactValue::at(std::span<const std::int64_t> values) {
  overflowed_ = false;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const std::optional<Wide> result = compute(steps_[k], values);
    if (!result) return std::nullopt;
    results_[k] = *result;
  }
  return results_.back();
}

std::optional<Wide> ExactValue::compute(const Step& step, std::span<const std::int64_t> values) {
  const Wide a = results_[step.operands[0]], b = results_[step.operands[1]];
  Wide r = 0;
  switch (step.op) {
    case Op::Const:
    case Op::Bool: return step.number;
    case Op::Symbol: return values[std::size_t(step.number)];
    case Op::Let: return a;
    case Op::Add: overflowed_ = __builtin_add_overflow(a, b, &r); break;
    case Op::Sub: overflowed_ = __builtin_sub_overflow(a, b, &r); break;
    case Op::Mul: overflowed_ = __builtin_mul_overflow(a, b, &r); break;
    case Op::Mod: return remainder(a, b);
    case Op::Div: {
      const std::optional<Wide> rest = remainder(a, b);
      if (!rest) return std::nullopt;
      overflowed_ = __builtin_sub_overflow(a, *rest, &r);
      r /= b;
      break;
    }
    case Op::Min: return std::min(a, b);
    case Op::Max: return std::max(a, b);
    case Op::Xor: return a ^ b;
    case Op::Select: return a != 0 ? b : results_[step.operands[2]];
    case Op::Lt: return a < b;
    case Op::Le: return a <= b;
    case Op::Eq: return a == b;
    case Op::Not: return a == 0;
    case Op::And: return a != 0 && b != 0;
    case Op::Or: return a != 0 || b != 0;
    case Op::Load:
    case Op::Call: return std::nullopt;
  }
  if (overflowed_) return std::nullopt;
  return r;
}

}  // namespace selvage
