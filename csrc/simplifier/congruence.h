#pragma once

#include <cstdint>

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
  // Every member leaves the same remainder by d (d >= 1)?
  bool decides(std::int64_t d) const { return modulus % d == 0; }
  bool contains(std::int64_t v) const;

  friend bool operator==(const Congruence&, const Congruence&) = default;
};

Congruence operator+(Congruence x, Congruence y);
Congruence operator-(Congruence x, Congruence y);
Congruence operator*(Congruence x, Congruence y);
// Quotient and remainder by a constant d >= 1.
Congruence divide(Congruence x, std::int64_t d);
Congruence remainder(Congruence x, std::int64_t d);
// The smallest congruence that holds both, and the members of both (nothing: `false`).
Congruence hull(Congruence x, Congruence y);
bool intersect(Congruence x, Congruence y, Congruence* out);

}  // namespace selvage
