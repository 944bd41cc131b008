#include <selvage/lower/kernels.h>
#include <selvage/lower/read_once.h>

#include <algorithm>

namespace selvage {

InputReads::InputReads(const Fusion& fusion, const Schedule& schedule, const Nests& nests)
    : reads(fusion, schedule), readers(fusion.size(), 0) {
  for (const auto& read : nests.reads) {
    for (TensorId t : read) ++readers[index_of(t)];
  }
}

namespace {

// The nest in the tree that reads `input`, if all loops around that nest are its own.
const NestTree* reader_in(const NestTree& tree, const Nests& nests, TensorId input) {
  if (nests.reads[index_of(tree.tensor)].contains(input)) return &tree;
  for (const NestTree& inner : tree.inside) {
    if (inner.shared != inner.level) continue;
    if (const NestTree* reader = reader_in(inner, nests, input)) return reader;
  }
  return nullptr;
}

// Whether t is bound to every block and thread index that other tensors of its kernel use. If one
// is not used by t, each of its values reads the whole input again.
bool uses_all_threads(const Schedule& s, TensorId t, const std::vector<TensorId>& others) {
  const auto own = s.loop_domains(t);
  return std::all_of(others.begin(), others.end(), [&](TensorId other) {
    const auto& loops = s.loop_domains(other);
    return std::all_of(loops.begin(), loops.end(), [&](DomainId d) {
      const ParallelType type = s.parallel(other, d);
      return !is_index(type) || std::any_of(own.begin(), own.end(),
                                            [&](DomainId o) { return s.parallel(t, o) == type; });
    });
  });
}

}  // namespace

bool is_read_once(const ScheduledNests& scheduled, const Group& group, TensorId input) {
  if (scheduled.input_reads.readers[index_of(input)] != 1) return false;
  for (const NestTree* root : group) {
    const NestTree* nest = reader_in(*root, scheduled.nests, input);
    if (nest == nullptr) continue;
    const TensorId reader = nest->tensor;
    if (!uses_all_threads(scheduled.schedule, reader, tensors_of(group))) return false;
    const TensorAnalysis& analysis = scheduled.placed.at(root->tensor)[reader].analysis;
    if (!is_proved(analysis.coverage.once)) return false;
    const TensorInfo& tensor = scheduled.fusion[reader];
    std::vector<DomainId> indices = definition_domain(tensor);
    if (tensor.fold) {
      indices.insert(indices.end(), tensor.fold->domains.begin(), tensor.fold->domains.end());
    }
    for (const EffectiveRead& read : scheduled.input_reads.reads.of(reader)) {
      if (read.source != input) continue;
      return std::all_of(indices.begin(), indices.end(), [&](DomainId d) {
        return std::find(read.axes.begin(), read.axes.end(), d) != read.axes.end();
      });
    }
  }
  return false;
}

}  // namespace selvage
