#include <selvage/base/integer.h>
#include <selvage/index/hilbert.h>

#include <bit>

namespace selvage {

namespace {

// The operations that both kinds of numbers have.
std::int64_t quotient(std::int64_t e, std::int64_t d) { return floor_div(e, d); }
std::int64_t parity(std::int64_t e) { return *euclid_mod(e, 2); }
std::int64_t like(std::int64_t, std::int64_t value) { return value; }
Expr quotient(Expr e, std::int64_t d) { return e / d; }
Expr parity(Expr e) { return e % 2; }
Expr like(Expr e, std::int64_t value) { return e.pool().constant(value); }

template <class T>
T bit(T e, int i) {
  return parity(i == 0 ? e : quotient(e, std::int64_t(1) << i));
}

int levels(std::int64_t side) { return std::bit_width(std::uint64_t(side)) - 1; }

// How the curve lies in the square that the bits so far lead to.
template <class T>
struct Turned {
  T swapped, round;  // 0 or 1

  T crossed(T a, T b) const { return parity(a + round + swapped * b); }
  void enter(T a, T b) {
    swapped = parity(swapped + 1 + a + b);
    round = parity(round + a * b);
  }
};

template <class T>
std::array<T, 2> point(T u, T v, std::int64_t side) {
  const int n = levels(side);
  const auto of_number = [&](int i) { return i < n ? bit(v, i) : bit(u, i - n); };
  T x = quotient(u, side) * side, y = like(u, 0);
  Turned<T> at{like(u, 0), like(u, 0)};
  for (int i = n; i-- > 0;) {
    const std::int64_t weight = std::int64_t(1) << i;
    const T a = of_number(2 * i + 1), b = of_number(2 * i), own = at.crossed(a, b);
    x = x + own * weight;
    y = y + parity(own + b) * weight;
    at.enter(a, b);
  }
  return {x, y};
}

template <class T>
std::array<T, 2> number(T x, T y, std::int64_t side) {
  const int n = levels(side);
  T u = quotient(x, side) * side, v = like(x, 0);
  Turned<T> at{like(x, 0), like(x, 0)};
  for (int i = n; i-- > 0;) {
    const T own = bit(x, i), b = parity(own + bit(y, i)), a = at.crossed(own, b);
    for (const auto& [digit, k] : {std::pair{a, 2 * i + 1}, std::pair{b, 2 * i}}) {
      T& half = k < n ? v : u;
      half = half + digit * (std::int64_t(1) << (k < n ? k : k - n));
    }
    at.enter(a, b);
  }
  return {u, v};
}

}  // namespace

std::array<Expr, 2> hilbert_point(Expr u, Expr v, std::int64_t side) { return point(u, v, side); }
std::array<Expr, 2> hilbert_number(Expr x, Expr y, std::int64_t side) { return number(x, y, side); }
std::array<std::int64_t, 2> hilbert_point(std::int64_t u, std::int64_t v, std::int64_t side) {
  return point(u, v, side);
}
std::array<std::int64_t, 2> hilbert_number(std::int64_t x, std::int64_t y, std::int64_t side) {
  return number(x, y, side);
}

}  // namespace selvage
