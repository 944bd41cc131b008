// Random files of one tensor that are refused with a given code, for most draws: of TMA copies and
// of what holes of memory hold.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>

#include "tests/report/refused_file.h"

namespace selvage::test {

using Makers = std::map<std::string, std::function<RefusedFile(std::mt19937_64&)>>;

Makers tile_refusals();

// E443, E453 and E470 to E475.
Makers fill_refusals();

}  // namespace selvage::test
