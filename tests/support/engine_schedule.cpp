#include "tests/support/engine_schedule.h"

namespace selvage {

EngineSchedule::EngineSchedule(const oracle::Graph& g) {
  const auto constant = [&](std::int64_t n) { return fusion->constant(n); };
  std::vector<Expr> indices, shape;
  Expr number = constant(0);
  for (int d : g.logical) {
    indices.push_back(fusion->fresh_index(g.names[std::size_t(d)]));
    shape.push_back(constant(g.extents[std::size_t(d)]));
    number = number * shape.back() + indices.back();
  }
  const Tensor computed =
      fusion->compute("computed", indices, shape, fusion->values().index(number), DataType::Int32);
  tensor = fusion->output("T", computed, DataType::Int32).id();
  schedule = std::make_unique<Schedule>(*fusion);

  std::vector<DomainId> ids(g.extents.size());
  for (std::size_t i = 0; i < g.logical.size(); ++i) {
    ids[std::size_t(g.logical[i])] = (*fusion)[tensor].logical[i];
  }
  for (const oracle::Step& step : g.steps) {
    const auto in = [&](std::size_t i) { return ids[std::size_t(step.in[i])]; };
    std::vector<std::string> names;
    for (int d : step.out) names.push_back(g.names[std::size_t(d)]);
    Transform request = Split{};
    switch (step.kind) {
      case oracle::Step::Split:
      case oracle::Step::OuterSplit:
        request = Split{in(0), {}, {}, constant(step.factor), step.kind == oracle::Step::Split};
        break;
      case oracle::Step::Merge: request = Merge{in(0), in(1), {}}; break;
      case oracle::Step::Resize:
        request = Resize{in(0), {}, constant(step.left), constant(step.right)};
        break;
      case oracle::Step::Xor: request = Swizzle{SwizzleKind::Xor, in(0), in(1), {}, {}}; break;
      case oracle::Step::CyclicShift:
        request = Swizzle{SwizzleKind::CyclicShift, in(0), in(1), {}, {}};
        break;
      case oracle::Step::Hilbert:
        request = Swizzle{SwizzleKind::Hilbert, in(0), in(1), {}, {}};
        break;
      case oracle::Step::Skew:
        request = Skew{
            in(0), ids[std::size_t(*step.along)], {}, constant(step.by), constant(step.factor)};
        break;
    }
    const std::vector<DomainId> out = schedule->derive(tensor, request, names);
    for (std::size_t i = 0; i < out.size(); ++i) ids[std::size_t(step.out[i])] = out[i];
  }
  std::vector<DomainId> loop_domains;
  for (int d : g.loop) loop_domains.push_back(ids[std::size_t(d)]);
  schedule->set_loops(tensor, loop_domains);
  loops = schedule->loops(tensor);
}

}  // namespace selvage
