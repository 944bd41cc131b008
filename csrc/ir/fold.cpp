#include <selvage/base/check.h>
#include <selvage/ir/fold.h>

#include <limits>

namespace selvage {

namespace {

constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

bool is_place(Reduction r) { return r == Reduction::ArgMax || r == Reduction::ArgMin; }

// A value that is true if element `a` is better than `b`, whatever their positions. A NaN beats all
// else.
ValueId beats(ValueGraph& values, const Fold& fold, ValueId a, ValueId b) {
  const bool is_max = fold.how == Reduction::ArgMax;
  const auto apply = [&](Function f, std::vector<ValueId> v) { return values.apply(f, v); };
  if (!is_floating(fold.type))
    return apply(Function::Lt, is_max ? std::vector{b, a} : std::vector{a, b});
  const ValueId is_no_better = apply(Function::Le, is_max ? std::vector{a, b} : std::vector{b, a});
  return apply(Function::And, {apply(Function::Not, {is_no_better}), apply(Function::Eq, {b, b})});
}

// With m the greatest item so far, of which `sum` has the powers exp(item - m), and one more item
// x, one power suffices, p = exp(-|x - m|):
//   x > m:  sum * p + 1        else:  sum + p
// Of equal infinities the difference is NaN, and fmin(NaN, 0) makes the power 1; so it is for a
// NaN, which the greatest item then is.
FoldState with_power(ValueGraph& values, const Fold& fold, const FoldState& state, ValueId x) {
  const auto apply = [&](Function f, std::vector<ValueId> v) { return values.apply(f, v); };
  const ValueId zero = values.constant(fold.type, 0.0, false);
  const ValueId one = values.constant(fold.type, 1.0, false);
  const ValueId apart = apply(Function::Abs, {apply(Function::Sub, {x, state[1]})});
  const ValueId power =
      apply(Function::Exp, {apply(Function::FMin, {apply(Function::Neg, {apart}), zero})});
  const ValueId is_greater = apply(Function::Lt, {state[1], x});
  const ValueId before =
      apply(Function::Select, {is_greater, apply(Function::Mul, {state[0], power}), state[0]});
  const ValueId added = apply(Function::Select, {is_greater, one, power});
  return {apply(Function::Add, {before, added}), apply(Function::Max, {state[1], x})};
}

}  // namespace

ValueId constant_of(ValueGraph& values, const Scalar& v) {
  if (v.type == DataType::Float) return values.constant(v.type, double(v.single), false);
  if (v.type == DataType::Double) return values.constant(v.type, v.real, false);
  return values.constant(v.type, v.integer, false);
}

std::vector<FoldComponent> components(const Fold& fold) {
  if (is_place(fold.how)) return {{"position", DataType::Int64}, {"value", fold.type}};
  if (fold.how == Reduction::Variance) {
    return {{"squares", fold.type}, {"mean", fold.type}, {"count", fold.type}};
  }
  if (fold.how == Reduction::LogSumExp) return {{"powers", fold.type}, {"greatest", fold.type}};
  return {{fold.how == Reduction::Mean ? "sum" : "value", fold.type}};
}

FoldState empty_state(ValueGraph& values, const Fold& fold) {
  const ValueId start = constant_of(values, identity(fold.how, fold.element));
  if (is_place(fold.how)) return {values.constant(DataType::Int64, kNowhere, false), start};
  if (fold.how == Reduction::Variance) return {start, start, start};
  if (fold.how == Reduction::LogSumExp) return {values.constant(fold.type, 0.0, false), start};
  return {start};
}

FoldState with_element(ValueGraph& values, const Fold& fold, const FoldState& state,
                       ValueId element, ValueId position) {
  if (is_place(fold.how)) return merged(values, fold, state, {position, element});
  if (fold.how == Reduction::LogSumExp) return with_power(values, fold, state, element);
  if (fold.how != Reduction::Variance) return merged(values, fold, state, {element});
  // n' = n + 1, mean' = mean + (x - mean) / n', squares' = squares + (x - mean) * (x - mean')
  const auto apply = [&](Function f, ValueId a, ValueId b) { return values.apply(f, {a, b}); };
  const ValueId n = apply(Function::Add, state[2], values.constant(fold.type, 1.0, false));
  const ValueId distance = apply(Function::Sub, element, state[1]);
  const ValueId mean = apply(Function::Add, state[1], apply(Function::TrueDiv, distance, n));
  const ValueId square = apply(Function::Mul, distance, apply(Function::Sub, element, mean));
  return {apply(Function::Add, state[0], square), mean, n};
}

FoldState merged(ValueGraph& values, const Fold& fold, const FoldState& a, const FoldState& b) {
  const auto apply = [&](Function f, ValueId x, ValueId y) { return values.apply(f, {x, y}); };
  if (is_place(fold.how)) {
    // Takes the better value; if neither is better, the first position. The value does not depend
    // on positions: either of two equal values will do.
    const ValueId is_equal = is_floating(fold.type)
                                 ? values.apply(Function::Not, {beats(values, fold, a[1], b[1])})
                                 : apply(Function::Eq, a[1], b[1]);
    const ValueId is_first = apply(Function::And, is_equal, apply(Function::Lt, b[0], a[0]));
    const ValueId is_better = beats(values, fold, b[1], a[1]);
    const ValueId takes_b = apply(Function::Or, is_better, is_first);
    return {values.apply(Function::Select, {takes_b, b[0], a[0]}),
            values.apply(Function::Select, {is_better, b[1], a[1]})};
  }
  if (fold.how == Reduction::LogSumExp) {
    // Each sum times exp(its greatest - the greater): 1 where these are equal, infinities included.
    const ValueId most = apply(Function::Max, a[1], b[1]);
    const auto scaled = [&](const FoldState& state) {
      const ValueId less = apply(Function::Sub, state[1], most);
      const ValueId factor = values.apply(Function::Select, {apply(Function::Eq, state[1], most),
                                                             values.constant(fold.type, 1.0, false),
                                                             values.apply(Function::Exp, {less})});
      return apply(Function::Mul, state[0], factor);
    };
    return {apply(Function::Add, scaled(a), scaled(b)), most};
  }
  if (fold.how != Reduction::Variance) {
    Function f = combiner(fold.how);
    if (fold.type == DataType::Bool) {
      if (f == Function::Max || f == Function::FMax) f = Function::Or;
      if (f == Function::Min || f == Function::FMin) f = Function::And;
    }
    return {apply(f, a[0], b[0])};
  }
  // n = na + nb, w = nb / n, d = mean_b - mean_a:
  //   mean = mean_a + d * w, squares = squares_a + squares_b + d * d * na * w
  const ValueId zero = values.constant(fold.type, 0.0, false);
  const ValueId n = apply(Function::Add, a[2], b[2]);
  const ValueId weight = values.apply(
      Function::Select, {apply(Function::Eq, b[2], zero), zero, apply(Function::TrueDiv, b[2], n)});
  const ValueId distance = apply(Function::Sub, b[1], a[1]);
  const ValueId shift = apply(Function::Mul, distance, weight);
  const ValueId between = apply(Function::Mul, apply(Function::Mul, distance, a[2]), shift);
  return {apply(Function::Add, apply(Function::Add, a[0], b[0]), between),
          apply(Function::Add, a[1], shift), n};
}

ValueId folded(ValueGraph& values, const Fold& fold, const FoldState& state, ValueId items) {
  switch (fold.how) {
    case Reduction::Sum:
    case Reduction::Prod:
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin:
    case Reduction::Any:
    case Reduction::All: return state[0];
    case Reduction::Mean:
    case Reduction::Variance: {
      if (fold.correction == 0) {
        return values.apply(Function::TrueDiv, {state[0], values.cast(items, fold.type)});
      }
      const auto number = [&](std::int64_t n) {
        return values.constant(DataType::Int64, n, false);
      };
      const ValueId less =
          values.apply(Function::Max,
                       {values.apply(Function::Sub, {items, number(fold.correction)}), number(0)});
      return values.apply(Function::TrueDiv, {state[0], values.cast(less, fold.type)});
    }
    case Reduction::LogSumExp:
      return values.apply(Function::Add, {values.apply(Function::Log, {state[0]}), state[1]});
    case Reduction::ArgMax:
    case Reduction::ArgMin: {
      const ValueId nowhere = values.constant(DataType::Int64, kNowhere, false);
      const ValueId zero = values.constant(DataType::Int64, std::int64_t{0}, false);
      return values.apply(Function::Select,
                          {values.apply(Function::Eq, {state[0], nowhere}), zero, state[0]});
    }
  }
  SELVAGE_CHECK(!"a reduction");
}

}  // namespace selvage
