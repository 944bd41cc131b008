#include <selvage/base/words.h>
#include <selvage/report/value_checks.h>

namespace selvage {

std::vector<MadeCheck> value_checks_of(const FusionReport& fusion) {
  std::vector<MadeCheck> made;
  for (const ValueCheck& check : fusion.schedule->fusion().checks()) made.push_back({check});
  if (made.empty()) return made;
  for (const ProgramStep& step : fusion.program->steps) {
    for (const Kernel& kernel : step.variants) {
      for (std::size_t v = 0; v < kernel.values.size(); ++v) {
        const ValueNode& node = kernel.values[ValueId(v)];
        if (node.kind == ValueNode::Kind::Check) made[node.source].is_tested = true;
      }
    }
  }
  return made;
}

void print_value_checks(const FusionReport& fusion, Lines& out) {
  const std::vector<MadeCheck> made = value_checks_of(fusion);
  if (made.empty()) return;
  const auto tested = std::ranges::count_if(made, &MadeCheck::is_tested);
  out.heading("Checks of values: " + std::to_string(std::int64_t(made.size()) - tested) + " of " +
              std::to_string(made.size()) + " proved, and left out");
  print_some(made, 2, out, [&](const MadeCheck& m) {
    const int line = m.check.place.line;
    out.line(2, (line == 0 ? "" : "line " + std::to_string(line) + ": ") + subject_text(m.check) +
                    (m.is_tested ? ": tested" : ": proved"));
  });
}

}  // namespace selvage
