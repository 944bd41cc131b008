#include <selvage/base/refuse.h>
#include <selvage/ir/about.h>
#include <selvage/scheduler/groups.h>

#include <algorithm>

namespace selvage {

namespace {

bool is_bound(const Schedule& schedule, TensorId t) {
  return std::ranges::any_of(schedule.loop_domains(t), [&](DomainId d) {
    return schedule.parallel(t, d) != ParallelType::Serial;
  });
}

// The group whose last block computes a tree: none of the groups after it stores what the tree
// reads.
Group& group_of_host(const Fusion& fusion, const Schedule& schedule, const Nests& nests,
                     const NestTree& tree, std::vector<Group>& groups) {
  const std::string& name = fusion[tree.tensor].name;
  const TensorId host = *schedule.last_block_of(tree.tensor);
  const auto holds_host = [&](const Group& g) {
    return std::ranges::any_of(g, [&](const NestTree* root) { return root->tensor == host; });
  };
  const auto own = std::ranges::find_if(groups, holds_host);
  if (own == groups.end()) {
    refuse<Illegal>("E418",
                    name + " is to be computed by the last block of " + fusion[host].name +
                        ", which is computed after it or not at all",
                    "name the tensor that is computed last of those that " + name + " reads");
  }
  for (TensorId t : tensors_of(tree)) {
    for (DomainId d : schedule.loop_domains(t)) {
      if (!is_block(schedule.parallel(t, d))) continue;
      refuse<Illegal>("E418",
                      schedule.name(t, d) + " of " + fusion[t].name + " is bound to " +
                          std::string(to_string(schedule.parallel(t, d))) + ", but " + name +
                          " is computed by one block, the last one",
                      "bind it to threads, or to nothing");
    }
    for (auto later = own + 1; later != groups.end(); ++later) {
      for (TensorId stored : tensors_of(*later)) {
        if (!nests.reads[index_of(t)].contains(stored)) continue;
        refuse<Illegal>("E418",
                        fusion[t].name + " reads " + fusion[stored].name +
                            ", which is computed after the kernel of " + fusion[host].name,
                        "let the last block of " + fusion[stored].name + " compute " + name);
      }
    }
  }
  return *own;
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
    return !tree.inside.empty() || fusion[tree.tensor].fold || schedule.last_block_of(tree.tensor);
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
    if (schedule.last_block_of(root.tensor)) {
      about(root.tensor, [&] { group_of_host(fusion, schedule, nests, root, groups).push_back(&root); });
      continue;
    }
    if (groups.empty() || !fits(groups.back(), root)) groups.emplace_back();
    groups.back().push_back(&root);
  }
  return groups;
}

}  // namespace selvage
