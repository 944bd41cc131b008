#pragma once

#include <selvage/report/report.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace selvage {

// The iterdomain graph of one tensor as pictures show it, with the loops that read the tensor if
// they are others than those that write it.
struct DrawnGraph {
  // The cuts of the graph that an iterdomain may belong to.
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
    std::vector<std::string> ends = {};  // labels of its outputs (of a merge: of its inputs)
    std::int64_t holes = 0;  // the number of indices that its input lacks; 0: none, or unknown
  };
  std::vector<Domain> domains;  // root or logical first; what a transform makes after what it takes
  std::vector<Joint> joints;    // in the order in which they were made
  std::vector<std::size_t> loops, reads;  // domains, outer to inner
  std::size_t left_out = 0;               // transforms past the limit
};

// `most_transforms`: later ones are left out.
DrawnGraph drawn_graph(const TensorReport& tensor, std::size_t most_transforms);

}  // namespace selvage
