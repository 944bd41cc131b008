// Smaller descriptions of a fusion that is wrong, one change at a time.
#pragma once

#include <functional>

#include "tests/values/page_program.h"

namespace selvage::values {

// The smallest that is found by changes after each of which `still_fails` holds.
PageProgram shrunk(PageProgram program, const std::function<bool(const PageProgram&)>& still_fails);

}  // namespace selvage::values
