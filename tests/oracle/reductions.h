// Single reductions, of which shrinking consists. The results need not be well formed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/oracle/graph.h"

namespace selvage::oracle {

// The graph without step k. In the domains the inputs of the step replace its outputs; a later step
// takes the input at the place of the output, or the last input if there are fewer.
Graph without_step(Graph graph, std::size_t k);
// Removes these iterdomains and renumbers the others. No step may name a removed one.
void erase_iterdomains(Graph& graph, std::vector<int> gone);
// Numbers on the way from n to least, boldest first.
std::vector<std::int64_t> smaller(std::int64_t n, std::int64_t least);

}  // namespace selvage::oracle
