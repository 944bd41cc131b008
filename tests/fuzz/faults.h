#pragma once

#include <string>

#include "tests/corpus/line.h"

namespace selvage::fuzz {

// What is wrong with how a line is simplified, as "KIND: more"; empty: nothing. KIND is
//   value   the simplified expression differs at a point
//   claim   its interval or congruence leaves out a value, or a verdict is wrong
//   steps   it took more steps than any expression may
//   again   simplifying the result changes it
std::string fault(const corpus::Line& line);

// The same for any bytes: the fault and a short line that shows it, to be given to
// `schedule_inspect --simplify`.
std::string fault_of_bytes(const unsigned char* bytes, std::size_t size);

}  // namespace selvage::fuzz
