// Random thread programs that are refused with a given code, most of them. Bodies are written on
// one line.
#pragma once

#include <string>
#include <vector>

#include "tests/threads/draws.h"

namespace selvage::threads {

// The codes that there are programs for, in order.
std::vector<std::string> program_codes();

std::string program_refused_with(const std::string& code, thread_oracle::Draws& draws);

}  // namespace selvage::threads
