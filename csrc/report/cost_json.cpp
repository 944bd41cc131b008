#include <selvage/report/cost_json.h>
#include <selvage/report/cost_lines.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace selvage {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const AccessCost& a) {
  Json json = {{"tensor", a.buffer},
               {"kind", writes(a.requests.kind) ? "write" : "read"},
               {"memory", to_string(a.memory)},
               {"bytes", a.bytes()},
               {"requests", a.requests.requests},
               {"sectors", a.requests.sectors},
               {"width", a.requests.bytes},
               {"conflicts", a.requests.conflicts},
               {"exact", a.requests.is_exact}};
  if (const std::string note = note_of(a); !note.empty()) json["note"] = note;
  return json;
}

Json json_of(const KernelCost& k) {
  Json json = {{"name", k.name},
               {"seconds", k.time.seconds},
               {"dram_bytes", k.work.dram_bytes},
               {"l2_bytes", k.work.l2_bytes},
               {"peak_share", k.time.peak_share},
               {"limiter", name_of(k.time.limiter)},
               {"bytes_in_flight", k.time.bytes_in_flight},
               {"occupancy", k.time.occupancy},
               {"waves", k.time.waves},
               {"registers", k.work.registers},
               {"exact", k.is_exact},
               {"barriers", k.work.barriers}};
  json["accesses"] = Json::array();
  for (const AccessCost& a : k.accesses) {
    if (a.requests.requests > 0) json["accesses"].push_back(json_of(a));
  }
  return json;
}

}  // namespace

std::string cost_json(const std::vector<FusionReport>& fusions) {
  Json json;
  for (const FusionReport& fusion : fusions) {
    if (!fusion.cost) continue;
    if (json.is_null()) {
      json = {{"device", fusion.cost->device.name},
              {"sizes", fusion.cost->sizes},
              {"row_items", Json::object()},
              {"seconds", 0.0},
              {"floor_bytes", 0},
              {"dram_bytes", 0.0},
              {"kernels", Json::array()}};
    }
    json["sizes"].update(Json(fusion.cost->sizes));
    json["row_items"].update(Json(fusion.cost->rows));
    json["seconds"] = json["seconds"].get<double>() + fusion.cost->seconds;
    json["floor_bytes"] = json["floor_bytes"].get<std::int64_t>() + fusion.cost->floor_bytes;
    json["dram_bytes"] = json["dram_bytes"].get<double>() + fusion.cost->dram_bytes;
    for (const KernelCost& k : fusion.cost->kernels) json["kernels"].push_back(json_of(k));
  }
  return json.is_null() ? "" : json.dump();
}

std::string tuned_json(const std::vector<FusionReport>& fusions) {
  const auto at = std::ranges::find_if(fusions, [](const auto& f) { return f.tuned != nullptr; });
  if (at == fusions.end()) return "";
  const TuneResult& tuned = *at->tuned;
  Json json = {{"device", tuned.device.name}, {"timed", tuned.is_timed},
               {"runs", tuned.runs},          {"seconds", tuned.seconds},
               {"kept", tuned.is_kept},       {"kernels", Json::array()}};
  for (const TunedKernel& kernel : tuned.kernels) {
    Json plans = Json::array();
    for (const TriedPlan& p : kernel.plans) {
      plans.push_back({{"plan", p.plan.text()},
                       {"measured", p.measured},
                       {"predicted", p.predicted},
                       {"taken", p.is_taken}});
    }
    json["kernels"].push_back({{"tensor", kernel.root}, {"plans", plans}});
  }
  return json.dump();
}

}  // namespace selvage
