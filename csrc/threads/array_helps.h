#pragma once

#include <selvage/threads/tried_helps.h>

namespace selvage {

// Mends for arrays that take more memory than there is (E820 at an array's place); empty for a
// diagnostic at another place.
std::vector<Mend> array_mends(const ThreadProgram& program, const Diagnostic& d);

}  // namespace selvage
