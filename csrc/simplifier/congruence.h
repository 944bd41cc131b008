#pragma once

#include <selvage/simplifier/interval.h>

#include <cstdint>
#include <optional>

namespace selvage {

// The integers v with v = residue (mod modulus), 0 <= residue < modulus. Modulus 1: all of them.
// Modulus 0: residue alone. Arithmetic that would overflow widens to "all of them".
struct Congruence {
  std::int64_t modulus = 1;
  std::int64_t residue = 0;

  static Congruence point(std::int64_t v) { return {0, v}; }
  static Congruence everything() { return {}; }
  static Congruence multiple_of(std::int64_t m) { return {m, 0}; }

  bool is_point() const { return modulus == 0; }
  // Whether all members leave the same remainder when divided by d >= 1.
  bool decides(std::int64_t d) const { return modulus % d == 0; }
  bool contains(std::int64_t v) const;

  friend bool operator==(const Congruence&, const Congruence&) = default;
};

Congruence operator+(Congruence x, Congruence y);
Congruence operator-(Congruence x, Congruence y);
Congruence operator*(Congruence x, Congruence y);
// Quotient and remainder; everything() unless y is a constant of at least 1.
Congruence operator/(Congruence x, Congruence y);
Congruence operator%(Congruence x, Congruence y);
// hull(): the smallest congruence that holds x and y. intersect(): sets *out to the common members,
// or to one of x and y where the common modulus exceeds 2^31. False: no common member.
Congruence hull(Congruence x, Congruence y);
inline Congruence min(Congruence x, Congruence y) { return hull(x, y); }
inline Congruence max(Congruence x, Congruence y) { return hull(x, y); }
inline Congruence choice(Congruence, Congruence x, Congruence y) { return hull(x, y); }
bool intersect(Congruence x, Congruence y, Congruence* out);

// The least member >= from, the greatest member <= to; nothing if no such member fits 64 bits.
std::optional<std::int64_t> first_member(std::int64_t from, Congruence x);
std::optional<std::int64_t> last_member(std::int64_t to, Congruence x);
// The range cut down to its first and last member of `to`. A congruence of one number (modulus 0)
// leaves the range as it is.
Interval tightened(Interval range, Congruence to);

}  // namespace selvage
