#pragma once

#include <selvage/report/report.h>

#include <nlohmann/json_fwd.hpp>

namespace selvage {

// `masks` of the format's section 6: one entry per region, in the order of the file. Beyond the
// format, a region whose threads hang on loops has `iterations`, each with its mask.
nlohmann::ordered_json masks_json(const ThreadReport& report);
// The same for the guards of a kernel, whose texts they have under `when`; those that hang on sizes
// are dynamic.
nlohmann::ordered_json masks_json(const Kernel& kernel);
// Regions that run side by side, by their numbers in `masks`.
nlohmann::ordered_json groups_json(const ThreadReport& report);
nlohmann::ordered_json runs_json(const ThreadReport& report);

}  // namespace selvage
