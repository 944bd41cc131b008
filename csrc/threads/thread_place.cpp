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

bool is_for_one(const ThreadBody& body, const ThreadPlace& at, std::string_view label) {
  return at.is_implicit() && first_inner(body) == nullptr && !leaves_outside(body, label);
}
bool is_together_for_one(const ThreadItem& item, const ThreadPlace& at) {
  if (const auto* loop = std::get_if<SerialFor>(&item.node)) {
    return is_for_one(loop->body, at, loop->label);
  }
  if (const auto* copies = std::get_if<CopyLater>(&item.node)) return is_for_one(copies->body, at);
  const bool is_of_event =
      std::holds_alternative<ArriveAt>(item.node) || std::holds_alternative<WaitFor>(item.node);
  if (is_of_event) return at.is_implicit();
  const auto* together = std::get_if<DoTogether>(&item.node);
  return together != nullptr && is_for_one(together->body, at);
}

}  // namespace selvage
