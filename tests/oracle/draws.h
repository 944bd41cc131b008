// Draws from which the random graphs and cases are made.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/random_graph.h"

namespace selvage::oracle {

inline bool chance(std::mt19937_64& rng, int one_in) { return draw(rng, 1, one_in) == 1; }

inline std::string number(std::mt19937_64& rng, std::int64_t lo, std::int64_t hi) {
  return std::to_string(draw(rng, lo, hi));
}

template <class T>
const T& pick(std::mt19937_64& rng, const std::vector<T>& from) {
  return from[draw(rng, 0, static_cast<std::int64_t>(from.size()) - 1)];
}

template <class T>
void shuffle(std::mt19937_64& rng, std::vector<T>& v) {
  for (std::size_t k = v.size(); k > 1; --k)
    std::swap(v[k - 1], v[draw(rng, 0, static_cast<std::int64_t>(k) - 1)]);
}

}  // namespace selvage::oracle
