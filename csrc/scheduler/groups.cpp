#include <selvage/base/refuse.h>
#include <selvage/ir/about.h>
#include <selvage/ir/fold.h>
#include <selvage/scheduler/groups.h>

#include <algorithm>

namespace selvage {

namespace {

bool is_bound(const Schedule& schedule, TensorId t) {
  return std::ranges::any_of(schedule.loop_domains(t), [&](DomainId d) {
    return schedule.parallel(t, d) != ParallelType::Serial;
  });
}

// How many of its loops stand around the first one that a tensor folds over.
std::size_t folded_from(const Schedule& schedule, TensorId t) {
  const std::vector<DomainId>& loops = schedule.loop_domains(t);
  const auto is_folded = [&](DomainId d) { return schedule.is_folded(t, d); };
  return std::size_t(std::ranges::find_if(loops, is_folded) - loops.begin());
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
  if (schedule.positions(host)) {
    refuse<Illegal>(
        "E418",
        name + " is to be computed by the last block of " + fusion[host].name +
            ", which is complete only behind the kernel that folds what its tiles leave",
        "give " + name + " a kernel of its own");
  }
  for (TensorId t : tensors_of(tree)) {
    for (DomainId d : schedule.loop_domains(t)) {
      if (!is_of_blocks(schedule.parallel(t, d))) continue;
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

bool share_a_pass(const Fusion& fusion, const Schedule& schedule, const Nests& nests,
                  const NestTree& a, const NestTree& b) {
  const auto is_plain_fold = [&](const NestTree& t) {
    return fusion[t.tensor].fold && !is_scan(fusion[t.tensor]) && !t.accumulated_over &&
           t.inside.empty() && !schedule.positions(t.tensor);
  };
  if (!is_plain_fold(a) || !is_plain_fold(b)) return false;
  const std::set<TensorId>& read = nests.reads[index_of(b.tensor)];
  const std::set<TensorId>& also = nests.reads[index_of(a.tensor)];
  if (read.contains(a.tensor) || also.contains(b.tensor)) return false;
  const auto is_common = [&](TensorId t) { return also.contains(t); };
  const bool both_merge = fusion[a.tensor].fold->merges && fusion[b.tensor].fold->merges;
  if (!both_merge && std::ranges::none_of(read, is_common)) return false;
  const std::size_t loops = folded_from(schedule, a.tensor) - a.shared;
  if (folded_from(schedule, b.tensor) - b.shared != loops) return false;
  for (std::size_t k = 0; k < loops; ++k) {
    const DomainId own = schedule.loop_domains(a.tensor)[a.shared + k];
    const DomainId other = schedule.loop_domains(b.tensor)[b.shared + k];
    const DomainGraph& domains = schedule.graph();
    if (schedule.parallel(a.tensor, own) != schedule.parallel(b.tensor, other)) return false;
    if (!same(domains[own].extent, domains[other].extent)) return false;
  }
  return true;
}

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
  const auto is_by_blocks = [&](const NestTree& tree) {
    return std::ranges::any_of(schedule.loop_domains(tree.tensor), [&](DomainId d) {
      return is_block(schedule.parallel(tree.tensor, d));
    });
  };
  const auto fold_alike = [&](const NestTree& a, const NestTree& b) {
    return is_by_blocks(a) && share_a_pass(fusion, schedule, nests, a, b) && !replaces(a, b) &&
           !replaces(b, a) && !schedule.meets_atomically(a.tensor) &&
           !schedule.meets_atomically(b.tensor);
  };
  // Whether a tree that neither folds nor holds others reads something computed that each tree of
  // a group reads.
  const auto read_alike = [&](const Group& group, const NestTree& root) {
    return fits(group, root) && std::ranges::all_of(group, [&](const NestTree* other) {
             return std::ranges::any_of(nests.reads[index_of(root.tensor)], [&](TensorId t) {
               return !fusion[t].is_input && nests.reads[index_of(other->tensor)].contains(t);
             });
           });
  };
  // Whether no group behind that one, nor itself, stores what the tree reads.
  const auto is_ready_for = [&](std::vector<Group>::const_iterator group, const NestTree& tree) {
    return std::all_of(group, groups.cend(), [&](const Group& later) {
      return std::ranges::none_of(later, [&](const NestTree* other) {
        const std::vector<TensorId> stored = tensors_of(*other);
        return replaces(*other, tree) || replaces(tree, *other) ||
               std::ranges::any_of(stored, [&](TensorId t) {
                 return nests.reads[index_of(tree.tensor)].contains(t);
               });
      });
    });
  };
  for (const NestTree& root : nests.roots) {
    if (schedule.last_block_of(root.tensor)) {
      about(root.tensor,
            [&] { group_of_host(fusion, schedule, nests, root, groups).push_back(&root); });
      continue;
    }
    const auto siblings = std::ranges::find_if(groups, [&](const Group& group) {
      return read_alike(group, root) || std::ranges::all_of(group, [&](const NestTree* other) {
               return fold_alike(*other, root);
             });
    });
    if (siblings != groups.end() && is_ready_for(siblings, root)) {
      siblings->push_back(&root);
      continue;
    }
    if (groups.empty() || !fits(groups.back(), root)) groups.emplace_back();
    groups.back().push_back(&root);
  }
  return groups;
}

}  // namespace selvage
