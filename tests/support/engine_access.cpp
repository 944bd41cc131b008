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

}  // namespace selvage
