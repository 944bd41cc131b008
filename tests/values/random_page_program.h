// Random fusions over all types, with inputs that are extreme as often as not.
#pragma once

#include <cstdint>

#include "tests/values/page_program.h"

namespace selvage::values {

// All of it from the seed. Every expression has a type by the page.
PageProgram random_page_program(std::uint64_t seed);

}  // namespace selvage::values
