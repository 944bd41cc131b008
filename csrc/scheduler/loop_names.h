#pragma once

#include <selvage/ir/schedule.h>

#include <string>

namespace selvage {

// `name`, with underscores where a size or another loop of the tensor has that name.
std::string unused_loop_name(const Schedule& schedule, TensorId t, std::string name);

// The loops of one tensor, merged outer to inner; there is at least one.
ScheduledLoop merged(Schedule& schedule, const std::vector<ScheduledLoop>& loops);

}  // namespace selvage
