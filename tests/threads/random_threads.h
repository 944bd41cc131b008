// Random thread programs: mostly legal, now and then not.
#pragma once

#include "tests/threads/thread_case.h"

namespace selvage::thread_oracle {

ThreadCase random_threads(std::uint64_t seed);

// One of inner levels with code beside them, that asks for no barrier: each that it gets is one of
// implicit masks.
ThreadCase random_implicit(std::uint64_t seed);

// One in which at every meeting some thread goes on with what another has left there.
ThreadCase random_communication(std::uint64_t seed);

// Some levels, outer first, their kinds as they are written, and where inner ones begin.
std::vector<std::vector<Level>> random_levels(class Draws& draws, class Terms& terms);

}  // namespace selvage::thread_oracle
