#pragma once

#include <iosfwd>

namespace selvage {

// Performs a command line of schedule_inspect. Results go to `out`, messages about it to `err`;
// `in` has the commands of --debug. Returns the exit status.
int perform_command(int argc, const char* const* argv, std::istream& in, std::ostream& out,
                    std::ostream& err);

}  // namespace selvage
