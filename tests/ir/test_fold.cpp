// What a fold keeps while it runs: any parts, merged in any order, come to what a plain loop does.
#include <selvage/ir/fold.h>
#include <tests/support/counts.h>
#include <tests/support/evaluate_value.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/special_values.h"

namespace selvage {
namespace {

struct FoldCase {
  Reduction how;
  DataType type;
  std::int64_t correction = 0;
};

std::vector<FoldCase> cases() {
  using enum Reduction;
  using enum DataType;
  std::vector<FoldCase> list;
  for (Reduction r : {Sum, Prod}) {
    for (DataType t : {Int64, Float, Double}) list.push_back({r, t});
  }
  for (Reduction r : {Max, Min, FMax, FMin, ArgMax, ArgMin}) {
    for (DataType t : {Bool, Int32, Int64, UInt64, Float, Double}) list.push_back({r, t});
  }
  for (Reduction r : {Any, All}) list.push_back({r, Bool});
  for (DataType t : {Float, Double}) {
    list.push_back({Mean, t});
    list.push_back({LogSumExp, t});
    for (std::int64_t correction : {0, 1, 3}) list.push_back({Variance, t, correction});
  }
  return list;
}

std::string text(const FoldCase& c) {
  return std::string(to_string(c.how)) + " of " + std::string(to_string(c.type)) +
         (c.correction != 0 ? " less " + std::to_string(c.correction) : "");
}

// Holds every float and every integer of 64 bits.
using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64);

Number number(const Scalar& v) {
  if (v.type == DataType::Float) return v.single;
  if (v.type == DataType::UInt64) return Number(std::uint64_t(v.integer));
  return v.type == DataType::Double ? Number(v.real) : Number(v.integer);
}

// In the type of the fold, with ties, and NaNs and infinities where `wild`.
std::vector<Scalar> random_elements(std::mt19937& random, const FoldCase& c, std::size_t n,
                                    bool wild) {
  std::vector<Scalar> list;
  for (std::size_t k = 0; k < n; ++k) {
    const int small = int(random() % 7) - 3;
    if (!is_floating(c.type)) {
      list.push_back(Scalar::of(c.type, small));
      continue;
    }
    double v = small * 0.75 + (random() % 2 == 0 ? 0.0 : double(random() % 1000) / 1000);
    if (wild && random() % 4 == 0) v = std::array{kNaN, kInfinity, -kInfinity}[random() % 3];
    list.push_back(convert(Scalar::of(v), c.type));
  }
  return list;
}

// The plain loop.
Number expected(const FoldCase& c, const std::vector<Scalar>& elements) {
  const auto n = Number(elements.size());
  std::uint64_t whole_product = 1;  // integers wrap around
  Number sum = 0, product = 1, squares = 0;
  using enum Reduction;
  const bool is_max = c.how == Max || c.how == FMax || c.how == ArgMax;
  const bool passes_over = c.how == FMax || c.how == FMin;
  Number best = is_max ? -kInfinity : kInfinity;
  std::size_t place = 0;
  bool is_found = false, any = false, all = true;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Number e = number(elements[k]);
    sum += e;
    product *= e;
    whole_product *= std::uint64_t(std::int64_t(std::isfinite(e) ? e : 0));
    any = any || e != 0;
    all = all && e != 0;
    if (std::isnan(e) && passes_over) continue;
    if (is_found && std::isnan(best)) continue;
    const bool is_better = std::isnan(e) || (is_max ? e > best : e < best);
    if (!is_found || is_better) place = k;
    if (is_better) best = e;
    is_found = true;
  }
  for (const Scalar& e : elements) squares += std::pow(number(e) - sum / n, 2);
  Number powers = 0;  // where neither infinities nor NaNs decide
  for (const Scalar& e : elements) powers += std::exp(number(e));
  switch (c.how) {
    case Reduction::Sum: return sum;
    case Reduction::Prod:
      return is_floating(c.type) ? product : Number(std::int64_t(whole_product));
    case Reduction::Mean: return sum / n;
    case Reduction::Variance: return squares / std::max(n - Number(c.correction), Number(0));
    case Reduction::LogSumExp: return std::log(powers);
    case Reduction::Any: return any;
    case Reduction::All: return all;
    case Reduction::ArgMax:
    case Reduction::ArgMin: return Number(place);
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin: break;
  }
  return is_found ? best : number(identity(c.how, c.type));
}

bool is_rounded(const FoldCase& c) {
  using enum Reduction;
  return is_floating(c.type) && (c.how == Sum || c.how == Prod || c.how == Mean ||
                                 c.how == Variance || c.how == LogSumExp);
}

// Sums of small numbers, so rounding is far below the tolerance.
bool agree(const FoldCase& c, Number a, Number b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  if (!is_rounded(c) || std::isinf(a) || std::isinf(b)) return false;
  const Number unit = c.type == DataType::Float ? 0x1p-19 : 0x1p-48;
  return std::abs(a - b) <= unit * std::max({Number(16), std::abs(a), std::abs(b)});
}

class FoldRun {
 public:
  explicit FoldRun(const FoldCase& c)
      : fold_{.how = c.how, .type = c.type, .correction = c.correction} {}

  FoldState empty() { return settle(empty_state(values_, fold_)); }
  FoldState with(const FoldState& s, Scalar element, std::size_t position) {
    return settle(with_element(values_, fold_, s, constant(element),
                               constant(Scalar::of(DataType::Int64, std::int64_t(position)))));
  }
  FoldState merge(const FoldState& a, const FoldState& b) {
    return settle(merged(values_, fold_, a, b));
  }
  Scalar result(const FoldState& s, std::size_t items) {
    const ValueId n = constant(Scalar::of(DataType::Int64, std::int64_t(items)));
    return ValueEvaluator(values_)(folded(values_, fold_, s, n));
  }
  // Part [begin, end), element by element.
  FoldState part(const std::vector<Scalar>& elements, std::size_t begin, std::size_t end) {
    FoldState s = empty();
    for (std::size_t k = begin; k < end; ++k) s = with(s, elements[k], k);
    return s;
  }
  std::vector<Number> numbers(const FoldState& s) {
    std::vector<Number> list;
    for (ValueId v : s) list.push_back(number(ValueEvaluator(values_)(v)));
    return list;
  }
  const Fold& fold() const { return fold_; }

 private:
  ValueId constant(const Scalar& v) {
    ValueNode n{.kind = ValueNode::Kind::Constant, .type = v.type};
    if (is_floating(v.type)) {
      n.real = double(number(v));
    } else {
      n.integer = v.integer;
    }
    return values_.add(n);
  }
  // Components become numbers, as a kernel keeps them in variables of their types.
  FoldState settle(const FoldState& s) {
    const std::vector<FoldComponent> parts = components(fold_);
    EXPECT_EQ(s.size(), parts.size());
    FoldState result;
    for (std::size_t k = 0; k < s.size(); ++k) {
      const Scalar v = ValueEvaluator(values_)(s[k]);
      EXPECT_EQ(v.type, parts[k].type);
      result.push_back(constant(v));
    }
    return result;
  }

  Fold fold_;
  ValueGraph values_;
};

TEST(Fold, OneElementAfterTheOtherIsAPlainLoop) {
  std::mt19937 random(1);
  for (const FoldCase& c : cases()) {
    for (std::size_t n : {0, 1, 2, 3, 31, 127}) {
      SCOPED_TRACE(text(c) + ", " + std::to_string(n));
      const std::vector<Scalar> elements = random_elements(random, c, n, false);
      FoldRun run(c);
      const Scalar result = run.result(run.part(elements, 0, n), n);
      EXPECT_TRUE(agree(c, number(result), expected(c, elements)))
          << number(result) << " and " << expected(c, elements);
    }
  }
}

// Random cuts, some parts empty; random pairs are merged, either way round, until one is left.
TEST(Fold, AnyPartsInAnyOrderComeToTheSame) {
  std::mt19937 random(2);
  const std::vector<FoldCase> all = cases();
  for (int i = 0; i < count(200, 5000); ++i) {
    const FoldCase& c = all[std::size_t(i) % all.size()];
    const bool wild = !is_rounded(c) && random() % 2 == 0;
    const std::vector<Scalar> elements = random_elements(random, c, random() % 40, wild);
    SCOPED_TRACE(text(c) + ", " + std::to_string(elements.size()) + ", case " + std::to_string(i));
    std::vector<std::size_t> cuts = {0, elements.size()};
    for (std::size_t k = random() % 6; k-- > 0;) cuts.push_back(random() % (elements.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    FoldRun run(c);
    std::vector<FoldState> parts;
    for (std::size_t k = 1; k < cuts.size(); ++k) {
      parts.push_back(run.part(elements, cuts[k - 1], cuts[k]));
    }
    while (parts.size() > 1) {
      std::shuffle(parts.begin(), parts.end(), random);
      const FoldState last = parts.back();
      parts.pop_back();
      parts.back() = run.merge(parts.back(), last);
    }
    const Scalar result = run.result(parts[0], elements.size());
    EXPECT_EQ(result.type, compute_type(result_type(c.how, c.type)));
    EXPECT_TRUE(agree(c, number(result), expected(c, elements)))
        << number(result) << " and " << expected(c, elements);
  }
}

TEST(Fold, AnEmptyPartChangesNoComponent) {
  std::mt19937 random(3);
  for (const FoldCase& c : cases()) {
    SCOPED_TRACE(text(c));
    FoldRun run(c);
    const std::vector<Scalar> elements = random_elements(random, c, 5, false);
    const FoldState s = run.part(elements, 0, 5);
    EXPECT_EQ(run.numbers(run.merge(s, run.empty())), run.numbers(s));
    EXPECT_EQ(run.numbers(run.merge(run.empty(), s)), run.numbers(s));
    EXPECT_EQ(run.numbers(run.merge(run.empty(), run.empty())), run.numbers(run.empty()));
  }
}

TEST(Fold, OfEqualsThePlaceIsTheFirst) {
  FoldRun run({Reduction::ArgMax, DataType::Int32});
  const FoldState late = run.with(run.empty(), Scalar::of(DataType::Int32, 7), 9);
  const FoldState early = run.with(run.empty(), Scalar::of(DataType::Int32, 7), 2);
  EXPECT_EQ(run.result(run.merge(late, early), 2).integer, 2);
  EXPECT_EQ(run.result(run.merge(early, late), 2).integer, 2);
}

TEST(Fold, AVarianceOfFarAwayNumbersKeepsItsDigits) {
  FoldRun run({Reduction::Variance, DataType::Float});
  std::vector<Scalar> elements;
  for (int k = 0; k < 1000; ++k) elements.push_back(Scalar::of(float(10000 + k % 2)));
  const FoldState halves =
      run.merge(run.part(elements, 0, 333), run.part(elements, 333, elements.size()));
  EXPECT_NEAR(double(run.result(halves, 1000).single), 0.25, 1e-3);
}

// The list of what is kept is in an order in which it may be overwritten from the front.
TEST(Fold, AComponentIsMadeOfItselfAndThoseBehindIt) {
  for (const FoldCase& c : cases()) {
    const Fold fold{.how = c.how, .type = c.type};
    ExprPool pool;
    ValueGraph values;
    FoldState s, other;
    for (const FoldComponent& part : components(fold)) {
      s.push_back(values.cast(values.index(pool.symbol("s")), part.type));
      other.push_back(values.cast(values.index(pool.symbol("other")), part.type));
    }
    const FoldState next = merged(values, fold, s, other);
    for (std::size_t k = 0; k < next.size(); ++k) {
      std::vector<ValueId> open = {next[k]};
      while (!open.empty()) {
        const ValueId v = open.back();
        open.pop_back();
        for (std::size_t before = 0; before < k; ++before) {
          EXPECT_NE(v, s[before]) << text(c) << ", " << components(fold)[k].name;
        }
        for (ValueId o : values[v].operands) open.push_back(o);
      }
    }
  }
}

}  // namespace
}  // namespace selvage
