#include <selvage/base/check.h>
#include <selvage/codegen/index_text.h>
#include <selvage/expr/tape.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// How a & b and a >> b bind, among the operators of expr.h.
constexpr int kBitAnd = 8, kShift = 11;

CText infix(const CText& a, std::string_view sign, const CText& b, int precedence) {
  return {inside(a, precedence) + " " + std::string(sign) + " " + inside(b, precedence + 1),
          precedence};
}

}  // namespace

std::string inside(const CText& c, int outer) {
  return c.precedence < outer ? "(" + c.text + ")" : c.text;
}

CText cast(std::string_view type, const CText& from) {
  return {"(" + std::string(type) + ")" + inside(from, kPrefix), kPrefix};
}

CText conjunction(const CText& a, const CText& b) {
  const OpInfo& op = info(Op::And);
  return infix(a, op.text, b, op.precedence);
}

// The value of an expression without symbols; nothing for others. C would compute such an
// expression in int, even where the index type is wider.
std::optional<std::int64_t> IndexText::fold(Expr e) {
  if (e.is(Op::Const)) return e.value();
  if (e.args().empty()) return std::nullopt;
  const auto [it, fresh] = constants_.try_emplace(e.id(), std::nullopt);
  if (!fresh) return it->second;
  const auto is_constant = [&](Expr a) { return fold(a).has_value(); };
  if (!std::all_of(e.args().begin(), e.args().end(), is_constant)) return std::nullopt;
  return constants_[e.id()] = evaluate(e, {}, {});
}

void IndexText::name(Expr e, std::string name) {
  if (names_.count(e.id()) > 0) {
    for (const auto& block : blocks_) {
      for (Expr made : block) {
        for (Expr part : reachable(std::span(&made, 1), true)) {
          if (same(part, e)) names_.erase(made.id());
        }
      }
    }
  }
  names_[e.id()] = std::move(name);
  blocks_.back().push_back(e);
}

const std::string* IndexText::find(Expr e) const {
  const auto it = names_.find(e.id());
  return it == names_.end() ? nullptr : &it->second;
}

void IndexText::close() {
  for (Expr e : blocks_.back()) names_.erase(e.id());
  blocks_.pop_back();
}

CText IndexText::constant(std::int64_t v) const {
  if (v == INT64_MIN) return {"-9223372036854775807LL - 1", info(Op::Sub).precedence};
  const bool fits = v >= -INT64_C(2147483647) && v <= INT64_C(2147483647);
  return {std::to_string(v) + (fits ? "" : "LL"), v < 0 ? kPrefix : kCall};
}

CText IndexText::write_infix(Expr e, std::size_t point) {
  return infix(operand(e[0], point), info(e.op()).text, operand(e[1], point),
               info(e.op()).precedence);
}

std::string IndexText::call(std::string_view helper, Expr e, std::size_t point) {
  return helpers_->use(helper, type_) + "(" + operand(e[0], point).text + ", " +
         operand(e[1], point).text + ")";
}

CText IndexText::signed_text(CText c) const { return c.is_unsigned ? cast(c_type(type_), c) : c; }

// A nonnegative dividend is divided unsigned, which takes a fifth fewer instructions. By a constant
// that is no power of two the gain is small, and the division stays signed. One unsigned operand
// makes C convert both.
CText IndexText::write_machine_division(Expr e, std::size_t point) {
  const OpInfo& op = info(e.op());
  const CText dividend = write(e[0], point);
  if (fold(e[1])) return infix(signed_text(dividend), op.text, operand(e[1], point), op.precedence);
  const CText divisor = cast(c_unsigned_type(type_), operand(e[1], point));
  CText text = infix(dividend, op.text, divisor, op.precedence);
  text.is_unsigned = true;
  return text;
}

// Shift and mask round down for any sign of the dividend. They take fewer instructions than a
// division even where it has none, for a compiler does not know that.
CText IndexText::write_by_power_of_two(Expr e, std::size_t point) {
  const std::int64_t divisor = e[1].value();
  const std::string dividend = inside(operand(e[0], point), kPrefix);
  if (e.is(Op::Mod)) return {dividend + " & " + constant(divisor - 1).text, kBitAnd};
  return {dividend + " >> " + std::to_string(std::countr_zero(std::uint64_t(divisor))), kShift};
}

CText IndexText::write_division(Expr e, std::size_t point) {
  const bool quotient = e.is(Op::Div);
  const bool by_power_of_two =
      e[1].is(Op::Const) && e[1].value() > 0 && std::has_single_bit(std::uint64_t(e[1].value()));
  if (by_power_of_two) return write_by_power_of_two(e, point);
  switch (scope_->division(e, point)) {
    case Scope::Division::Below: return {call("mod_below", e, point)};
    case Scope::Division::Above: return {call("mod_above", e, point)};
    case Scope::Division::Near: return {call("mod_near", e, point)};
    case Scope::Division::Machine: return write_machine_division(e, point);
    case Scope::Division::Floor: return {call(quotient ? "floor_div" : "floor_mod", e, point)};
    case Scope::Division::Euclid: return {call(quotient ? "euclid_div" : "euclid_mod", e, point)};
  }
  return {};
}

CText IndexText::write(Expr e, std::size_t point) {
  if (const std::string* name = find(e)) return {*name};
  if (info(e.op()).result == Result::Int) {
    if (const auto v = fold(e)) return constant(*v);
  }
  switch (e.op()) {
    case Op::Const: return constant(e.value());
    case Op::Bool: return {e.value() != 0 ? "true" : "false"};
    case Op::Let: return write(e[0], point);
    case Op::Div:
    case Op::Mod: return write_division(e, point);
    case Op::Min: return {call("min_of", e, point)};
    case Op::Max: return {call("max_of", e, point)};
    case Op::Select:
      return {inside(operand(e[0], point), kConditional + 1) + " ? " +
                  inside(operand(e[1], point), kConditional + 1) + " : " +
                  inside(operand(e[2], point), kConditional + 1),
              kConditional};
    case Op::Not:
      if (e[0].is(Op::Eq)) {
        return infix(operand(e[0][0], point), "!=", operand(e[0][1], point),
                     info(Op::Eq).precedence);
      }
      return {"!" + inside(operand(e[0], point), kPrefix), kPrefix};
    case Op::Add:
      if (e[1].is(Op::Const) && e[1].value() < 0 && e[1].value() != INT64_MIN) {
        return infix(operand(e[0], point), "-", constant(-e[1].value()), info(Op::Sub).precedence);
      }
      return write_infix(e, point);
    case Op::Sub:
    case Op::Mul:
    case Op::Xor:
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::And:
    case Op::Or: return write_infix(e, point);
    case Op::Symbol: SELVAGE_CHECK(!"a symbol that the kernel defines");
    case Op::Load:
    case Op::Call: SELVAGE_CHECK(!"an index that a kernel can compute");
  }
  return {};
}

}  // namespace selvage
