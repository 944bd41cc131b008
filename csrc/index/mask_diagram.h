#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace selvage {

// A set of points 0 <= x[k] < extents[k] as a decision diagram: a node asks for one coordinate and
// cuts its range into runs, each of which leads to what is left to ask. Equal nodes are one node,
// neighbouring runs lead to different nodes, and a node asks for an earlier coordinate than those
// it leads to; so equal sets are equal diagrams, what a set does not depend on is not in it, and a
// product has one node per factor.
//
//   x < 2 && y == 0     x: [0, 2) -> y: [0, 1) -> all
//                                       [1, 4) -> none
//                          [2, 3) -> none
class MaskDiagram {
 public:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = 0, kAll = 1;
  // Of one diagram, and of those that its making leaves behind.
  static constexpr std::size_t kMostRuns = std::size_t{1} << 22;

  struct Run {
    std::int64_t end;  // of the run; it begins where the one before ends
    NodeId to;
    friend bool operator==(const Run&, const Run&) = default;
  };

  static MaskDiagram none() { return MaskDiagram(kNone); }
  static MaskDiagram all() { return MaskDiagram(kAll); }

  NodeId root() const { return root_; }
  bool is_none() const { return root_ == kNone; }
  bool is_all() const { return root_ == kAll; }
  // Of a node other than none and all.
  std::uint32_t axis(NodeId node) const { return nodes_[node - 2].axis; }
  std::span<const Run> runs(NodeId node) const {
    return {runs_.data() + nodes_[node - 2].begin, nodes_[node - 2].end - nodes_[node - 2].begin};
  }
  std::size_t nodes() const { return nodes_.size() + 2; }  // none and all included
  // The node that is next asked, once the coordinate is x. It must ask for that axis, or a later
  // one: then it stays.
  NodeId follow(NodeId node, std::uint32_t axis, std::int64_t x) const;

  friend bool operator==(const MaskDiagram&, const MaskDiagram&) = default;

 private:
  friend class DiagramBuilder;
  friend MaskDiagram complement(const MaskDiagram& a);
  explicit MaskDiagram(NodeId root) : root_(root) {}

  struct Node {
    std::uint32_t axis;
    std::uint32_t begin, end;  // its runs
    friend bool operator==(const Node&, const Node&) = default;
  };

  NodeId root_;
  std::vector<Node> nodes_;  // in the order in which they are met, runs in order
  std::vector<Run> runs_;
};

// Makes nodes, equal ones once.
class DiagramBuilder {
 public:
  // The node that cuts an axis into these runs; where they all lead to one node, that node. Nothing
  // is made past kMostRuns: then is_full() and what comes out means nothing.
  MaskDiagram::NodeId make(std::uint32_t axis, std::span<const MaskDiagram::Run> runs);
  bool is_full() const { return is_full_; }

  // What can be reached from there.
  MaskDiagram diagram(MaskDiagram::NodeId root) const;

 private:
  MaskDiagram made_{MaskDiagram::kNone};
  std::vector<MaskDiagram::NodeId> table_;  // by hash; 0: free
  bool is_full_ = false;
};

// Puts a run behind others, as one with the last where both lead to the same.
void append(std::vector<MaskDiagram::Run>& runs, std::int64_t end, MaskDiagram::NodeId to);

// The points of which `keep(in a, in b)` holds. Nothing where that takes more than kMostRuns.
std::optional<MaskDiagram> combine(const MaskDiagram& a, const MaskDiagram& b,
                                   bool (*keep)(bool, bool));
MaskDiagram complement(const MaskDiagram& a);

}  // namespace selvage
