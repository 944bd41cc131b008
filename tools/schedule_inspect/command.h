#pragma once

#include <iosfwd>

namespace selvage {

// Does what a command line of schedule_inspect says. What it prints goes to `out`, what it has to
// say of it to `err`. Returns the exit status.
int perform_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace selvage
