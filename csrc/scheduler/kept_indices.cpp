#include <selvage/base/refuse.h>
#include <selvage/ir/reads.h>
#include <selvage/scheduler/defaults.h>
#include <selvage/scheduler/kept_indices.h>

#include <set>

namespace selvage {

void keep_indices(Schedule& schedule, const DecidesOf& decides) {
  const Fusion& fusion = schedule.fusion();
  const ValueGraph& values = fusion.values();
  // What reads through gathers, what is in their indices, and what they read themselves.
  std::set<TensorId> readers, indices, gathered;
  for (std::size_t k = 0; k < fusion.size(); ++k) {
    const auto t = TensorId(k);
    if (!fusion[t].definition) continue;
    for (ValueId v : values_under(values, *fusion[t].definition)) {
      const ValueNode& node = values[v];
      if (!is_gather(node)) continue;
      readers.insert(t);
      gathered.insert(TensorId(node.source));
      for (std::size_t i = 0; i < node.loaded.size(); ++i) {
        for (ValueId under : values_under(values, node.operands[i])) {
          const ValueNode& read = values[under];
          if (read.kind == ValueNode::Kind::Read) indices.insert(TensorId(read.source));
        }
      }
    }
  }
  // How many items a row has is no number, so no registers hold them; nor do they hold what is read
  // elsewhere than at its own index.
  std::erase_if(indices, [&](TensorId t) {
    return !decides(t) || !readers.contains(t) || gathered.contains(t) || !schedule.is_inlined(t) ||
           fusion[t].is_output || fusion[t].is_iterated_by_root;
  });
  if (indices.empty()) return;
  Schedule kept = schedule;
  for (TensorId t : indices) kept.materialize(t).keep_in(t, Memory::Local);
  if (!refusal_of([&] { with_defaults(kept); })) schedule = std::move(kept);
}

}  // namespace selvage
