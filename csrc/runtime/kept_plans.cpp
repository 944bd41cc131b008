#include <selvage/runtime/kept_plans.h>
#include <selvage/scheduler/structure.h>

#include <sstream>
#include <string_view>

namespace selvage {

namespace {

// Raised when plans or their text change.
constexpr std::string_view kVersion = "plans 7";

std::string key_of_plans(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
                         const Device& device) {
  return std::string(kVersion) + "\n" + text_of(device) + "\n" +
         structure_of(fusion, TypicalSizes(fusion, sizes));
}

// One line a kernel: the number of its tensor, then the plan.
std::string line_of(std::size_t tensor, const PlanChoice& c) {
  std::ostringstream line;
  line << tensor << ' ' << c.threads.value_or(0) << ' ' << c.folders.value_or(0) << ' '
       << c.vector.value_or(0) << ' ' << c.at_once.value_or(0) << ' ' << c.tile.value_or(0) << ' '
       << c.across.value_or(1) << ' ' << c.parts.value_or(0) << ' '
       << (c.kept && *c.kept ? int(**c.kept) : -1) << ' ' << c.is_along_rows.value_or(false) << ' '
       << c.last_block.value_or(0) << ' ' << c.skew.value_or(0) << ' ' << c.windows.value_or(0)
       << ' ' << c.late.value_or(0) << ' ' << c.ranks.value_or(1) << '\n';
  return line.str();
}

std::optional<std::pair<std::size_t, PlanChoice>> plan_of(const std::string& text) {
  std::istringstream line(text);
  std::size_t tensor = 0;
  std::int64_t threads = 0, folders = 0, vector = 0, at_once = 0, tile = 0, across = 1, parts = 0;
  std::int64_t last_block = 0, skew = 0, windows = 0, late = 0, ranks = 1;
  int kept = 0;
  bool is_along_rows = false;
  line >> tensor >> threads >> folders >> vector >> at_once >> tile >> across >> parts >> kept >>
      is_along_rows >> last_block >> skew >> windows >> late >> ranks;
  if (!line || kept < -1 || kept > int(Memory::Local)) return std::nullopt;
  return std::pair(tensor, PlanChoice{.threads = threads,
                                      .folders = folders,
                                      .vector = vector,
                                      .batch = {},
                                      .at_once = at_once,
                                      .tile = tile,
                                      .across = across,
                                      .parts = parts,
                                      .turns = {},
                                      .last_block = last_block,
                                      .windows = windows,
                                      .skew = skew,
                                      .late = late,
                                      .ranks = ranks,
                                      .kept = kept < 0 ? std::nullopt : std::optional(Memory(kept)),
                                      .is_along_rows = is_along_rows,
                                      .is_wish = true});
}

}  // namespace

PlanChoices kept_plans(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
                       const Device& device, DiskCache& cache) {
  PlanChoices plans;
  if (cache.folder().empty()) return plans;
  const auto payload = cache.get(key_of_plans(fusion, sizes, device));
  if (!payload) return plans;
  std::istringstream lines(
      std::string(reinterpret_cast<const char*>(payload->data()), payload->size()));
  for (std::string line; std::getline(lines, line);) {
    const auto plan = plan_of(line);
    if (plan && plan->first < fusion.size()) {
      plans[fusion[TensorId(plan->first)].name] = plan->second;
    }
  }
  return plans;
}

void keep_plans(const Fusion& fusion, const std::map<std::string, std::int64_t>& sizes,
                const Device& device, const PlanChoices& plans, DiskCache& cache) {
  std::string text;
  for (const auto& [name, plan] : plans) {
    if (const auto t = fusion.find(name)) text += line_of(index_of(*t), plan);
  }
  cache.put(key_of_plans(fusion, sizes, device), std::as_bytes(std::span(text)));
}

}  // namespace selvage
