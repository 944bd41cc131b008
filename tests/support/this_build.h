#pragma once

#include <string>

namespace selvage::test {

// What a test asks of the build that it is linked in. No macro can say it: the object files of
// tests may come from another build (SELVAGE_TESTS_FROM in cmake/tests.cmake).

// The path of schedule_inspect, which lies beside this program.
std::string inspect_path();

// Whether the libraries are watched by AddressSanitizer.
bool is_address_sanitized();

}  // namespace selvage::test
