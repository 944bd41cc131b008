// What the generators of random accesses share.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "tests/oracle/access_case.h"

namespace selvage::oracle {

inline constexpr std::int64_t kMostRandomPoints = 8'000;

// Adds up to `steps` transforms of any kind at leaves that are not in `keep`.
void cut_up_leaves(std::mt19937_64& rng, Graph& graph, const std::vector<int>& keep, int steps);

// Binds some of the unbound loops, to blocks, threads and Unroll.
void bind_at_random(std::mt19937_64& rng, const Graph& graph, Binding& binding);

// Takes a case that is meant to be legal, and returns it, a near miss of it, or the first of a few
// near misses that is illegal.
AccessCase spoilt(std::mt19937_64& rng, AccessCase access,
                  const std::function<bool(const AccessCase&)>& is_legal);

}  // namespace selvage::oracle
