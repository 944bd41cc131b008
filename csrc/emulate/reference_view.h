#pragma once

#include <selvage/ir/path.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace selvage {

// Maps a logical point of a view to a point of its root, in numbers, by applying one transform
// after the other (ir/domain_graph.h). `extent` gives the value of an extent or a factor. The point
// of the root may be out of bounds, as for a pad.
class RootWalk {
 public:
  RootWalk(const DomainGraph& graph, std::vector<DomainId> logical, std::vector<DomainId> root,
           const std::function<std::int64_t(Expr)>& extent);

  std::vector<std::int64_t> operator()(const std::vector<std::int64_t>& logical);

 private:
  void take(const Step& step);
  void along_curve(const Swizzle& s, bool forward);

  const DomainGraph& graph_;
  std::vector<DomainId> logical_, root_;
  std::vector<Step> steps_;
  std::vector<std::int64_t> extents_, left_;  // by iterdomain; by step: the left side of a resize
  std::vector<std::int64_t> at_;              // by iterdomain
  std::size_t step_ = 0;
};

}  // namespace selvage
