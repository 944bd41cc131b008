#pragma once

#include <selvage/debugger/session.h>

#include <istream>
#include <memory>
#include <ostream>

namespace selvage {

// The commands of a debugger. From a terminal: lines that can be edited and called back.
// From another stream: its lines, each shown behind the prompt, so that what is
// printed reads like a dialogue.
std::unique_ptr<CommandSource> commands_from(std::istream& in, std::ostream& out);

}  // namespace selvage
