#pragma once

#include <selvage/report/report.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The iterdomain graph of one tensor as pictures show it. Where the tensor is read under loops of
// their own, those belong to it.
struct DrawnGraph {
  // Which cuts of the graph an iterdomain belongs to.
  enum class Role : std::uint8_t { Root, Logical, Allocation, Loop, Read };
  struct Domain {
    std::string name, extent;
    std::vector<Role> roles = {};
    std::vector<std::string> role_texts = {};  // logical, loop 2 TIDx: one per role
    bool is_checked = false;                   // a check of its bounds stays

    bool has(Role role) const;
  };
  struct Joint {
    std::string text;                            // split 6
    std::vector<std::size_t> in = {}, out = {};  // domains, in the order of the transform
    std::vector<std::string> ends = {};  // what its outputs, or those of a merge its inputs, are
    std::int64_t holes = 0;  // how many indices it adds that its input has not; 0: none, or unknown
  };
  std::vector<Domain> domains;  // root or logical first; what a transform makes after what it takes
  std::vector<Joint> joints;    // in the order in which they were made
  std::vector<std::size_t> loops, reads;  // domains, outer to inner
  std::size_t left_out = 0;               // transforms past the limit
};

// At most that many transforms, the first ones.
DrawnGraph drawn_graph(const TensorReport& tensor, std::size_t most_transforms);

}  // namespace selvage
