#pragma once

#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/simplifier.h>

#include <array>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

namespace selvage {

// Finds parts that the sums of a kernel have in common, up to a factor:
//   io*8 + ii < 67, io*1040 + ii*130 + j   ->   p = io*8 + ii;  p < 67, p*130 + j
//   M*N*b + N*m + n                        ->   p = M*b + m;    p*N + n
// Pairs of terms are taken out one after the other, the pair that saves most first. The cost model:
// a multiplication is 3, an addition 1, each iterating loop around multiplies by 8, and a sum is
// computed loop by loop from the outside. Every part is no larger than some partial sum of the sum
// in canonical order, or fits 32 bits.
class SharedSums {
 public:
  // The number of iterating loops around the first place where an expression can be computed.
  using Depth = std::function<int(Expr e)>;
  SharedSums(Depth depth, Simplifier& ranges) : depth_(std::move(depth)), ranges_(ranges) {}

  // Adds a sum; sums are numbered from 0 on.
  void add(LinearSum sum);
  void share();

  // After share(): sum i over atoms and parts, and whether its terms may be added in any order
  // (else those that are added come before those that are subtracted).
  const LinearSum& operator[](std::size_t i) const { return sums_[i].sum; }
  bool any_order(std::size_t i) const { return sums_[i].any_order; }
  // The sum that part e stands for; nullptr if e is no part.
  const LinearSum* part(Expr e) const;

 private:
  struct Sum {
    LinearSum sum;
    std::int64_t cost;
    bool any_order;        // all terms in any order
    bool positives_first;  // the added terms in any order, then the rest
  };
  // Two terms of sums_[sum] that are `factor` times the part.
  struct Place {
    std::size_t sum;
    LinearSum::Term terms[2];
    LinearSum::Term factor;  // its monomial may be invalid: 1
  };
  struct Pair {
    LinearSum part;
    std::vector<Place> places;
    std::int64_t saved = 0;
  };
  using Key = std::array<std::int64_t, 5>;  // of a part: its terms and its constant
  void find_pairs(std::size_t i, std::vector<Pair>& pairs, std::map<Key, std::size_t>& numbers);
  bool take_out(Pair& pair, bool really);
  std::int64_t cost(const LinearSum& sum) const;
  std::int64_t cost(const LinearSum::Term& term) const;

  Depth depth_;
  Simplifier& ranges_;
  std::vector<Sum> sums_;
  std::unordered_map<std::uint32_t, LinearSum> parts_;
};

}  // namespace selvage
