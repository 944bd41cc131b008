#include <selvage/base/integer.h>
#include <selvage/simplifier/congruence.h>

namespace selvage {

namespace {

constexpr std::int64_t kTooLarge = INT64_MIN;

std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b) {
  if (a == kTooLarge || b == kTooLarge) return 1;
  return common_divisor(a, b);
}

Congruence make(std::int64_t modulus, std::optional<std::int64_t> residue) {
  if (!residue) return Congruence::everything();
  if (modulus == 0) return Congruence::point(*residue);
  if (modulus == kTooLarge) return Congruence::everything();
  if (modulus < 0) modulus = -modulus;
  return {modulus, *euclid_mod(*residue, modulus)};
}

}  // namespace

bool Congruence::contains(std::int64_t v) const {
  return modulus == 0 ? v == residue : euclid_mod(v, modulus) == residue;
}

Congruence operator+(Congruence x, Congruence y) {
  return make(greatest_common_divisor(x.modulus, y.modulus), checked_add(x.residue, y.residue));
}

Congruence operator-(Congruence x, Congruence y) {
  return make(greatest_common_divisor(x.modulus, y.modulus), checked_sub(x.residue, y.residue));
}

// (m*s + r)(n*t + q) = mn*st + mq*s + nr*t + rq
Congruence operator*(Congruence x, Congruence y) {
  const auto mn = checked_mul(x.modulus, y.modulus), mq = checked_mul(x.modulus, y.residue),
             nr = checked_mul(y.modulus, x.residue);
  if (!mn || !mq || !nr) return Congruence::everything();
  return make(greatest_common_divisor(greatest_common_divisor(*mn, *mq), *nr),
              checked_mul(x.residue, y.residue));
}

Congruence operator/(Congruence x, Congruence y) {
  const std::int64_t d = y.residue;
  if (!y.is_point() || d < 1) return Congruence::everything();
  if (x.is_point()) return Congruence::point(floor_div(x.residue, d));
  // (m*s + r) / d = (m/d)*s + r/d if d divides m.
  if (x.modulus % d != 0) return Congruence::everything();
  return make(x.modulus / d, floor_div(x.residue, d));
}

Congruence operator%(Congruence x, Congruence y) {
  const std::int64_t d = y.residue;
  if (!y.is_point() || d < 1) return Congruence::everything();
  if (x.decides(d)) return Congruence::point(*euclid_mod(x.residue, d));
  // v % d = v - d*(v/d): known modulo gcd(m, d).
  return make(greatest_common_divisor(x.modulus, d), x.residue);
}

Congruence hull(Congruence x, Congruence y) {
  const auto distance = checked_sub(x.residue, y.residue);
  if (!distance) return Congruence::everything();
  return make(greatest_common_divisor(greatest_common_divisor(x.modulus, y.modulus), *distance),
              x.residue);
}

bool intersect(Congruence x, Congruence y, Congruence* out) {
  if (x.is_point() || y.is_point()) {
    const Congruence& point = x.is_point() ? x : y;
    *out = point;
    return (x.is_point() ? y : x).contains(point.residue);
  }
  // Chinese remainders: r + m*k with m*k = q - r (mod n).
  const std::int64_t g = greatest_common_divisor(x.modulus, y.modulus);
  if ((x.residue - y.residue) % g != 0) return false;
  const auto lcm = checked_mul(x.modulus / g, y.modulus);
  *out = x.modulus >= y.modulus ? x : y;
  if (!lcm || *lcm > (std::int64_t{1} << 31)) return true;  // wider than it could be, and sound
  for (std::int64_t v = out->residue; v < *lcm; v += out->modulus) {
    if (x.contains(v) && y.contains(v)) {
      *out = {*lcm, v};
      return true;
    }
  }
  return false;
}

std::optional<std::int64_t> first_member(std::int64_t from, Congruence x) {
  if (x.is_point()) return x.residue >= from ? std::optional(x.residue) : std::nullopt;
  return checked_add(from, *euclid_mod(x.residue - *euclid_mod(from, x.modulus), x.modulus));
}

std::optional<std::int64_t> last_member(std::int64_t to, Congruence x) {
  if (x.is_point()) return x.residue <= to ? std::optional(x.residue) : std::nullopt;
  return checked_sub(to, *euclid_mod(*euclid_mod(to, x.modulus) - x.residue, x.modulus));
}

Interval tightened(Interval range, Congruence to) {
  if (to.modulus <= 1) return range;
  if (range.has_lo()) range.lo = first_member(range.lo, to).value_or(Interval::kInfinity);
  if (range.has_hi()) range.hi = last_member(range.hi, to).value_or(Interval::kMinusInfinity);
  return range;
}

}  // namespace selvage
