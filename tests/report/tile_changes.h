// What the helps for tiles, allocations and fills say, and what it does to a file of one tensor.
#pragma once

#include <vector>

#include "tests/report/refused_file.h"

namespace selvage::test {

const std::vector<Change>& tile_changes();

}  // namespace selvage::test
