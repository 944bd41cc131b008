#include <selvage/scheduler/read_table.h>

namespace selvage {

ReadTable::ReadTable(const Schedule& schedule)
    : places_(schedule.fusion().size()),
      reads_(schedule.fusion().size()),
      readers_(schedule.fusion().size()),
      is_computed_(schedule.fusion().size()) {
  const EffectiveReads reads(schedule.fusion(), schedule);
  order_ = reads.definition_order();
  for (std::size_t k = order_.size(); k-- > 0;) {
    const TensorId t = order_[k];
    const TensorInfo& tensor = schedule.fusion()[t];
    places_[index_of(t)] = k;
    const bool is_needed = tensor.is_output || !readers_[index_of(t)].empty();
    const bool is_inlined = !tensor.is_output && schedule.is_inlined(t);
    is_computed_[index_of(t)] = !tensor.is_input && !is_inlined && is_needed;
    if (!is_computed_[index_of(t)]) continue;
    reads_[index_of(t)] = reads.of(t);
    for (const EffectiveRead& read : reads_[index_of(t)]) {
      readers_[index_of(read.source)].push_back({t, read.axes});
    }
  }
}

}  // namespace selvage
