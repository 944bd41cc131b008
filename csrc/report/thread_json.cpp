#include <selvage/expr/text.h>
#include <selvage/kernel/guard_masks.h>
#include <selvage/report/thread_json.h>

#include <nlohmann/json.hpp>

namespace selvage {

namespace {

using Json = nlohmann::ordered_json;

// Past so many threads a run's counts are left out, and of a mask the rows.
constexpr std::int64_t kMostCounts = 1 << 16;
// Of the guards of a kernel, which may be many: rows, iterations.
constexpr std::int64_t kMostGuardRows = 256;
constexpr std::size_t kMostGuardIterations = 64;

void append_mask(Json& json, const ThreadMask& mask, std::int64_t most_rows = kMostCounts) {
  const bool is_product = mask.is_product();
  json["mask"] = is_product ? Json(mask.text()) : Json();
  json["product"] = is_product;
  json["rows"] = is_product || mask.row_count() > most_rows ? Json() : Json(mask.rows(most_rows));
  json["active"] = mask.count();
}

// `loops`: the loops of `who` under the names to print.
void append_threads(Json& json, const RegionThreads& who, const std::vector<Expr>& loops,
                    std::int64_t most_rows = kMostCounts, std::size_t most_iterations = SIZE_MAX) {
  if (who.mask) return append_mask(json, *who.mask, most_rows);
  for (const char* key : {"mask", "product", "rows", "active"}) json[key] = Json();
  if (who.iterations.empty()) return;
  if (who.iterations.size() > most_iterations) {
    json["iterations"] = Json();
    return;
  }
  Json& iterations = json["iterations"] = Json::array();
  for (std::size_t k = 0; k < who.iterations.size(); ++k) {
    Json& iteration = iterations.emplace_back();
    Json& at = iteration["at"] = Json::object();
    const Point values = who.iteration_at(k);
    for (std::size_t l = 0; l < loops.size(); ++l) {
      at[std::string(loops[l].name())] = values[l].second;
    }
    append_mask(iteration, who.iterations[k], most_rows);
  }
}

Json json_of(const ThreadRegion& region) {
  Json json = {{"when", region.when},
               {"implicit", region.is_implicit},
               {"dynamic", !region.who.mask.has_value()}};
  if (region.is_async) json["async"] = true;
  std::vector<Expr> loops;
  for (const MaskIndex& loop : region.who.loops) loops.push_back(loop.symbol);
  append_threads(json, region.who, loops);
  return json;
}

// The text of a JSON value. Names in a file may be invalid UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string masks_json(const ThreadReport& report) {
  Json masks = Json::array();
  for (const ThreadRegion& region : report.lowered.regions) masks.push_back(json_of(region));
  return text_of(masks);
}

std::string masks_json(const Kernel& kernel) {
  Json masks = Json::array();
  for (const GuardMask& g : guard_masks(kernel)) {
    Json& json = masks.emplace_back();
    json = {{"when", to_string(g.guard->condition)}, {"dynamic", !g.who.mask.has_value()}};
    append_threads(json, g.who, g.loops, kMostGuardRows, kMostGuardIterations);
  }
  return text_of(masks);
}

std::string groups_json(const ThreadReport& report) {
  Json groups = Json::array();
  for (const AsyncGroup& group : report.lowered.groups) {
    const auto said = [](const std::optional<bool>& fact) { return fact ? Json(*fact) : Json(); };
    groups.push_back({{"masks", group.regions},
                      {"disjoint", said(group.is_disjoint)},
                      {"complete", said(group.is_complete)}});
  }
  return text_of(groups);
}

std::string runs_json(const ThreadReport& report) {
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
    for (const auto& [region, why] : run.not_compared) json["not_compared"].push_back(region);
    if (!run.differences.empty()) json["differences"] = run.differences;
    if (!run.faults.empty()) json["faults"] = run.faults;
    if (!run.times) continue;
    Json& times = json["times"] = {{"compile_ms", run.times->compile * 1e3}};
    Json& kernels = times["kernels"] = Json::array();
    for (const KernelTime& k : run.times->kernels) {
      kernels.push_back({{"name", k.name}, {"ms", k.seconds * 1e3}});
    }
  }
  return text_of(runs);
}

}  // namespace selvage
