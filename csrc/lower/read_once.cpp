#include <selvage/lower/read_once.h>

#include <algorithm>

namespace selvage {

ReadOnce::ReadOnce(const ScheduledNests& scheduled, const Group& group)
    : scheduled_(scheduled),
      reads_(scheduled.fusion, scheduled.schedule),
      readers_(scheduled.fusion.size(), 0) {
  for (const NestTree* root : group) list(*root, true);
  for (const auto& read : scheduled.nests.reads) {
    for (TensorId t : read) ++readers_[index_of(t)];
  }
}

void ReadOnce::list(const NestTree& tree, bool has_all_loops) {
  nests_.push_back({tree.tensor, has_all_loops});
  for (const NestTree& inner : tree.inside) {
    list(inner, has_all_loops && inner.shared == inner.level);
  }
}

// A block or thread index that only others in the kernel have makes each of them read it all.
bool ReadOnce::uses_all_threads(TensorId t) const {
  const Schedule& s = scheduled_.schedule;
  const auto own = s.loop_domains(t);
  return std::all_of(nests_.begin(), nests_.end(), [&](const Nest& other) {
    const auto& loops = s.loop_domains(other.tensor);
    return std::all_of(loops.begin(), loops.end(), [&](DomainId d) {
      const ParallelType type = s.parallel(other.tensor, d);
      return !is_index(type) || std::any_of(own.begin(), own.end(),
                                            [&](DomainId o) { return s.parallel(t, o) == type; });
    });
  });
}

bool ReadOnce::operator()(TensorId input) const {
  if (readers_[index_of(input)] != 1) return false;
  for (const Nest& nest : nests_) {
    if (!scheduled_.nests.reads[index_of(nest.tensor)].contains(input)) continue;
    const TensorInfo& reader = scheduled_.fusion[nest.tensor];
    if (!nest.has_all_loops || !uses_all_threads(nest.tensor)) return false;
    for (const auto& [root, placed] : scheduled_.placed) {
      if (!placed.contains(nest.tensor)) continue;
      if (!is_proved(placed[nest.tensor].analysis.coverage.once)) return false;
    }
    std::vector<DomainId> indices = definition_domain(reader);
    if (reader.fold) {
      indices.insert(indices.end(), reader.fold->domains.begin(), reader.fold->domains.end());
    }
    for (const EffectiveRead& read : reads_.of(nest.tensor)) {
      if (read.source != input) continue;
      return std::all_of(indices.begin(), indices.end(), [&](DomainId d) {
        return std::find(read.axes.begin(), read.axes.end(), d) != read.axes.end();
      });
    }
  }
  return false;
}

}  // namespace selvage
