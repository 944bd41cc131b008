#include <selvage/legality/remade.h>

#include <map>

namespace selvage {

namespace {

Transform of(Transform transform, const auto& now) {
  std::visit(overloaded{[&](Split& s) { s.in = now(s.in); },
                        [&](Merge& m) {
                          m.outer = now(m.outer);
                          m.inner = now(m.inner);
                        },
                        [&](Resize& r) { r.in = now(r.in); },
                        [&](Swizzle& s) {
                          s.in_x = now(s.in_x);
                          s.in_y = now(s.in_y);
                        },
                        [&](Skew& s) {
                          s.in = now(s.in);
                          s.along = now(s.along);
                        }},
             transform);
  return transform;
}

}  // namespace

std::vector<TransformId> own_transforms(const Fusion& fusion, const Schedule& schedule,
                                        TensorId t) {
  std::vector<TransformId> own = schedule.transforms(t);
  std::erase_if(own, [&](TransformId id) { return index_of(id) < fusion.domains().transforms(); });
  return own;
}

namespace {

Schedule made_with(const Fusion& fusion, const Schedule& schedule, TensorId t,
                   std::optional<TransformId> which, const std::optional<Transform>& otherwise) {
  Schedule made(fusion);
  std::map<DomainId, DomainId> known;
  const auto now = [&](DomainId d) {
    const auto at = known.find(d);
    return at == known.end() ? d : at->second;
  };
  for (TransformId id : schedule.transforms(t)) {
    const Transform& transform = schedule.graph()[id];
    const std::vector<DomainId> out = outputs(transform);
    std::vector<DomainId> in = inputs(transform);
    if (id == which && !otherwise) {
      for (std::size_t k = 0; k < out.size(); ++k) known[out[k]] = now(in[k]);
      continue;
    }
    std::vector<std::string> names;
    for (DomainId d : out) names.push_back(schedule.name(t, d));
    const auto result = made.derive(t, of(id == which ? *otherwise : transform, now), names);
    for (std::size_t k = 0; k < out.size(); ++k) known[out[k]] = result[k];
  }
  if (const auto memory = schedule.memory(t)) made.keep_in(t, *memory);
  std::vector<DomainId> loops;
  for (DomainId d : schedule.loop_domains(t)) loops.push_back(now(d));
  made.set_loops(t, loops);
  for (DomainId d : schedule.loop_domains(t)) {
    const ParallelType type = schedule.parallel(t, d);
    if (type != ParallelType::Serial) made.bind({t, now(d)}, type);
  }
  return made;
}

}  // namespace

Schedule remade(const Fusion& fusion, const Schedule& schedule, TensorId t) {
  return made_with(fusion, schedule, t, std::nullopt, std::nullopt);
}

Schedule remade(const Fusion& fusion, const Schedule& schedule, TensorId t, TransformId which,
                const std::optional<Transform>& otherwise) {
  return made_with(fusion, schedule, t, which, otherwise);
}

}  // namespace selvage
