#include <selvage/report/thread_json.h>

#include <nlohmann/json.hpp>

namespace selvage {

namespace {

using Json = nlohmann::ordered_json;

// Past so many threads a run's counts are left out, and of a mask the rows.
constexpr std::int64_t kMostCounts = 1 << 16;

void append_mask(Json& json, const ThreadMask& mask) {
  const bool is_product = mask.is_product();
  json["mask"] = is_product ? Json(mask.text()) : Json();
  json["product"] = is_product;
  json["rows"] = is_product ? Json() : Json(mask.rows(kMostCounts));
  json["active"] = mask.count();
}

Json json_of(const ThreadRegion& region) {
  const RegionThreads& who = region.who;
  Json json = {
      {"when", region.when}, {"implicit", region.is_implicit}, {"dynamic", !who.mask.has_value()}};
  if (region.is_async) json["async"] = true;
  if (who.mask) {
    append_mask(json, *who.mask);
    return json;
  }
  for (const char* key : {"mask", "product", "rows", "active"}) json[key] = Json();
  if (who.iterations.empty()) return json;
  Json& iterations = json["iterations"] = Json::array();
  for (std::size_t k = 0; k < who.iterations.size(); ++k) {
    Json& iteration = iterations.emplace_back();
    Json& at = iteration["at"] = Json::object();
    std::size_t rest = k;
    for (std::size_t l = who.loops.size(); l-- > 0;) {
      const auto extent = std::size_t(who.loops[l].extent);
      at[std::string(who.loops[l].symbol.name())] = rest % extent;
      rest /= extent;
    }
    append_mask(iteration, who.iterations[k]);
  }
  return json;
}

}  // namespace

Json masks_json(const ThreadReport& report) {
  Json masks = Json::array();
  for (const ThreadRegion& region : report.lowered.regions) masks.push_back(json_of(region));
  return masks;
}

Json groups_json(const ThreadReport& report) {
  Json groups = Json::array();
  for (const AsyncGroup& group : report.lowered.groups) {
    const auto said = [](const std::optional<bool>& fact) { return fact ? Json(*fact) : Json(); };
    groups.push_back({{"masks", group.regions},
                      {"disjoint", said(group.is_disjoint)},
                      {"complete", said(group.is_complete)}});
  }
  return groups;
}

Json runs_json(const ThreadReport& report) {
  Json runs = Json::array();
  for (const ThreadRun& run : report.runs) {
    Json& json = runs.emplace_back();
    json["on"] = to_string(run.machine);
    if (!run.device.empty()) json["device"] = run.device;
    json["sizes"] = run.symbols;
    json["passed"] = run.passed();
    Json& executed = json["executed"] = Json::array();
    for (const auto& counts : run.executed) {
      executed.push_back(std::int64_t(counts.size()) <= kMostCounts ? Json(counts) : Json());
    }
    if (!run.differences.empty()) json["differences"] = run.differences;
    if (!run.faults.empty()) json["faults"] = run.faults;
    if (!run.times) continue;
    Json& times = json["times"] = {{"compile_ms", run.times->compile * 1e3}};
    Json& kernels = times["kernels"] = Json::array();
    for (const KernelTime& k : run.times->kernels) {
      kernels.push_back({{"name", k.name}, {"ms", k.seconds * 1e3}});
    }
  }
  return runs;
}

}  // namespace selvage
