#include <selvage/base/check.h>
#include <selvage/simplifier/rules.h>

#include <array>
#include <vector>

namespace selvage {

// The pattern symbols are the first nodes of the pool, in the order of PatternSymbol.
ExprPool& patterns() {
  static ExprPool pool;
  static const bool named = [] {
    for (const char* name : {"x", "y", "z", "a", "b", "c", "p", "q"}) pool.symbol(name);
    return true;
  }();
  static_cast<void>(named);
  return pool;
}

namespace {

std::vector<Rule> make_table() {
  const auto var = [](const char* name) { return patterns().symbol(name); };
  const Expr x = var("x"), y = var("y"), z = var("z");
  const Expr a = var("a"), b = var("b"), c = var("c");
  const Expr p = var("p"), q = var("q");
  const Expr zero = patterns().constant(0), one = patterns().constant(1);
  const Expr t = patterns().truth(true), f = patterns().truth(false);
  const Expr always = t;
  const auto within = [&](Expr e, Expr n) { return zero <= e && e < n; };
  using enum Propose;
  // Division is Euclidean: e = d*(e/d) + e%d and 0 <= e%d < d for d > 0.
  // clang-format off
  return {
    // name                  before                    after                   when                             propose       source
    {"div/one",              x / one,                  x,                      always,                          Structure,    "definition"},
    {"div/negative",         x / (zero - a),           zero - x / a,           always,                          Negative,     "Euclid"},
    {"div/small",            x / a,                    zero,                   within(x, a),                    Structure,    "Euclid"},
    {"div/below",            x / a,                    zero - one,             (zero - a) <= x && x < zero,     Structure,    "Euclid"},
    {"div/merge-outer",      (x * a + y) / a,          x + y / a,              always,                          Multiple,     "Merge, backward"},
    {"div/nested",           (x / a) / b,              x / (a * b),            always,                          Structure,    "two Splits are one"},
    {"div/nested-sum",       (x / a + y) / b,          (x + y * a) / (a * b),  always,                          InnerDiv,     "two Splits are one"},
    {"div/common-factor",    (x * b + y) / (a * b),    x / a,                  within(y, b),                    CommonFactor, "mixed radix"},
    {"div/divisible-part",   (x + y) / a,              x / a + y / a,          eq(x % a, zero),                 Congruent,    "Euclid"},
    {"div/of-digit",         ((x / a) % b) / c,        (x % (a * b)) / (a * c), always,                         Structure,    "mixed radix"},
    {"div/of-mod",           (x % (a * b)) / b,        (x / b) % a,            always,                          InnerMod,     "mixed radix"},

    {"mod/one",              x % one,                  zero,                   always,                          Structure,    "definition"},
    {"mod/negative",         x % (zero - a),           x % a,                  always,                          Negative,     "Euclid"},
    {"mod/small",            x % a,                    x,                      within(x, a),                    Structure,    "Euclid"},
    {"mod/below",            x % a,                    x + a,                  (zero - a) <= x && x < zero,     Structure,    "Euclid"},
    {"mod/no-quotient",      x % a,                    x,                      eq(x / a, zero),                 Structure,    "Euclid"},
    {"mod/merge-inner",      (x * a + y) % a,          y % a,                  always,                          Multiple,     "Merge, backward"},
    {"mod/divisible-part",   (x + y) % a,              y % a,                  eq(x % a, zero),                 Congruent,    "Euclid"},
    {"mod/of-multiple",      (z * b * (x % (a * c)) + y) % (b * c), (z * b * x + y) % (b * c), always,     InnerMod,     "Euclid"},
    {"mod/of-quotient",      ((z * c * (x % (a * b)) + y) / b) % c, ((z * c * x + y) / b) % c, always, InnerQuotient, "mixed radix"},
    {"mod/common-factor",    (x * b + y) % (a * b),    (x % a) * b + y,        within(y, b),                    CommonFactor, "mixed radix"},

    {"sum/recompose",        (x / a) * a + x % a,      x,                      always,                          Sum,          "Euclid"},
    {"sum/recompose-mod",    ((x / a) % b) * a + x % a, x % (a * b),           always,                          Sum,          "mixed radix"},
    {"sum/remainder",        x - (x / a) * a,          x % a,                  always,                          Sum,          "Euclid"},
    {"sum/into-division",    (x % (a * b) + y) / b + (x / (a * b)) * a, (x + y) / b, always,             Sum,          "Euclid"},
    {"sum/divisible",        (x / a) * a,              x,                      eq(x % a, zero),                 Sum,          "Euclid"},

    {"sum/divisible-part",   (x / (a * b)) * b,        x / a,                  eq(x % (a * b), zero),           Sum,          "Euclid"},

    {"order/common-factor",  zero <= x * a + y,        zero <= x,              within(y, a),                    Order,        "mixed radix"},
    {"order/div-lower",      y <= x / a,               y * a <= x,             always,                          Order,        "Euclid"},
    {"order/div-upper",      x / a <= y,               x < (y + one) * a,      always,                          Order,        "Euclid"},

    {"min/left",             min(x, y),                x,                      x <= y,                          Structure,    "definition"},
    {"min/right",            min(x, y),                y,                      y <= x,                          Structure,    "definition"},
    {"max/left",             max(x, y),                x,                      y <= x,                          Structure,    "definition"},
    {"max/right",            max(x, y),                y,                      x <= y,                          Structure,    "definition"},
    {"xor/zero",             x ^ zero,                 x,                      always,                          Structure,    "definition"},
    {"xor/zero-left",        zero ^ x,                 x,                      always,                          Structure,    "definition"},
    {"xor/itself",           x ^ x,                    zero,                   always,                          Structure,    "definition"},
    {"xor/twice",            x ^ (x ^ y),              y,                      always,                          Structure,    "Swizzle, there and back"},
    {"xor/twice-right",      (y ^ x) ^ x,              y,                      always,                          Structure,    "Swizzle, there and back"},
    {"xor/twice-left",       (x ^ y) ^ x,              y,                      always,                          Structure,    "Swizzle, there and back"},
    {"xor/twice-inner",      x ^ (y ^ x),              y,                      always,                          Structure,    "Swizzle, there and back"},
    {"select/true",          select(p, x, y),          x,                      p,                               Structure,    "definition"},
    {"select/false",         select(p, x, y),          y,                      !p,                              Structure,    "definition"},
    {"select/same",          select(p, x, x),          x,                      always,                          Structure,    "definition"},

    {"and/true",             p && t,                   p,                      always,                          Conjunction,  "Boole"},
    {"and/same",             p && p,                   p,                      always,                          Conjunction,  "Boole"},
    {"and/false",            p && f,                   f,                      always,                          Conjunction,  "Boole"},
    {"and/implied",          x <= y && x <= z,         x <= y,                 y <= z,                          Conjunction,  "Boole"},
    {"and/one-step",         x < z && y * a + x < z + a - b, y * b + x < z, zero <= y && y <= one && b <= a, Conjunction, "Boole"},
    {"and/first-step",       x < z && y * a + x < z + a - b, y * b + x < z,  zero <= y && z - x <= b + b && b <= a, Conjunction, "Boole"},
    {"or/true",              p || t,                   t,                      always,                          Structure,    "Boole"},
    {"or/true-left",         t || p,                   t,                      always,                          Structure,    "Boole"},
    {"or/false",             p || f,                   p,                      always,                          Structure,    "Boole"},
    {"or/false-left",        f || p,                   p,                      always,                          Structure,    "Boole"},
    {"or/same",              p || p,                   p,                      always,                          Structure,    "Boole"},
    {"not/not",              !!p,                      p,                      always,                          Structure,    "Boole"},
    {"not/less",             !(x < y),                 y <= x,                 always,                          Structure,    "order"},
    {"not/less-equal",       !(x <= y),                y < x,                  always,                          Structure,    "order"},
    {"not/and",              !(p && q),                !p || !q,               always,                          Structure,    "De Morgan"},
    {"not/or",               !(p || q),                !p && !q,               always,                          Structure,    "De Morgan"},
  };
  // clang-format on
}

const std::vector<Rule>& table() {
  static const std::vector<Rule> rules = make_table();
  return rules;
}

std::size_t op_index(Op op) { return std::size_t(op); }
constexpr std::size_t kOps = std::size_t(Op::Or) + 1;

}  // namespace

std::span<const Rule> all_rules() { return table(); }

std::span<const Rule* const> rules_for(Op root) {
  static const auto by_op = [] {
    std::array<std::vector<const Rule*>, kOps> lists;
    for (const Rule& r : table()) lists[op_index(r.before.op())].push_back(&r);
    return lists;
  }();
  return by_op[op_index(root)];
}

const Rule& rule(std::string_view name) {
  for (const Rule& r : table()) {
    if (r.name == name) return r;
  }
  SELVAGE_CHECK(!"a rule of that name");
  return table().front();
}

PatternSymbol pattern_symbol(Expr symbol) { return PatternSymbol(symbol.id()); }

}  // namespace selvage
