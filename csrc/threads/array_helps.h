#pragma once

#include <selvage/threads/tried_helps.h>

namespace selvage {

// What may mend arrays that take more memory than there is: E820 at an array's place. Nothing at
// other places.
std::vector<Mend> array_mends(const ThreadProgram& program, const Diagnostic& d);

}  // namespace selvage
