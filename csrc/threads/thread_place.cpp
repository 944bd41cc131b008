#include <selvage/index/region_threads.h>
#include <selvage/threads/bodies.h>
#include <selvage/threads/thread_place.h>

namespace selvage {

namespace {

void add_levels(const InnerParallel& node, const LevelTree& tree,
                std::vector<ParallelLevel>& levels) {
  const auto it = tree.levels.find(&node);
  if (it == tree.levels.end()) return;
  levels.insert(levels.end(), it->second.begin(), it->second.end());
}

}  // namespace

Expr ThreadPlace::full_condition() const {
  return both(condition, elected(inner, condition.pool()));
}

ThreadPlace place_in(const InnerParallel& node, const LevelTree& tree, const ThreadPlace& outside) {
  ThreadPlace at = outside;
  at.parallel = &node;
  at.loops_outside = at.loops.size();
  add_levels(node, tree, at.around);
  at.inner.clear();
  std::vector<ParallelLevel> all = at.around;
  for (const InnerParallel* in = first_inner(node.body); in != nullptr;
       in = first_inner(in->body)) {
    add_levels(*in, tree, all);
  }
  for (std::size_t k = at.around.size(); k < all.size(); ++k) {
    for (const MaskIndex& i : all[k].indices) at.inner.push_back(i.symbol);
  }
  at.levels = mask_levels(all);
  return at;
}

}  // namespace selvage
