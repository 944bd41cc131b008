#include <selvage/emulate/error_bounds.h>
#include <selvage/emulate/memory.h>

#include <algorithm>
#include <cmath>

namespace selvage {

namespace {

// Half a unit in the last place of 1.
double unit(DataType type) {
  switch (type) {
    case DataType::Half: return 0x1p-11;
    case DataType::BFloat16: return 0x1p-8;
    case DataType::Float: return 0x1p-24;
    case DataType::Double: return 0x1p-53;
    case DataType::Bool:
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::UInt8:
    case DataType::UInt16:
    case DataType::UInt32:
    case DataType::UInt64: return 0;
  }
  return 0;
}

double least(DataType type) {
  return type == DataType::Half ? 0x1p-24 : type == DataType::Double ? 0x1p-1074 : 0x1p-133;
}

double largest(DataType type) { return type == DataType::Float ? 0x1.fffffep127 : 0x1.fp1023; }
double smallest(DataType type) { return type == DataType::Float ? 0x1p-126 : 0x1p-1022; }

// The most by which g differs from g(x) within e of x, where it is monotone.
template <class G>
double around(G g, double x, double e) {
  const double at = g(x);
  return std::max(std::abs(g(x + e) - at), std::abs(g(x - e) - at));
}

// The error of the function's result at (a, b) for errors e of a and eb of b. With one operand, b
// is a.
double carried(Function f, double a, double e, double b, double eb) {
  const bool is_divisor = std::abs(b) > eb;
  const double quotient = is_divisor ? a / b : 0;
  const double of_quotient =
      is_divisor ? (e + std::abs(quotient) * eb) / (std::abs(b) - eb) : kOpen;
  const bool is_one_quotient =
      std::floor(quotient - of_quotient) == std::floor(quotient + of_quotient);
  switch (f) {
    case Function::Add:
    case Function::Sub: return e + eb;
    case Function::Mul: return std::abs(a) * eb + std::abs(b) * e + e * eb;
    case Function::TrueDiv: return of_quotient;
    case Function::FloorDiv: return is_one_quotient ? 0 : 2 * of_quotient + 1;
    case Function::Mod: return is_one_quotient ? e + std::abs(quotient) * eb : kOpen;
    case Function::Min:
    case Function::Max:
    case Function::FMin:
    case Function::FMax: return std::max(e, eb);
    case Function::Lt:
    case Function::Le:
    case Function::Eq:
    case Function::Ne: return std::abs(a - b) > e + eb ? 0 : kOpen;
    case Function::Neg:
    case Function::Abs:
    case Function::Relu: return e;
    case Function::Exp: return around([](double x) { return std::exp(x); }, a, e);
    case Function::Log: return a > e ? around([](double x) { return std::log(x); }, a, e) : kOpen;
    case Function::Sqrt:
      return a >= e ? around([](double x) { return std::sqrt(x); }, a, e) : kOpen;
    case Function::Rsqrt:
      return a > e ? around([](double x) { return 1 / std::sqrt(x); }, a, e) : kOpen;
    case Function::Floor: return std::floor(a - e) == std::floor(a + e) ? 0 : 2 * e + 1;
    case Function::Ceil: return std::ceil(a - e) == std::ceil(a + e) ? 0 : 2 * e + 1;
    // Their slopes are at most 1, and then 1.13.
    case Function::Tanh:
    case Function::Sin:
    case Function::Cos:
    case Function::Sigmoid: return e;
    case Function::Erf:
    case Function::Silu:
    case Function::Gelu:
    case Function::GeluTanh: return 1.13 * e;
    // Its slope is at most 1, and at 20 it leaves out less than 2.1e-9.
    case Function::Softplus: return std::abs(a - 20) <= e ? e + 2.1e-9 : e;
    case Function::Exp2: return around([](double x) { return std::exp2(x); }, a, e);
    case Function::Expm1: return around([](double x) { return std::expm1(x); }, a, e);
    case Function::Log2: return a > e ? around([](double x) { return std::log2(x); }, a, e) : kOpen;
    case Function::Log1p:
      return a + 1 > e ? around([](double x) { return std::log1p(x); }, a, e) : kOpen;
    case Function::Reciprocal: {
      const double least = std::abs(a) - e;
      return least > 0 ? e / (std::abs(a) * least) : kOpen;
    }
    case Function::Round: return std::rint(a - e) == std::rint(a + e) ? 0 : 2 * e + 1;
    case Function::Trunc: return std::trunc(a - e) == std::trunc(a + e) ? 0 : 2 * e + 1;
    case Function::Sign: return std::abs(a) > e ? 0 : 2;
    case Function::Pow: {
      if (a <= e) return kOpen;
      double most = 0;
      for (double x : {a - e, a + e}) {
        for (double y : {b - eb, b + eb}) {
          most = std::max(most, std::abs(std::pow(x, y) - std::pow(a, b)));
        }
      }
      return most;
    }
    case Function::And:
    case Function::Or:
    case Function::Not:
    case Function::Select: break;  // of truths
    case Function::IsNan:
    case Function::IsInf:
    case Function::IsFinite: break;  // of numbers that an error may lead out of their range
    case Function::BitAnd:
    case Function::BitOr:
    case Function::BitXor:
    case Function::BitNot:
    case Function::ShiftLeft:
    case Function::ShiftRight:
    case Function::RandomBits:
    case Function::RandomUniform:
    case Function::RandomNormal: break;  // of integers
  }
  return kOpen;
}

// Of the machine's own, whose last bits may differ.
bool is_of_a_library(Function f) {
  return info(f).rule == ResultRule::Real && f != Function::TrueDiv && f != Function::Sqrt &&
         f != Function::Floor && f != Function::Ceil && f != Function::Reciprocal &&
         f != Function::Round && f != Function::Trunc;
}

struct Totals {
  double sum = 0, errors = 0, magnitudes = 0;
};

Totals totals(std::span<const Uncertain> items) {
  Totals all;
  for (const Uncertain& x : items) {
    all.sum += as_real(x.value);
    all.errors += x.error;
    all.magnitudes += std::abs(as_real(x.value)) + x.error;
  }
  return all;
}

double largest_error(std::span<const Uncertain> some) {
  double most = 0;
  for (const Uncertain& x : some) most = std::max(most, x.error);
  return most;
}

// Of n factors, the largest that they may be multiplied to `bound`, which is rounded in double
// itself.
double error_of_product(DataType type, double n, double bound, double result) {
  const double roundings = std::expm1(n * (unit(type) + unit(DataType::Double)));
  return bound * roundings + std::abs(bound - std::abs(result));
}

double error_of_product(DataType type, std::span<const Uncertain> items, double result) {
  double bound = 1, up = 1, down = 1;
  for (const Uncertain& x : items) {
    const double most = std::abs(as_real(x.value)) + x.error;
    bound *= most;
    up *= std::max(most, 1.0);
    if (most > 0) down *= std::min(most, 1.0);
  }
  if (!(up <= largest(type)) || down < smallest(type)) return kOpen;
  return error_of_product(type, double(items.size()), bound, result);
}

double error_of_variance(const Fold& fold, std::span<const Uncertain> items) {
  const auto n = double(items.size());
  const double mean = totals(items).sum / n, by = n - double(fold.correction);
  if (by <= 0) return kOpen;
  double squares = 0, errors = 0;
  for (const Uncertain& x : items) {
    const double distance = std::abs(as_real(x.value) - mean);
    squares += distance * distance;
    errors += (2 * distance + x.error) * x.error;
  }
  const double u = n * unit(fold.type);
  const double rounding = 4 * u * std::sqrt(squares * (squares + n * mean * mean)) +
                          n * (2 * u * mean) * (2 * u * mean);
  return (rounding + errors) / by;
}

// An item's power is scaled at most once for each step of the longest chain, by factors whose
// exponents add up to its distance from the greatest item. A step rounds a difference, a power, a
// product and a sum.
double error_of_logsumexp(const Fold& fold, std::span<const Uncertain> items, double result,
                          const ErrorModel& model) {
  const double most = largest_error(items);
  double greatest = -HUGE_VAL;
  bool is_certain = false;  // a NaN or an infinity among the items is one of the result
  for (const Uncertain& x : items) {
    const double v = as_real(x.value);
    is_certain = is_certain || std::isnan(v) || v == HUGE_VAL;
    greatest = std::max(greatest, v);
  }
  if (!std::isfinite(most)) return kOpen;
  if (!std::isfinite(result)) return is_certain || greatest == -HUGE_VAL ? 0 : kOpen;
  const double u = unit(fold.type), of_function = (2 + model.functions) * u;
  const auto n = std::int64_t(items.size());
  const auto chain = double(std::min(n, model.longest_chain(n)));
  double powers = 0, errors = 0;
  for (const Uncertain& x : items) {
    const double distance = greatest - as_real(x.value);
    if (!std::isfinite(distance)) continue;  // -inf adds nothing
    const double power = std::exp(-distance);
    powers += power;
    // Items of a group have their power from the hardware (lower/fold_groups.h).
    const double of_power = fast_error(Function::Exp, distance, 0) * u;
    errors += power * (chain * (of_function + 2 * u) + of_power + u * distance) + least(fold.type);
  }
  const double of_log = of_function * std::max(1.0, std::abs(std::log(powers)));
  return most + 2 * errors / powers + of_log + 2 * u * std::abs(result) + least(fold.type);
}

double error_of_place(std::span<const Uncertain> items, const Scalar& result) {
  const auto best = std::size_t(result.integer);
  if (best >= items.size()) return 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const double e = items[k].error + items[best].error;
    if (k == best || e == 0) continue;
    if (!(std::abs(as_real(items[k].value) - as_real(items[best].value)) > e)) return kOpen;
  }
  return 0;
}

}  // namespace

double error_of(Function f, std::span<const Uncertain> operands, const Scalar& result,
                const ErrorModel& model, Math math) {
  const double most = largest_error(operands);
  const bool may_differ = math == Math::Fast || (model.functions > 0 && is_of_a_library(f));
  if (most == 0 && !may_differ) return 0;
  double error = 0;
  if (f == Function::Select) {
    const Uncertain &a = operands[1], &b = operands[2];
    error = operands[0].value.integer != 0 ? a.error : b.error;
    if (operands[0].error > 0) {
      error = std::max(a.error, b.error) + std::abs(as_real(a.value) - as_real(b.value));
    }
    return std::isnan(error) ? kOpen : error;
  }
  if (f == Function::And || f == Function::Or || f == Function::Not) return most;
  const bool is_finite = std::all_of(operands.begin(), operands.end(), [](const Uncertain& x) {
    return std::isfinite(as_real(x.value)) && std::isfinite(x.error);
  });
  if (!is_finite) return most > 0 ? kOpen : 0;
  if (!is_floating(operands[0].value.type)) return most > 0 ? kOpen : 0;
  const double a = as_real(operands[0].value), b = as_real(operands.back().value);
  if (info(f).rule == ResultRule::Test) {
    return std::abs(a) + most <= largest(operands[0].value.type) ? 0 : kOpen;
  }
  if (most > 0) error = carried(f, a, operands[0].error, b, operands.back().error);
  if (!is_floating(result.type)) return error;
  if (may_differ) {
    double units = is_of_a_library(f) ? model.functions : 0;
    if (math == Math::Fast) units = std::max(units, fast_error(f, a, b));
    error += units * unit(result.type) * std::max(1.0, std::abs(as_real(result)));
  }
  const bool rounds = f != Function::Neg && f != Function::Abs && f != Function::Relu &&
                      f != Function::Min && f != Function::Max;
  if (rounds && error > 0) error += 4 * unit(result.type) * (std::abs(as_real(result)) + error);
  return std::isnan(error) ? kOpen : error;
}

double error_of_conversion(const Uncertain& from, DataType to, const Scalar& result) {
  if (from.error == 0) return 0;
  const double v = as_real(from.value), e = from.error;
  if (!std::isfinite(v) || !std::isfinite(e) || !is_floating(from.value.type)) return kOpen;
  if (to == DataType::Bool) return std::abs(v) > e ? 0 : kOpen;
  if (is_integer(to)) return std::trunc(v - e) == std::trunc(v + e) ? 0 : kOpen;
  const double u = std::max(unit(to), unit(result.type));
  return e + 2 * u * (std::abs(v) + e) + least(to);
}

double error_of_fold(const Fold& fold, std::span<const Uncertain> items, const Scalar& result,
                     const ErrorModel& model) {
  const double most = largest_error(items);
  switch (fold.how) {
    case Reduction::Any:
    case Reduction::All: return most;
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin: return most;
    case Reduction::ArgMax:
    case Reduction::ArgMin: return error_of_place(items, result);
    case Reduction::Sum:
    case Reduction::Prod:
    case Reduction::Mean:
    case Reduction::Variance: break;
    case Reduction::LogSumExp: return error_of_logsumexp(fold, items, as_real(result), model);
  }
  if (!is_floating(fold.type)) return most > 0 ? kOpen : 0;
  const bool is_variance = fold.how == Reduction::Variance;
  if (items.size() < 2 && most == 0 && !is_variance) return 0;
  const Totals all = totals(items);
  // Not a number, or infinite: so it is in every order, but where items that are finite overflow.
  if (!std::isfinite(all.magnitudes)) {
    const bool is_certain = std::any_of(items.begin(), items.end(), [](const Uncertain& x) {
      return !std::isfinite(as_real(x.value));
    });
    return is_certain && std::isfinite(most) ? 0 : kOpen;
  }
  double error = 0;
  if (fold.how == Reduction::Prod) {
    error = error_of_product(fold.type, items, as_real(result));
  } else if (is_variance) {
    if (all.magnitudes > largest(fold.type)) return kOpen;  // in two passes
    error = error_of_variance(fold, items);
  } else {
    if (all.magnitudes > largest(fold.type)) return kOpen;
    const auto n = std::int64_t(items.size());
    const auto chain = double(std::min(n, model.longest_chain(n)));
    error = all.errors + (chain + 1) * unit(fold.type) * all.magnitudes;
    if (fold.how == Reduction::Mean) error /= double(n);
  }
  error += 2 * unit(fold.type) * std::abs(as_real(result)) + least(fold.type);
  return std::isnan(error) ? kOpen : error;
}

double ScanErrors::take(const Uncertain& item, const Scalar& result) {
  ++items_;
  const double most = std::abs(as_real(item.value)) + item.error;
  is_finite_ = is_finite_ && std::isfinite(as_real(item.value));
  most_ = std::max(most_, item.error);
  errors_ += item.error;
  magnitudes_ += most;
  bound_ *= most;
  up_ *= std::max(most, 1.0);
  if (most > 0) down_ *= std::min(most, 1.0);
  if (fold_.how != Reduction::Sum && fold_.how != Reduction::Prod) return most_;
  if (!is_floating(fold_.type)) return most_ > 0 ? kOpen : 0;
  if (items_ < 2 && most_ == 0) return 0;
  if (!std::isfinite(magnitudes_)) return !is_finite_ && std::isfinite(most_) ? 0 : kOpen;
  double error = 0;
  if (fold_.how == Reduction::Prod) {
    if (!(up_ <= largest(fold_.type)) || down_ < smallest(fold_.type)) return kOpen;
    error = error_of_product(fold_.type, double(items_), bound_, as_real(result));
  } else {
    if (magnitudes_ > largest(fold_.type)) return kOpen;
    error = errors_ + (double(items_) + 1) * unit(fold_.type) * magnitudes_;
  }
  error += 2 * unit(fold_.type) * std::abs(as_real(result)) + least(fold_.type);
  return std::isnan(error) ? kOpen : error;
}

bool is_within(double expected, double actual, double error, DataType stored) {
  if (error == kOpen) return true;
  if (error == 0 || !std::isfinite(expected)) return expected == actual;
  const double rounding = 2 * unit(stored) * (std::abs(expected) + error) + least(stored);
  return std::abs(actual - expected) <= error + rounding;
}

}  // namespace selvage
