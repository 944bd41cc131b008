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
    const Expr row = row_of(n);
    const Typical typical = row.valid() ? Typical{row, row} : of(n);
    const bool is_known = typical.known.valid();
    in_conditions_.emplace_back(n.symbol, is_known ? typical.known : in_condition(n.most));
    in_addresses_.emplace_back(n.symbol, is_known ? typical.known : typical.spread);
    if (!is_known) unknown_.push_back(n.symbol);
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

TypicalNumbers::Typical TypicalNumbers::of(const MemoryNumber& number) const {
  Typicals all;
  for (ValueId v : values_under(map_.kernel().values, number.value)) {  // operands first
    all[v] = of(map_.kernel().values[v], number, all);
  }
  return all.at(number.value);
}

TypicalNumbers::Typical TypicalNumbers::of(const ValueNode& node, const MemoryNumber& number,
                                           const Typicals& operands) const {
  const Kernel& kernel = map_.kernel();
  const Expr nothing = map_.pool().constant(0);
  const auto written = [&](Expr e) { return in_condition(written_out(e, number.names)); };
  switch (node.kind) {
    case ValueNode::Kind::Index: return {written(node.index), written(node.index)};
    case ValueNode::Kind::Constant: {
      const Expr value = map_.pool().constant(node.integer);
      return is_integer(node.type) ? Typical{value, value} : Typical{{}, nothing};
    }
    case ValueNode::Kind::Cast: {
      const Typical& of = operands.at(node.operands[0]);
      return is_integer(node.type) ? of : Typical{{}, of.spread};
    }
    case ValueNode::Kind::Read: {
      const Buffer& buffer = kernel.buffers[node.source];
      if (buffer.rises_to.valid()) {
        const Mean mean = mean_of(buffer);
        const Expr offset = written(node.subscripts[0]) * mean.items / mean.rows;
        return {offset, offset};
      }
      Expr place = in_address(written_out(node.subscripts[0], number.names));
      if (buffer.memory == Memory::Local) place = place + map_.threads()[0];
      return {{}, place * kFarApart};
    }
    case ValueNode::Kind::Search: {
      const Expr position = operands.at(node.operands[0]).known;
      const Buffer& buffer = kernel.buffers[node.source];
      if (!position.valid() || !buffer.rises_to.valid()) return {{}, written(node.subscripts[0])};
      const Expr row = row_at(position, mean_of(buffer), node.integer);
      const Expr found = min(max(row, written(node.subscripts[0])), written(node.subscripts[1]));
      return {found, found};
    }
    case ValueNode::Kind::Apply: return applied(node, number, operands);
    case ValueNode::Kind::Check: return operands.at(node.operands[1]);
  }
  return {{}, nothing};
}

TypicalNumbers::Typical TypicalNumbers::applied(const ValueNode& node, const MemoryNumber& number,
                                                const Typicals& operands) const {
  const Function f = node.function;
  std::vector<Typical> of;
  for (std::size_t k = f == Function::Select ? 1 : 0; k < node.operands.size(); ++k) {
    of.push_back(operands.at(node.operands[k]));
  }
  const auto is_unknown = [](const Typical& t) { return !t.known.valid(); };
  const auto unknown = std::ranges::find_if(of, is_unknown);
  const bool is_known = unknown == of.end();
  const auto sum = [&](Expr Typical::*of_each) {
    const Expr a = of[0].*of_each, b = of[1].*of_each;
    return f == Function::Add ? a + b : f == Function::Sub ? a - b : a * b;
  };
  if (f == Function::Add || f == Function::Sub || f == Function::Mul) {
    return {is_known ? sum(&Typical::known) : Expr(), sum(&Typical::spread)};
  }
  // Bounds that a number is brought into, and what stands for it where it is none, say little of
  // it.
  if (!is_known) return {{}, unknown->spread};
  if (f == Function::Min || f == Function::Max) {
    const Expr least =
        f == Function::Min ? min(of[0].known, of[1].known) : max(of[0].known, of[1].known);
    return {least, least};
  }
  const auto condition =
      f == Function::Select ? index_condition(map_.kernel(), node.operands[0]) : std::nullopt;
  if (!condition) return {{}, of.empty() ? map_.pool().constant(0) : of[0].spread};
  const Expr chosen =
      select(in_condition(written_out(*condition, number.names)), of[0].known, of[1].known);
  return {chosen, chosen};
}

}  // namespace selvage
