#pragma once

#include <selvage/kernel/verify.h>
#include <selvage/kernel/verify_items.h>

#include <functional>
#include <vector>

namespace selvage {

// The findings that the proofs about one hazard leave open, and the rules that these proofs used.
struct HazardFindings {
  Proved proved;
  std::vector<KernelFinding> open;
};

// `of`: the buffers whose races are asked for; empty: all.
HazardFindings race_findings(const AccessMap& map, ItemProofs& items,
                             const std::function<bool(BufferId)>& of = {});
HazardFindings divergence_findings(const AccessMap& map);
HazardFindings lifetime_findings(const AccessMap& map);
// Reads of a buffer that another one replaces, of elements that may have been stored before.
// Presupposes that there are no races.
HazardFindings replacement_findings(const AccessMap& map, ItemProofs& items);
HazardFindings bounds_findings(const AccessMap& map, ItemProofs& items);
// About boxes that are copied by tensor maps: no run of the kernel says what a map is of.
std::vector<KernelFinding> box_findings(const AccessMap& map);
// About registers that roles take and give: proofs know no roles any more.
std::vector<KernelFinding> register_findings(const Kernel& kernel);
// About a kernel whose blocks are clusters.
std::vector<KernelFinding> rank_findings(const AccessMap& map);

// "block (0, 0, 0), thread (1, 0, 0), k = 3"
std::string to_text(const ThreadAt& at);

}  // namespace selvage
