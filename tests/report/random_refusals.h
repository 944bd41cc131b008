// Random files that are refused with a given code, for most draws.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/report/refused_file.h"

namespace selvage::test {

using RandomFile = std::function<RefusedFile(std::mt19937_64&)>;

// By code: those about schedules and statements.
const std::map<std::string, RandomFile>& schedule_refusals();

// The codes that there are files for, in order.
std::vector<std::string> refused_codes();

RefusedFile random_file_refused_with(const std::string& code, std::mt19937_64& rng);

}  // namespace selvage::test
