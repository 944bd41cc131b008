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

// Of E820 to E823 and E825.
std::string past_limit(thread_oracle::Draws& draws);
std::string not_filled(thread_oracle::Draws& draws);
std::string side_by_side(thread_oracle::Draws& draws);
std::string out_of_order(thread_oracle::Draws& draws);
std::string unlike_extents(thread_oracle::Draws& draws);

}  // namespace selvage::threads
