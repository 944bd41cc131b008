#include <selvage/ir/path.h>
#include <selvage/lower/specialised_program.h>
#include <selvage/scheduler/pointwise.h>

namespace selvage {

namespace {

// What the memory of a tensor is cut into, where these are none of its axes.
void derive_allocation(Schedule& schedule, TensorId t) {
  const DomainGraph& graph = schedule.fusion().domains();
  const TensorInfo& tensor = schedule.fusion()[t];
  const Path all = everything_from(graph, tensor.logical, {});
  for (const Step& step : needed_for(graph, all, tensor.logical, tensor.allocation).steps) {
    schedule.derive(t, graph[step.transform], {});
  }
}

}  // namespace

SpecialisedProgram lower_specialised(const Fusion& fusion, const SizeValues& sizes) {
  SpecialisedProgram made{specialised(fusion, sizes), {}};
  Schedule schedule(*made.fusion);
  bool has_output = false;
  for (std::size_t i = 0; i < made.fusion->size(); ++i) {
    const auto t = TensorId(i);
    const TensorInfo& tensor = (*made.fusion)[t];
    if (tensor.is_input || (!tensor.is_output && !tensor.fold)) continue;
    has_output = has_output || tensor.is_output;
    derive_allocation(schedule, t);
    schedule_pointwise(schedule, t);
  }
  if (has_output) {
    made.program = lower(*made.fusion, schedule);
  } else {
    made.program.schedule = std::make_shared<const Schedule>(std::move(schedule));
  }
  return made;
}

}  // namespace selvage
