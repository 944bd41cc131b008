#pragma once

#include <selvage/runtime/disk_cache.h>
#include <selvage/scheduler/plan_choice.h>

#include <cstdint>
#include <map>
#include <string>

namespace selvage {

// Plans that measurements have found best are kept on disk, beside compiled kernels, by what the
// fusion computes, the class of its sizes (scheduler/structure.h) and the device. An entry that is
// damaged, or of another version, counts as absent, and the next one replaces it. Any number of
// processes may use them.

// The plans kept for a fusion, as wishes, by the names of its tensors. Empty: none is.
PlanChoices kept_plans(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
                       const Device& device, DiskCache& cache = DiskCache::instance());
// Keeps plans in place of those that were kept before.
void keep_plans(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
                const Device& device, const PlanChoices& plans,
                DiskCache& cache = DiskCache::instance());

}  // namespace selvage
