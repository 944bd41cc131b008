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
// Of memory of a thread's own that matrix multiplications access, which end later.
HazardFindings register_race_findings(const AccessMap& map);
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
// There, about arrivals at objects of a rank that is not kept from having ended by a barrier behind
// them. Runs may show that its threads wait for them.
std::vector<KernelFinding> far_arrival_findings(const AccessMap& map);

// Whether what threads of a block do to one another is the same in each block: no condition, count
// of iterations, phase, or address outside of global memory depends on the block's index, nor on
// data.
bool are_blocks_alike(const AccessMap& map);
// A run of the first block alone (kernel/verify_replay.h).
Replay replay_first_block(const AccessMap& map, const Point& sizes, std::int64_t work,
                          ReplayWatch* watch = nullptr);

// "block (0, 0, 0), thread (1, 0, 0), k = 3"
std::string to_text(const ThreadAt& at);

}  // namespace selvage
