#include <selvage/scheduler/groups.h>

#include <algorithm>

namespace selvage {

namespace {

bool is_bound(const Schedule& schedule, TensorId t) {
  return std::ranges::any_of(schedule.loop_domains(t), [&](DomainId d) {
    return schedule.parallel(t, d) != ParallelType::Serial;
  });
}

}  // namespace

std::vector<TensorId> tensors_of(const Group& group) {
  std::vector<TensorId> all;
  for (const NestTree* root : group) {
    const std::vector<TensorId> own = tensors_of(*root);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<Group> group_into_kernels(const Fusion& fusion, const Schedule& schedule,
                                      const Nests& nests) {
  const auto is_alone = [&](const NestTree& tree) {
    return !tree.inside.empty() || fusion[tree.tensor].fold;
  };
  // Whether a tree reads an input that another one replaces: no block knows when the other is done.
  const auto replaces = [&](const NestTree& tree, const NestTree& reader) {
    const std::optional<TensorId> place = fusion[tree.tensor].in_place_of;
    return place && nests.reads[index_of(reader.tensor)].contains(*place);
  };
  const auto fits = [&](const Group& group, const NestTree& root) {
    return !is_alone(root) && std::ranges::all_of(group, [&](const NestTree* other) {
      return !is_alone(*other) && !replaces(root, *other) && !replaces(*other, root) &&
             !nests.reads[index_of(root.tensor)].contains(other->tensor) &&
             is_bound(schedule, root.tensor) == is_bound(schedule, other->tensor);
    });
  };
  std::vector<Group> groups;
  for (const NestTree& root : nests.roots) {
    if (groups.empty() || !fits(groups.back(), root)) groups.emplace_back();
    groups.back().push_back(&root);
  }
  return groups;
}

}  // namespace selvage
