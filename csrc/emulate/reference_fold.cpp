#include <selvage/base/check.h>
#include <selvage/emulate/memory.h>
#include <selvage/emulate/reference_fold.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace selvage {

namespace {

Scalar rounded(double v, DataType type) {
  return type == DataType::Float ? Scalar::of(float(v)) : Scalar::of(v);
}

double sum(std::span<const Scalar> elements) {
  double total = 0;
  for (const Scalar& e : elements) total += as_real(e);
  return total;
}

double variance(std::span<const Scalar> elements, std::int64_t correction) {
  const auto n = std::int64_t(elements.size());
  const double mean = sum(elements) / double(n);
  double squares = 0;
  for (const Scalar& e : elements) squares += (as_real(e) - mean) * (as_real(e) - mean);
  return squares / double(std::max<std::int64_t>(n - correction, 0));
}

double logsumexp(std::span<const Scalar> elements) {
  double most = -HUGE_VAL, powers = 0;
  for (const Scalar& e : elements) {
    if (std::isnan(as_real(e))) return as_real(e);
    most = std::max(most, as_real(e));
  }
  if (std::isinf(most)) return most;
  for (const Scalar& e : elements) powers += std::exp(as_real(e) - most);
  return most + std::log(powers);
}

// The sum or the product.
Scalar total(const Fold& fold, std::span<const Scalar> elements) {
  const bool adds = fold.how == Reduction::Sum;
  if (is_floating(fold.type)) {
    if (adds) return rounded(sum(elements), fold.type);
    double product = 1;
    for (const Scalar& e : elements) product *= as_real(e);
    return rounded(product, fold.type);
  }
  std::uint64_t total = adds ? 0 : 1;
  for (const Scalar& e : elements) {
    total = adds ? total + std::uint64_t(e.integer) : total * std::uint64_t(e.integer);
  }
  return Scalar::of(fold.type, std::int64_t(total));
}

Scalar extremum(const Fold& fold, std::span<const Scalar> elements) {
  Scalar best = identity(fold.how, fold.element);
  for (const Scalar& e : elements) {
    best = selvage::apply(combiner(fold.how), std::array{best, e});
  }
  return best;
}

Scalar place_of_extremum(const Fold& fold, std::span<const Scalar> elements) {
  const bool is_max = fold.how == Reduction::ArgMax;
  const auto beats = [&](const Scalar& a, const Scalar& b) {
    if (is_floating(fold.type) && std::isnan(as_real(a))) return !std::isnan(as_real(b));
    const auto operands = is_max ? std::array{b, a} : std::array{a, b};
    return selvage::apply(Function::Lt, operands).integer != 0;
  };
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (!best || beats(elements[k], elements[*best])) best = k;
  }
  return Scalar::of(DataType::Int64, std::int64_t(best.value_or(0)));
}

bool is_total(Reduction how) { return how == Reduction::Sum || how == Reduction::Prod; }

}  // namespace

PlainScan::PlainScan(const Fold& fold)
    : fold_(fold),
      real_(fold.how == Reduction::Prod ? 1 : 0),
      so_far_(is_total(fold.how) ? total(fold, {}) : identity(fold.how, fold.element)) {}

Scalar PlainScan::take(const Scalar& element) {
  if (!is_total(fold_.how)) {
    return so_far_ = selvage::apply(combiner(fold_.how), std::array{so_far_, element});
  }
  const bool adds = fold_.how == Reduction::Sum;
  if (is_floating(fold_.type)) {
    real_ = adds ? real_ + as_real(element) : real_ * as_real(element);
    return rounded(real_, fold_.type);
  }
  const auto a = std::uint64_t(so_far_.integer), b = std::uint64_t(element.integer);
  return so_far_ = Scalar::of(fold_.type, std::int64_t(adds ? a + b : a * b));
}

Scalar fold_plainly(const Fold& fold, std::span<const Scalar> elements) {
  const auto is_true = [](const Scalar& e) { return e.integer != 0; };
  switch (fold.how) {
    case Reduction::Sum:
    case Reduction::Prod: return total(fold, elements);
    case Reduction::Max:
    case Reduction::Min:
    case Reduction::FMax:
    case Reduction::FMin: return extremum(fold, elements);
    case Reduction::Mean: return rounded(sum(elements) / double(elements.size()), fold.type);
    case Reduction::Variance: return rounded(variance(elements, fold.correction), fold.type);
    case Reduction::LogSumExp: return rounded(logsumexp(elements), fold.type);
    case Reduction::Any:
      return Scalar::of(DataType::Bool, std::any_of(elements.begin(), elements.end(), is_true));
    case Reduction::All:
      return Scalar::of(DataType::Bool, std::all_of(elements.begin(), elements.end(), is_true));
    case Reduction::ArgMax:
    case Reduction::ArgMin: return place_of_extremum(fold, elements);
  }
  SELVAGE_CHECK(!"a reduction");
}

}  // namespace selvage
