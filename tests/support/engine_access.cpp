#include "tests/support/engine_access.h"

#include <algorithm>
#include <stdexcept>

namespace selvage {

EngineAccess::EngineAccess(const oracle::AccessCase& access)
    : file(read_schedule_text(oracle::to_yaml(access), "case.yaml")) {
  if (!file.illegal.empty()) throw std::runtime_error(to_text(file.illegal));
  for (const std::string& name : access.graph.names) {
    const auto& named = tensor().iterdomains;
    const auto found = std::find_if(named.begin(), named.end(),
                                    [&](const NamedDomain& d) { return d.name == name; });
    if (found == named.end()) throw std::runtime_error("the engine has no iterdomain " + name);
    ids.push_back(found->domain);
  }
}

int EngineAccess::oracle_id(DomainId d) const {
  const auto found = std::find(ids.begin(), ids.end(), d);
  return found == ids.end() ? -1 : static_cast<int>(found - ids.begin());
}

std::optional<std::vector<std::int64_t>> loop_point(
    const Schedule& schedule, const TensorAnalysis& analysis,
    const std::vector<std::pair<Expr, std::int64_t>>& witness) {
  std::vector<std::int64_t> point;
  for (std::size_t k = 0; k < analysis.loops.size(); ++k) {
    const auto told = std::find_if(witness.begin(), witness.end(), [&](const auto& entry) {
      return same(entry.first, analysis.variables[k]);
    });
    if (told == witness.end() || told->second < 0 ||
        told->second >= schedule.graph()[analysis.loops[k]].extent.value()) {
      return std::nullopt;
    }
    point.push_back(told->second);
  }
  return point;
}

}  // namespace selvage
