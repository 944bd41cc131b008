// Single reductions, from which shrinking is made. What comes out need not be well formed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/oracle/graph.h"

namespace selvage::oracle {

// Without step k. Its inputs take the place of its outputs: in the domains, and, where there are as
// many, in the steps that follow.
Graph without_step(Graph graph, std::size_t k);
// Without these iterdomains, the others renumbered; no step may name them.
void erase_iterdomains(Graph& graph, std::vector<int> gone);
// Numbers on the way from n to least, boldest first.
std::vector<std::int64_t> smaller(std::int64_t n, std::int64_t least);

}  // namespace selvage::oracle
