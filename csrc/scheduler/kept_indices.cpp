#include <selvage/base/refuse.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/scheduler/kept_indices.h>

#include <set>

namespace selvage {

namespace {

bool is_gather(const ValueNode& node) {
  return node.kind == ValueNode::Kind::Read && !node.loaded.empty();
}

}  // namespace

void keep_indices(Schedule& schedule) {
  const Fusion& fusion = schedule.fusion();
  const ValueGraph& values = fusion.values();
  std::set<TensorId> gathers, indices;  // tensors that are read through gathers, or are in indices
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    if (!fusion[TensorId(k)].definition) continue;
    for (ValueId v : values_under(values, *fusion[TensorId(k)].definition)) {
      const ValueNode& node = values[v];
      if (!is_gather(node)) continue;
      gathers.insert(TensorId(k));
      for (std::size_t i = 0; i < node.loaded.size(); ++i) {
        for (ValueId under : values_under(values, node.operands[i])) {
          if (values[under].kind == ValueNode::Kind::Read)
            indices.insert(TensorId(values[under].source));
        }
      }
    }
  }
  Schedule kept = schedule;
  bool is_any = false;
  for (TensorId t : indices) {
    if (!gathers.contains(t) || !schedule.is_inlined(t) || fusion[t].is_output) continue;
    kept.materialize(t);
    kept.keep_in(t, Memory::Local);
    is_any = true;
  }
  if (is_any && !refusal_of([&] { with_defaults(kept); })) schedule = std::move(kept);
}

}  // namespace selvage
