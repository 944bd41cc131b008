#include <selvage/kernel/index_values.h>
#include <selvage/kernel/typical_numbers.h>

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

constexpr std::int64_t kFarApart = 8;  // elements: of four bytes a sector
// The mean is a fraction whose divisor is a power of two, so that the offsets of the rows of a warp
// move alike from one warp to the next.
constexpr std::int64_t kMostDivisor = 1 << 10;
constexpr double kCloseToMean = 0.02;

}  // namespace

TypicalNumbers::TypicalNumbers(const AccessMap& map, const SizeValues& sizes)
    : map_(map), sizes_(sizes) {
  for (const MemoryNumber& n : map.numbers()) {
    Expr known = row_of(n);
    if (!known.valid()) known = value_of(n, n.value);
    in_conditions_.emplace_back(n.symbol, known.valid() ? known : in_condition(n.most));
    in_addresses_.emplace_back(n.symbol, known.valid() ? known : far_apart(n));
    if (!known.valid()) unknown_.push_back(n.symbol);
  }
}

Expr TypicalNumbers::in_condition(Expr e) const {
  return in_conditions_.empty() ? e : substitute(e, in_conditions_);
}

Expr TypicalNumbers::in_address(Expr e) const {
  return in_addresses_.empty() ? e : substitute(e, in_addresses_);
}

Expr TypicalNumbers::end_of(const StatementPlace& loop) const {
  return !loop.counted.valid() || is_anywhere(loop.counted) ? loop.extent
                                                            : in_condition(loop.counted);
}

TypicalNumbers::Mean TypicalNumbers::mean_of(const Buffer& offsets) const {
  const auto items = sizes_(offsets.rises_to), ends = sizes_(offsets.elements);
  if (!items || !ends || *ends < 2 || *items < 0) return {};
  const double mean = double(*items) / double(*ends - 1);
  Mean best;
  for (std::int64_t rows = 1; rows <= kMostDivisor; rows *= 2) {
    best = {std::llround(mean * double(rows)), rows};
    if (std::abs(double(best.items) / double(rows) - mean) <= kCloseToMean * mean) break;
  }
  return best;
}

// The greatest r with r * items / rows + added * r <= position, rounded down as offsets are.
Expr TypicalNumbers::row_at(Expr position, Mean mean, std::int64_t added) const {
  const std::int64_t step = mean.items + added * mean.rows;
  if (step == 0) return map_.pool().constant(0);
  return ((position + 1) * mean.rows - 1) / step;
}

// The row of a position that a Define names; invalid where it names none.
Expr TypicalNumbers::row_of(const MemoryNumber& number) const {
  const auto& define = std::get<Define>(map_.places()[number.place].statement->node);
  if (!define.position.valid()) return {};
  const auto is_offsets = [](const Buffer& b) { return b.rises_to.valid(); };
  const auto offsets = std::ranges::find_if(map_.kernel().buffers, is_offsets);
  if (offsets == map_.kernel().buffers.end()) return {};
  const Expr position = in_condition(written_out(define.position, number.names));
  const Expr row = row_at(position, mean_of(*offsets), define.added);
  return min(max(row, map_.pool().constant(0)), in_condition(number.most));
}

// A value of offsets and indices; invalid where it is of anything else.
Expr TypicalNumbers::value_of(const MemoryNumber& number, ValueId v) const {
  const Kernel& kernel = map_.kernel();
  const ValueNode& node = kernel.values[v];
  const auto written = [&](Expr e) { return in_condition(written_out(e, number.names)); };
  switch (node.kind) {
    case ValueNode::Kind::Index: return written(node.index);
    case ValueNode::Kind::Constant:
      return is_integer(node.type) ? map_.pool().constant(node.integer) : Expr();
    case ValueNode::Kind::Cast:
      return is_integer(node.type) ? value_of(number, node.operands[0]) : Expr();
    case ValueNode::Kind::Read: {
      const Buffer& buffer = kernel.buffers[node.source];
      if (!buffer.rises_to.valid()) return {};
      const Mean mean = mean_of(buffer);
      return written(node.subscripts[0]) * mean.items / mean.rows;
    }
    case ValueNode::Kind::Search: {
      const Expr position = value_of(number, node.operands[0]);
      const Buffer& buffer = kernel.buffers[node.source];
      if (!position.valid() || !buffer.rises_to.valid()) return {};
      const Expr row = row_at(position, mean_of(buffer), node.integer);
      return min(max(row, written(node.subscripts[0])), written(node.subscripts[1]));
    }
    case ValueNode::Kind::Apply: return applied(node, number);
    case ValueNode::Kind::Check: return {};
  }
  return {};
}

Expr TypicalNumbers::applied(const ValueNode& node, const MemoryNumber& number) const {
  std::vector<Expr> of;
  for (std::size_t k = node.function == Function::Select ? 1 : 0; k < node.operands.size(); ++k) {
    of.push_back(value_of(number, node.operands[k]));
    if (!of.back().valid()) return {};
  }
  const Function f = node.function;
  if (f == Function::Add) return of[0] + of[1];
  if (f == Function::Sub) return of[0] - of[1];
  if (f == Function::Mul) return of[0] * of[1];
  if (f == Function::Min) return min(of[0], of[1]);
  if (f == Function::Max) return max(of[0], of[1]);
  if (f != Function::Select) return {};
  const auto condition = index_condition(map_.kernel(), node.operands[0]);
  if (!condition) return {};
  return select(in_condition(written_out(*condition, number.names)), of[0], of[1]);
}

Expr TypicalNumbers::far_apart(const MemoryNumber& number) const {
  const Kernel& kernel = map_.kernel();
  for (ValueId v : values_under(kernel.values, number.value)) {
    const ValueNode& node = kernel.values[v];
    if (node.kind != ValueNode::Kind::Read) continue;
    return in_address(written_out(node.subscripts[0], number.names)) * kFarApart;
  }
  return map_.pool().constant(0);
}

}  // namespace selvage
