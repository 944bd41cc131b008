// Which index expressions are affine over GF(2).
//
// A form is a xor of input bits, perhaps with 1: a function with the values 0 and 1. A value is
// followed through the expression as an integer combination c + k1*f1 + ... + kn*fn of forms, which
// sums and products by numbers keep. Where its coefficients and its constant are not negative and
// no two of them share a binary digit, no sum of them ever carries: digit p of the value is the one
// form whose coefficient has it, and xor, / 2^k and % 2^k act on the digits.
#include <selvage/expr/apply.h>
#include <selvage/expr/tape.h>
#include <selvage/legality/gf2_index.h>

#include <array>
#include <bit>
#include <map>
#include <unordered_map>

namespace selvage {

namespace {

constexpr int kDigits = 62;
constexpr int kMostBits = 64;
constexpr std::size_t kMostNodes = 20'000;
constexpr std::uint32_t kMostNodesTried = 256;

struct Form {
  std::uint64_t inputs = 0;
  bool flipped = false;
};
using Digits = std::array<Form, kDigits>;

struct Combination {
  std::int64_t constant = 0;
  std::map<std::uint64_t, std::int64_t> terms;  // coefficients of forms that are not flipped
};
using Result = std::optional<Combination>;

// sum += k * form; false if that overflows.
bool add(Combination& sum, std::int64_t k, Form form) {
  if (form.flipped) {  // k*(1 - f)
    const auto constant = checked_add(sum.constant, k);
    if (!constant || k == INT64_MIN) return false;
    sum.constant = *constant;
    k = -k;
  }
  if (form.inputs == 0) return true;
  std::int64_t& old = sum.terms[form.inputs];
  const auto total = checked_add(old, k);
  if (!total) return false;
  old = *total;
  if (old == 0) sum.terms.erase(form.inputs);
  return true;
}

std::optional<Digits> digits_of(const Combination& value) {
  std::int64_t constant = value.constant;
  for (const auto& [inputs, k] : value.terms) {
    if (k > 0) continue;  // k*f = k + (-k)*(1 - f)
    const auto less = checked_add(constant, k);
    if (!less || k == INT64_MIN) return std::nullopt;
    constant = *less;
  }
  if (constant < 0 || constant >> kDigits != 0) return std::nullopt;
  Digits digits;
  std::uint64_t taken = std::uint64_t(constant);
  for (int p = 0; p < kDigits; ++p) digits[std::size_t(p)].flipped = (taken >> p & 1) != 0;
  for (const auto& [inputs, k] : value.terms) {
    const std::uint64_t own = std::uint64_t(k > 0 ? k : -k);
    if (own >> kDigits != 0 || (own & taken) != 0) return std::nullopt;
    taken |= own;
    for (std::uint64_t rest = own; rest != 0; rest &= rest - 1) {
      digits[std::size_t(std::countr_zero(rest))] = {inputs, k < 0};
    }
  }
  return digits;
}

Result combination_of(const Digits& digits) {
  Combination value;
  for (int p = 0; p < kDigits; ++p) {
    if (!add(value, std::int64_t{1} << p, digits[std::size_t(p)])) return std::nullopt;
  }
  return value;
}

Result scaled(const Combination& a, std::int64_t k) {
  Combination result;
  const auto constant = checked_mul(a.constant, k);
  if (!constant) return std::nullopt;
  result.constant = *constant;
  if (k == 0) return result;
  for (const auto& [inputs, coefficient] : a.terms) {
    const auto product = checked_mul(coefficient, k);
    if (!product) return std::nullopt;
    result.terms[inputs] = *product;
  }
  return result;
}

Result sum(const Combination& a, const Combination& b) {
  Combination result = a;
  const auto constant = checked_add(a.constant, b.constant);
  if (!constant) return std::nullopt;
  result.constant = *constant;
  for (const auto& [inputs, k] : b.terms) {
    if (!add(result, k, {inputs, false})) return std::nullopt;
  }
  return result;
}

Result xor_of(const Combination& a, const Combination& b) {
  const auto x = digits_of(a), y = digits_of(b);
  if (!x || !y) return std::nullopt;
  Digits digits;
  for (std::size_t p = 0; p < digits.size(); ++p) {
    digits[p] = {(*x)[p].inputs ^ (*y)[p].inputs, (*x)[p].flipped != (*y)[p].flipped};
  }
  return combination_of(digits);
}

// a / 2^k, the digits from k on, or a % 2^k, those below.
Result shifted(const Combination& a, const Combination& divisor, bool quotient) {
  const std::int64_t d = divisor.constant;
  if (!divisor.terms.empty() || d < 1 || !std::has_single_bit(std::uint64_t(d))) return {};
  const auto digits = digits_of(a);
  if (!digits) return std::nullopt;
  const int k = std::countr_zero(std::uint64_t(d));
  Digits result;
  for (int p = 0; p < kDigits; ++p) {
    if (quotient && p + k < kDigits) result[std::size_t(p)] = (*digits)[std::size_t(p + k)];
    if (!quotient && p < k) result[std::size_t(p)] = (*digits)[std::size_t(p)];
  }
  return combination_of(result);
}

// The algebra of expr/apply.h.
Result operator+(const Result& a, const Result& b) { return a && b ? sum(*a, *b) : std::nullopt; }
Result operator-(const Result& a, const Result& b) {
  return a + (b ? scaled(*b, -1) : std::nullopt);
}
Result operator*(const Result& a, const Result& b) {
  if (!a || !b) return std::nullopt;
  if (b->terms.empty()) return scaled(*a, b->constant);
  return a->terms.empty() ? scaled(*b, a->constant) : std::nullopt;
}
Result operator/(const Result& a, const Result& b) {
  return a && b ? shifted(*a, *b, true) : std::nullopt;
}
Result operator%(const Result& a, const Result& b) {
  return a && b ? shifted(*a, *b, false) : std::nullopt;
}
Result operator^(const Result& a, const Result& b) {
  return a && b ? xor_of(*a, *b) : std::nullopt;
}
Result min(const Result&, const Result&) { return std::nullopt; }
Result max(const Result&, const Result&) { return std::nullopt; }

// Operands come before their users, so there is no recursion.
std::optional<AffineMap> map_by_structure(Expr e, std::span<const BitVariable> variables,
                                          int bits) {
  const std::vector<Expr> nodes = reachable(std::span(&e, 1), true);
  if (nodes.size() > kMostNodes) return std::nullopt;
  std::unordered_map<std::uint32_t, Result> known;
  int first = 0;
  for (const BitVariable& v : variables) {
    Combination value;
    for (int p = 0; p < v.bits; ++p) {
      add(value, std::int64_t{1} << p, {std::uint64_t{1} << (first + p), false});
    }
    first += v.bits;
    known.emplace(v.variable.id(), std::move(value));
  }
  for (Expr node : nodes) {
    if (known.contains(node.id())) continue;
    Result value;
    if (node.is(Op::Const)) {
      value = Combination{.constant = node.value(), .terms = {}};
    } else if (node.is(Op::Let) || node.args().size() == 2) {
      const auto operand = [&](Expr a) -> const Result& { return known.at(a.id()); };
      value = apply(node.op(), operand(node[0]), operand(node.args().back()));
    }
    if (!value) return std::nullopt;
    known.emplace(node.id(), std::move(value));
  }
  const auto digits = digits_of(*known.at(e.id()));
  if (!digits) return std::nullopt;
  AffineMap map{{std::vector<std::uint64_t>(std::size_t(bits), 0)}};
  for (std::size_t p = 0; p < digits->size(); ++p) {
    const Form& digit = (*digits)[p];
    map.offset |= std::uint64_t{digit.flipped} << p;
    for (std::size_t i = 0; i < map.linear.images.size(); ++i) {
      map.linear.images[i] |= (digit.inputs >> i & 1) << p;
    }
  }
  return map;
}

// The expression at a point given by its bits.
class Points {
 public:
  Points(Expr e, std::span<const BitVariable> variables)
      : variables_(variables), values_(variables.size()), tape_(std::span(&e, 1), symbols()) {}

  std::optional<std::uint64_t> operator()(std::uint64_t x) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      values_[i] = std::int64_t(x & ((std::uint64_t{1} << variables_[i].bits) - 1));
      x >>= variables_[i].bits;
    }
    if (!tape_.evaluate(values_)) return std::nullopt;
    const std::int64_t y = tape_.root(0);
    if (y < 0 || y >> kDigits != 0) return std::nullopt;
    return std::uint64_t(y);
  }

 private:
  std::vector<Expr> symbols() const {
    std::vector<Expr> list;
    for (const BitVariable& v : variables_) list.push_back(v.variable);
    return list;
  }
  std::span<const BitVariable> variables_;
  std::vector<std::int64_t> values_;
  Tape tape_;
};

// An affine map is its values at 0 and at each single bit.
std::optional<AffineMap> map_through_basis(Points& at, int bits) {
  const auto offset = at(0);
  if (!offset) return std::nullopt;
  AffineMap map{{}, *offset};
  for (int i = 0; i < bits; ++i) {
    const auto y = at(std::uint64_t{1} << i);
    if (!y) return std::nullopt;
    map.linear.images.push_back(*y ^ *offset);
  }
  return map;
}

}  // namespace

std::optional<IndexMap> index_map(Expr e, std::span<const BitVariable> variables) {
  int bits = 0;
  for (const BitVariable& v : variables) {
    if (v.bits < 0 || v.bits >= kDigits) return std::nullopt;
    bits += v.bits;
    if (bits > kMostBits) return std::nullopt;
  }
  for (Expr symbol : symbols_of(e)) {
    bool is_named = false;
    for (const BitVariable& v : variables) is_named = is_named || same(v.variable, symbol);
    if (!is_named) return std::nullopt;
  }
  Points at(e, variables);
  const auto through_basis = map_through_basis(at, bits);
  if (!through_basis) return std::nullopt;
  if (const auto proved = map_by_structure(e, variables, bits)) {
    // Two derivations that share no code; where they differed one would be wrong.
    if (*proved == *through_basis) return IndexMap{*proved, IndexMap::By::Structure};
    return std::nullopt;
  }
  if (bits > kMostBitsTried || e.size() > kMostNodesTried) return std::nullopt;
  for (std::uint64_t x = 0; x < std::uint64_t{1} << bits; ++x) {
    const auto y = at(x);
    if (!y || *y != (*through_basis)(x)) return std::nullopt;
  }
  return IndexMap{*through_basis, IndexMap::By::AllPoints};
}

}  // namespace selvage
