#pragma once

#include <selvage/kernel/kernel.h>
#include <selvage/threads/program.h>

namespace selvage {

// The shape of a matrix multiplication that a thread program asks for, by the last axes of its
// arrays; without addresses. Throws Illegal E831 at `place` for arrays of other types, memories or
// extents than it takes.
Mma checked_mma(const MultiplyTiles& mma, const ThreadProgram& program, const Place& place);

}  // namespace selvage
