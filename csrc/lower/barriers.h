#pragma once

#include <selvage/kernel/kernel.h>

namespace selvage {

// Puts barriers where threads of a block meet in memory: between two accesses of one buffer, one of
// them a write, that no barrier lies between yet, on the way from the one to the other or around a
// loop. As few as will do: as late as possible, and outside a loop rather than inside. Guards are
// left as they are: what they guard has no barrier, for part of the threads would not reach it.
void add_barriers(Kernel& kernel);

std::size_t barriers_in(const Body& body);

}  // namespace selvage
