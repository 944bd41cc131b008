#pragma once

#include <selvage/kernel/verify.h>
#include <selvage/kernel/verify_items.h>

#include <vector>

namespace selvage {

// The findings that the proofs about one hazard leave open, and the rules that these proofs used.
struct HazardFindings {
  Proved proved;
  std::vector<KernelFinding> open;
};

HazardFindings race_findings(const AccessMap& map, ItemProofs& items);
HazardFindings divergence_findings(const AccessMap& map);
HazardFindings lifetime_findings(const AccessMap& map);
HazardFindings bounds_findings(const AccessMap& map, ItemProofs& items);

// "block (0, 0, 0), thread (1, 0, 0), k = 3"
std::string to_text(const ThreadAt& at);

}  // namespace selvage
