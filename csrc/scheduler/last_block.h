#pragma once

#include <selvage/scheduler/read_table.h>
#include <selvage/scheduler/row_plan.h>

#include <optional>

namespace selvage {

// The kernel whose last block may compute a segment that is not scheduled yet: the only one that
// computes what the segment reads. Nothing where there is none or are several, where a member takes
// the place of an input, or where the threads of that kernel's blocks are no numbers.
std::optional<LastBlockHost> last_block_host(const Schedule& schedule, const ReadTable& table,
                                             const Segment& segment);

}  // namespace selvage
