#include <selvage/kernel/verify_numbers.h>

#include <algorithm>

namespace selvage {

namespace {

class Range {
 public:
  Range(const AccessMap& map, const MemoryNumber& number)
      : values_(map.kernel().values),
        here_(map.at(map.places()[number.place].scope)),
        number_(number),
        least_(number.least),
        most_(number.most) {}

  bool is_at_least(ValueId v) const {
    const ValueNode& node = values_[v];
    if (greatest(node.type) && least_.is_const(0)) return true;
    const auto own = [&](ValueId o) { return is_at_least(o); };
    switch (node.kind) {
      case ValueNode::Kind::Constant:
        return is_integer(node.type) && here_.proves(least_ <= node.integer);
      case ValueNode::Kind::Index:
        return node.type == DataType::Int64 && here_.proves(least_ <= written(node.index));
      case ValueNode::Kind::Read: return false;
      case ValueNode::Kind::Search: return here_.proves(least_ <= written(node.subscripts[0]));
      case ValueNode::Kind::Cast: return keeps(node) && own(node.operands[0]);
      case ValueNode::Kind::Apply: return picks(node, Function::Max, own);
      case ValueNode::Kind::Check: return own(node.operands[1]);
    }
    return false;
  }

  bool is_at_most(ValueId v) const {
    const ValueNode& node = values_[v];
    const auto own = [&](ValueId o) { return is_at_most(o); };
    const auto number = [&](std::int64_t n) { return here_.proves(n <= most_); };
    if (const auto n = greatest(node.type); n && number(*n)) return true;
    switch (node.kind) {
      case ValueNode::Kind::Constant: return is_integer(node.type) && number(node.integer);
      case ValueNode::Kind::Index:
        return node.type == DataType::Int64 && here_.proves(written(node.index) <= most_);
      case ValueNode::Kind::Read: return false;
      case ValueNode::Kind::Search:
        return here_.proves(max(written(node.subscripts[0]), written(node.subscripts[1])) <= most_);
      case ValueNode::Kind::Cast: return keeps(node) && own(node.operands[0]);
      case ValueNode::Kind::Apply: return picks(node, Function::Min, own);
      case ValueNode::Kind::Check: return own(node.operands[1]);
    }
    return false;
  }

 private:
  // The result is one of the operands: any of them suffices for `by_any`, else all must do.
  template <class Own>
  static bool picks(const ValueNode& node, Function by_any, const Own& own) {
    if (node.function == by_any) return std::ranges::any_of(node.operands, own);
    if (node.function == Function::Min || node.function == Function::Max) {
      return std::ranges::all_of(node.operands, own);
    }
    return node.function == Function::Select && own(node.operands[1]) && own(node.operands[2]);
  }
  // A cast that changes no integer.
  bool keeps(const ValueNode& cast) const {
    const DataType from = values_[cast.operands[0]].type;
    return cast.type == DataType::Int64 && is_integer(from) && from != DataType::UInt64;
  }
  // Of an unsigned type: its values always lie within it.
  static std::optional<std::int64_t> greatest(DataType type) {
    if (type == DataType::UInt8) return UINT8_MAX;
    if (type == DataType::UInt16) return UINT16_MAX;
    if (type == DataType::UInt32) return UINT32_MAX;
    return std::nullopt;
  }

  Expr written(Expr e) const { return written_out(e, number_.names); }

  const ValueGraph& values_;
  Simplifier& here_;
  const MemoryNumber& number_;
  Expr least_, most_;
};

}  // namespace

bool lies_in_range(const AccessMap& map, const MemoryNumber& number) {
  const Range range(map, number);
  return range.is_at_least(number.value) && range.is_at_most(number.value);
}

}  // namespace selvage
