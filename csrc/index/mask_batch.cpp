// MaskSweep: the values of a predicate at many points.
#include <selvage/index/mask_sweep.h>

#include <algorithm>
#include <bit>

namespace selvage {

namespace {

// Where nothing overflows and no divisor is 0.
std::int64_t euclidean_quotient(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) return std::int64_t(std::uint32_t(a) / std::uint32_t(b));
  const std::int64_t q = a / b;
  return a - q * b >= 0 ? q : b > 0 ? q - 1 : q + 1;
}
std::int64_t euclidean_remainder(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) return std::int64_t(std::uint32_t(a) % std::uint32_t(b));
  const std::int64_t r = a % b;
  return r >= 0 ? r : b > 0 ? r + b : r - b;
}

// Division of many by one: a shift, or a product with the reciprocal of 32 bits (Lemire, Kaser and
// Kurz, "Faster remainder by direct computation", 2019), or a division after all.
class Divider {
 public:
  Divider(std::int64_t divisor, Interval dividends) : divisor_(divisor) {
    const bool is_power = divisor > 0 && std::has_single_bit(std::uint64_t(divisor));
    const auto is_word = [](std::int64_t v) { return v >= 0 && v >> 32 == 0; };
    if (is_power) {
      way_ = Way::Shift;
      shift_ = std::countr_zero(std::uint64_t(divisor));
    } else if (is_word(divisor) && is_word(dividends.lo) && is_word(dividends.hi)) {
      way_ = Way::Product;
      reciprocal_ = ~std::uint64_t{0} / std::uint64_t(divisor) + 1;
    }
  }

  void quotients(const std::int64_t* a, std::int64_t* out, std::size_t n) const {
    switch (way_) {
      case Way::Shift:
        for (std::size_t i = 0; i < n; ++i) out[i] = a[i] >> shift_;
        break;
      case Way::Product:
        for (std::size_t i = 0; i < n; ++i) out[i] = by_product(a[i]);
        break;
      case Way::Division:
        for (std::size_t i = 0; i < n; ++i) out[i] = euclidean_quotient(a[i], divisor_);
        break;
    }
  }
  void remainders(const std::int64_t* a, std::int64_t* out, std::size_t n) const {
    switch (way_) {
      case Way::Shift:
        for (std::size_t i = 0; i < n; ++i) out[i] = a[i] & (divisor_ - 1);
        break;
      case Way::Product:
        for (std::size_t i = 0; i < n; ++i) out[i] = a[i] - by_product(a[i]) * divisor_;
        break;
      case Way::Division:
        for (std::size_t i = 0; i < n; ++i) out[i] = euclidean_remainder(a[i], divisor_);
        break;
    }
  }

 private:
  enum class Way : unsigned char { Shift, Product, Division };
  __extension__ using Wide = unsigned __int128;

  std::int64_t by_product(std::int64_t a) const {
    return std::int64_t(Wide(std::uint64_t(a)) * reciprocal_ >> 64);
  }

  Way way_ = Way::Division;
  std::int64_t divisor_;
  int shift_ = 0;
  std::uint64_t reciprocal_ = 0;
};

}  // namespace

// Of so many points from axis k = lo on: into the root's column.
void MaskSweep::evaluate_batch(std::size_t k, std::int64_t lo, std::int64_t points) {
  const std::int64_t inner = suffix_[k + 1];
  // An axis stands in its column as it did, where it is to stand there once more.
  const auto fill = [&](std::size_t j, std::int64_t from, std::int64_t end, std::int64_t each) {
    const Filled wanted = {from, end, points};
    if (filled_[j] == wanted) return;
    filled_[j] = wanted;
    std::vector<std::int64_t>& own = columns_[fixed_ + j];
    own.resize(std::size_t(kBatch));
    for (std::int64_t i = 0, x = from; i < points; x = x + 1 == end ? from : x + 1) {
      for (const std::int64_t next = std::min(i + each, points); i < next; ++i) {
        own[std::size_t(i)] = x;
      }
    }
  };
  fill(k, lo, lo + points / inner, inner);
  for (std::size_t j = k + 1; j < used_.size(); ++j) fill(j, 0, extents_[j], suffix_[j + 1]);
  for (const Instruction& in : code_) evaluate(in, k, points);
  std::vector<std::int64_t>& results = columns_[root_];
  if (last_axis_[root_] < int(k)) {  // it does not depend on them, only its bounds do
    const std::int64_t value =
        ranges_[root_].lo == ranges_[root_].hi ? ranges_[root_].lo : columns_[root_].at(0);
    results.assign(std::size_t(points), value);
    if (root_ >= fixed_ && root_ < inputs_.size()) filled_[root_ - fixed_] = {};
  }
}

MaskSweep::Column MaskSweep::column(std::uint32_t slot, std::size_t k) const {
  if (last_axis_[slot] < int(k)) {
    // A constant, a fixed input and an axis before k are points; what comes of them was computed.
    const bool is_computed = slot >= inputs_.size() && !columns_[slot].empty();
    return {is_computed ? columns_[slot].data() : &ranges_[slot].lo, true};
  }
  return {columns_[slot].data(), false};
}

// Whole batches have a length that the compiler knows.
template <class Value>
void MaskSweep::each_of(std::size_t n, std::int64_t* out, Value value) {
  if (n == std::size_t(kBatch)) {
    for (std::size_t i = 0; i < std::size_t(kBatch); ++i) out[i] = value(i);
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = value(i);
  }
}

void MaskSweep::evaluate(const Instruction& in, std::size_t k, std::int64_t points) {
  const Column a = column(in.a, k), b = column(in.b, k), c = column(in.c, k);
  std::vector<std::int64_t>& out = columns_[in.out];
  out.resize(std::size_t(kBatch));
  const std::size_t n = last_axis_[in.out] < int(k) ? 1 : std::size_t(points);
  std::int64_t* __restrict r = out.data();
  const std::int64_t* __restrict x = a.values, * __restrict y = b.values;
  const auto each = [&](auto value) {
    if (a.is_one && b.is_one) {
      std::fill_n(r, n, value(*x, *y));
    } else if (a.is_one) {
      each_of(n, r, [v = *x, y, value](std::size_t i) { return value(v, y[i]); });
    } else if (b.is_one) {
      each_of(n, r, [v = *y, x, value](std::size_t i) { return value(x[i], v); });
    } else {
      each_of(n, r, [x, y, value](std::size_t i) { return value(x[i], y[i]); });
    }
  };
  using V = std::int64_t;
  switch (in.op) {
    case Op::Add: each([](V x, V y) { return x + y; }); break;
    case Op::Sub: each([](V x, V y) { return x - y; }); break;
    case Op::Mul: each([](V x, V y) { return x * y; }); break;
    case Op::Div:
      if (!a.is_one && b.is_one) {
        Divider(*b.values, ranges_[in.a]).quotients(a.values, r, n);
      } else {
        each(euclidean_quotient);
      }
      break;
    case Op::Mod:
      if (!a.is_one && b.is_one) {
        Divider(*b.values, ranges_[in.a]).remainders(a.values, r, n);
      } else {
        each(euclidean_remainder);
      }
      break;
    case Op::Min: each([](V x, V y) { return std::min(x, y); }); break;
    case Op::Max: each([](V x, V y) { return std::max(x, y); }); break;
    case Op::Xor: each([](V x, V y) { return x ^ y; }); break;
    case Op::Select:
      for (std::size_t i = 0; i < n; ++i) {
        const auto at = [&](const Column& col) { return col.values[col.is_one ? 0 : i]; };
        r[i] = at(a) != 0 ? at(b) : at(c);
      }
      break;
    case Op::Lt: each([](V x, V y) { return V(x < y); }); break;
    case Op::Le: each([](V x, V y) { return V(x <= y); }); break;
    case Op::Eq: each([](V x, V y) { return V(x == y); }); break;
    case Op::Not: each([](V x, V) { return V(x == 0); }); break;
    case Op::And: each([](V x, V y) { return V(x != 0 && y != 0); }); break;
    case Op::Or: each([](V x, V y) { return V(x != 0 || y != 0); }); break;
    case Op::Const:
    case Op::Bool:
    case Op::Symbol:
    case Op::Let:
    case Op::Load:
    case Op::Call: break;
  }
}

// The same where something may be undefined: the first point at which it is ends it.
void MaskSweep::evaluate_one_by_one(std::size_t k, std::int64_t lo, std::int64_t points) {
  std::vector<std::int64_t>& results = columns_[root_];
  results.resize(std::size_t(kBatch));
  if (root_ >= fixed_ && root_ < inputs_.size()) filled_[root_ - fixed_] = {};
  for (std::size_t j = 0; j < k; ++j) inputs_[fixed_ + j] = ranges_[fixed_ + j].lo;
  for (std::int64_t i = 0; i < points; ++i) {
    inputs_[fixed_ + k] = lo + i / suffix_[k + 1];
    for (std::size_t j = k + 1; j < used_.size(); ++j) {
      inputs_[fixed_ + j] = i / suffix_[j + 1] % extents_[j];
    }
    if (!tape_.evaluate(inputs_)) {
      outcome_ = Outcome::Undefined;
      undefined_at_.assign(axes_, 0);
      for (std::size_t j = 0; j < used_.size(); ++j) {
        undefined_at_[used_[j]] = inputs_[fixed_ + j];
      }
      return;
    }
    results[std::size_t(i)] = tape_.root(0);
  }
}

}  // namespace selvage
