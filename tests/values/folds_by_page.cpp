// What folds give, by doc/values.md: exactly where every order gives the same, else with what the
// errors of any order of float additions come to at the most.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/special_values.h"
#include "tests/values/page_program.h"

namespace selvage::values {

namespace {

DataType fold_carrier(DataType type) { return type == DataType::Double ? type : DataType::Float; }
int precision(DataType type) { return type == DataType::Double ? 53 : 24; }
double half_step(DataType type) { return std::ldexp(1.0, -precision(type)); }
double most(DataType type) {
  return type == DataType::Double ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
}

Element open_element(DataType type) { return {.type = type, .slack = kInfinity}; }

bool any_of(const std::vector<Element>& items, auto holds) {
  return std::any_of(items.begin(), items.end(), holds);
}

// x = odd * 2^exponent
struct Odd {
  double odd;
  int exponent;
};
Odd odd_part(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);
  const auto bits = std::uint64_t(std::ldexp(fraction, 53));
  const int zeros = std::countr_zero(bits);
  return {double(bits >> zeros), exponent - 53 + zeros};
}

// Of finite items: is every partial sum, in any order, held exactly?
bool sums_exactly(const std::vector<Element>& items, DataType type) {
  int least = 2000;
  long double sizes = 0;
  for (const Element& e : items) {
    if (e.slack > 0) return false;
    if (e.real != 0) least = std::min(least, odd_part(e.real).exponent);
    sizes += std::abs(static_cast<long double>(e.real));
  }
  return sizes <= std::ldexp(1.0L, std::min(least + precision(type), 16000)) && sizes <= most(type);
}

Element sum_of_reals(const std::vector<Element>& items, DataType type) {
  Element r{.type = type};
  if (any_of(items, [](const Element& e) { return is_nan(e); })) {
    r.real = std::numeric_limits<double>::quiet_NaN();
    return r;
  }
  long double sum = 0, sizes = 0;
  double slack = 0;
  bool has_infinity = false;
  for (const Element& e : items) {
    has_infinity = has_infinity || std::isinf(e.real);
    sum += e.real;
    if (std::isinf(e.real)) continue;
    sizes += std::abs(static_cast<long double>(e.real));
    slack += e.slack;
  }
  if (sizes + slack > 0.5L * most(type)) return open_element(type);  // some order may overflow
  r.real = has_infinity ? double(sum) : round_to_carried(double(sum), type);
  if (has_infinity || sums_exactly(items, type)) return r;
  const bool is_one = items.size() == 1;
  const double errors = is_one ? 0 : double(sizes) * double(items.size()) * half_step(type) * 1.01;
  r.slack = slack + errors + (is_one ? 0 : step_at(r.real, fold_carrier(type)));
  return r;
}

Element product_of_reals(const std::vector<Element>& items, DataType type) {
  Element r{.type = type};
  if (any_of(items, [](const Element& e) { return is_nan(e); })) {
    r.real = std::numeric_limits<double>::quiet_NaN();
    return r;
  }
  if (any_of(items, [](const Element& e) { return e.slack > 0; })) {
    return items.size() == 1 ? items[0] : open_element(type);
  }
  if (items.size() == 1) {
    r.real = items[0].real;
    return r;
  }
  long double product = 1, high = 1, low = 1, odds = 1;
  for (const Element& e : items) {
    product *= e.real;
    if (e.real == 0 || std::isinf(e.real)) continue;
    const long double size = std::abs(static_cast<long double>(e.real));
    (size > 1 ? high : low) *= size;
    odds *= odd_part(e.real).odd;
  }
  const long double least = type == DataType::Double ? 0x1p-1022L : 0x1p-126L;
  if (!(high < 0.5L * most(type)) || !(low > 2 * least)) return open_element(type);
  r.real = std::isfinite(product) ? round_to_carried(double(product), type) : double(product);
  if (std::isfinite(product) && product != 0 && odds > std::ldexp(1.0L, precision(type))) {
    r.slack = std::abs(r.real) * double(items.size()) * half_step(type) * 1.01 +
              step_at(r.real, fold_carrier(type));
  }
  return r;
}

Element mean_of(const std::vector<Element>& items, DataType type) {
  if (items.empty()) return {.type = type, .real = std::numeric_limits<double>::quiet_NaN()};
  const Element sum = sum_of_reals(items, type);
  if (is_open(sum)) return sum;
  return values::apply(Op::Div, {sum, number(type, double(items.size()))});
}

Element variance_of(const std::vector<Element>& items, DataType type, int correction) {
  const auto n = double(items.size());
  const double divisor = std::max(0.0, n - correction);
  Element r{.type = type, .real = std::numeric_limits<double>::quiet_NaN()};
  long double mean = 0, squares = 0, sizes = 0;
  double slack = 0;
  for (const Element& e : items) {
    if (!std::isfinite(e.real)) return r;
    mean += static_cast<long double>(e.real) / n;
    sizes += static_cast<long double>(e.real) * e.real;
    slack += e.slack;
  }
  for (const Element& e : items) squares += (e.real - mean) * (e.real - mean);
  if (items.size() < 2) {
    if (divisor > 0) r.real = 0;
    return r;
  }
  if (divisor == 0 || slack > 0 || !(4 * n * sizes < most(type))) return open_element(type);
  r.real = round_to_carried(double(squares / divisor), type);
  r.slack =
      16 * n * half_step(type) * double(sizes) / divisor + 16 * step_at(r.real, fold_carrier(type));
  return r;
}

// -0.0 is the less.
bool is_before(const Element& a, const Element& b) {
  if (!is_floating(a.type)) return a.integer < b.integer;
  return a.real < b.real || (a.real == b.real && std::signbit(a.real) && !std::signbit(b.real));
}

Element identity_of(How how, DataType type) {
  const bool is_low = how == How::Max || how == How::FMax;
  if (is_floating(type)) return {.type = type, .real = is_low ? -kInfinity : kInfinity};
  if (type == DataType::Bool) return whole(type, is_low ? 0 : 1);
  const bool is_signed = type >= DataType::Int8 && type <= DataType::Int64;
  const int bits = 8 * size_of(type);
  if (is_signed)
    return whole(type, is_low ? -(Wide(1) << (bits - 1)) : (Wide(1) << (bits - 1)) - 1);
  return whole(type, is_low ? 0 : (Wide(1) << bits) - 1);
}

Element extreme_of(How how, const std::vector<Element>& items, DataType type) {
  const bool passes_over = how == How::FMax || how == How::FMin;
  const bool is_low = how == How::Min || how == How::FMin;
  Element best = identity_of(how, type);
  double slack = 0;
  for (const Element& e : items) {
    if (is_nan(e)) {
      if (passes_over) continue;
      return {.type = type, .real = e.real};
    }
    slack = std::max(slack, e.slack);
    if (is_low ? is_before(e, best) : is_before(best, e)) best = e;
  }
  best.type = type;
  best.slack = slack;
  return best;
}

Element place_of(How how, const std::vector<Element>& items) {
  std::size_t best = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (is_nan(items[k])) return whole(DataType::Int64, Wide(k));
    const Element &a = items[k], &b = items[best];
    const bool is_better =
        is_floating(a.type) ? (how == How::ArgMax ? a.real > b.real : a.real < b.real)
                            : (how == How::ArgMax ? a.integer > b.integer : a.integer < b.integer);
    if (is_better) best = k;
  }
  for (std::size_t k = 0; k < items.size(); ++k) {
    const double slack = items[k].slack + items[best].slack;
    if (k != best && slack > 0 && std::abs(items[k].real - items[best].real) <= slack * 1.0001) {
      return open_element(DataType::Int64);
    }
  }
  return whole(DataType::Int64, Wide(best));
}

}  // namespace

DataType fold_result(How how, DataType item) {
  switch (how) {
    case How::Sum:
    case How::Prod:
      if (is_floating(item) || item == DataType::UInt64) return item;
      return DataType::Int64;
    case How::Mean:
    case How::Var: return is_floating(item) ? item : DataType::Float;
    case How::Any:
    case How::All: return DataType::Bool;
    case How::ArgMax:
    case How::ArgMin: return DataType::Int64;
    case How::Max:
    case How::Min:
    case How::FMax:
    case How::FMin: break;
  }
  return item;
}

Element folded(How how, const std::vector<Element>& given, int correction) {
  const DataType from = given.at(0).type, type = fold_result(how, from);
  if (any_of(given, is_open)) return open_element(type);
  std::vector<Element> items;
  const bool keeps_type = how == How::ArgMax || how == How::ArgMin;
  for (const Element& e : given) {
    items.push_back(how == How::Any || how == How::All ? cast(e, DataType::Bool)
                    : keeps_type                       ? e
                                                       : carried(e, type));
  }
  if (any_of(items, is_open)) return open_element(type);
  switch (how) {
    case How::Sum:
    case How::Prod: {
      if (is_floating(type)) {
        return how == How::Sum ? sum_of_reals(items, type) : product_of_reals(items, type);
      }
      Element r = whole(type, how == How::Sum ? 0 : 1);
      for (const Element& e : items) r = values::apply(how == How::Sum ? Op::Add : Op::Mul, {r, e});
      return r;
    }
    case How::Mean: return mean_of(items, type);
    case How::Var: return variance_of(items, type, correction);
    case How::Any:
    case How::All: {
      const bool is_any = how == How::Any;
      const bool found =
          any_of(items, [&](const Element& e) { return (e.integer != 0) == is_any; });
      return whole(type, found == is_any);
    }
    case How::Max:
    case How::Min:
    case How::FMax:
    case How::FMin: return extreme_of(how, items, type);
    case How::ArgMax:
    case How::ArgMin: break;
  }
  return place_of(how, items);
}

}  // namespace selvage::values
