#pragma once

#include <selvage/simplifier/linear.h>
#include <selvage/simplifier/simplifier.h>

#include <array>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

namespace selvage {

// Parts that the sums of a kernel have in common, up to a factor:
//   io*8 + ii < 67, io*1040 + ii*130 + j   ->   p = io*8 + ii;  p < 67, p*130 + j
//   M*N*b + N*m + n                        ->   p = M*b + m;    p*N + n
// Pairs of terms are taken out one after the other, the ones that save most first. A
// multiplication counts 3, an addition 1, and all that stands in one more loop that iterates 8
// times that; a sum is taken to be computed loop by loop from the outside. No part is larger than
// a partial sum of the sum as it is written in canonical order, or else it fits 32 bits.
class SharedSums {
 public:
  // How many iterating loops run around the first place where an expression can be computed.
  using Depth = std::function<int(Expr e)>;
  SharedSums(Depth depth, Simplifier& ranges) : depth_(std::move(depth)), ranges_(ranges) {}

  // Which gets numbers from 0 on. May the terms be taken in any order, or only those that are
  // added before those that are subtracted?
  void add(LinearSum sum);
  void share();

  // Over atoms and parts, after sharing.
  const LinearSum& operator[](std::size_t i) const { return sums_[i].sum; }
  bool any_order(std::size_t i) const { return sums_[i].any_order; }
  // The sum that a part stands for; nullptr: e is no part.
  const LinearSum* part(Expr e) const;

 private:
  struct Sum {
    LinearSum sum;
    std::int64_t cost;
    bool any_order;        // of all terms
    bool positives_first;  // any order of those that are added, then the rest
  };
  // sums[i] has `factor` times the part in it: two of its terms.
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
