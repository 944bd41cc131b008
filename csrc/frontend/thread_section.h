#pragma once

#include <selvage/frontend/sections.h>

namespace selvage {

// `arrays`, `parallel` and `body`: a thread program (section 4 of the format), named after its
// file.
void read_thread_program(const Node& root, FileContext& context, ScheduleFile& file);

}  // namespace selvage
