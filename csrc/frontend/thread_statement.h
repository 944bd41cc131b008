#pragma once

#include <selvage/frontend/thread_scope.h>

namespace selvage {

// `A[p + 1, q] += 2` as an assignment; adds its value to the program's. Throws BadInput at the
// place in the file: as parse_update, E205 no such array, E302 no such name, E316 a subscript that
// is no sum or product of integers, E503 wrong number of subscripts, E506 a literal that does not
// fit.
Assign read_assignment(const Node& text, const ThreadScope& scope, ThreadProgram& program);

}  // namespace selvage
