// The state of one tensor in a Schedule: only for the sources of Schedule.
#pragma once

#include <selvage/ir/schedule.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace selvage {

struct Schedule::Nest {
  std::vector<DomainId> loops;
  std::map<DomainId, ParallelType> bound;
  std::map<DomainId, std::string> names;
  std::vector<TransformId> transforms;
  std::unordered_set<std::size_t> used;    // the same, for looking up
  std::unordered_set<std::size_t> folded;  // iterdomains of the fold and all derived from them
  std::optional<DomainId> positions;       // of a fold that goes through these
  bool inlined = false;
  bool follows = false;
  std::optional<Site> site;
  std::optional<TensorId> last_block_of;
  std::optional<Memory> memory;
  std::vector<DomainId> allocation;      // empty: as its loops are
  std::vector<TransformId> of_layout;    // the transforms that make it
  std::vector<DomainId> joined, giving;  // once settled: what follows from loops, and these
  std::int64_t stages = 1;
  std::optional<Stage> stage;  // once it is settled
  CopyBy copied_by = CopyBy::LoadStore;
  std::optional<std::int64_t> ahead;  // absent: one less than there are stages
  std::optional<CopyRole> role;
  bool meets_atomically = false;
  std::optional<TensorId> mean;  // of two_pass
  std::shared_ptr<const Making> making;
};

}  // namespace selvage
