#include <selvage/base/words.h>
#include <selvage/expr/text.h>
#include <selvage/report/load_lines.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace selvage {

namespace {

using Json = nlohmann::ordered_json;
using Outcome = RowLoad::Outcome;

constexpr std::size_t kOutcomes = 4;
constexpr std::array<const char*, kOutcomes> kOutcomeWords = {"store", "fold", "carry", "atomic"};

std::array<std::int64_t, kOutcomes> outcomes_of(const RowLoad& load) {
  std::array<std::int64_t, kOutcomes> counts = {};
  for (const Outcome outcome : load.outcomes) ++counts[std::size_t(outcome)];
  return counts;
}

// "row 3", "rows 0, 4", "rows 0, 4, 8 and 5 more"
std::string rows_text(const std::vector<std::int64_t>& rows) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> words;
  for (std::size_t k = 0; k < std::min(rows.size(), kShown); ++k) {
    words.push_back(std::to_string(rows[k]));
  }
  const std::string rest =
      rows.size() > kShown ? " and " + std::to_string(rows.size() - kShown) + " more" : "";
  return (rows.size() == 1 ? "row " : "rows ") + joined(words) + rest;
}

std::string thread_text(const RowLoad& load, std::size_t number) {
  const RowLoad::Thread& thread = load.threads[number];
  std::string text = fmt::format("{} by thread {}", thread.work(), number);
  if (!thread.rows.empty()) text += ", of " + rows_text(thread.rows);
  return text;
}

void print_load(const RowLoad& load, Lines& out) {
  out.heading("Load of " + load.tensor + ": " + counted(load.rows, "row") + " of " + load.offsets +
              ", " + counted(load.items, "item") + ", the longest row " +
              std::to_string(load.longest));
  const auto by_work = [](const RowLoad::Thread& a, const RowLoad::Thread& b) {
    return a.work() < b.work();
  };
  const auto least = std::ranges::min_element(load.threads, by_work);
  const auto most = std::ranges::max_element(load.threads, by_work);
  const auto number = [&](auto thread) { return std::size_t(thread - load.threads.begin()); };
  const bool has_ends = load.has_ends();
  std::int64_t work = 0;
  for (const RowLoad::Thread& thread : load.threads) work += thread.work();
  out.line(2, counted(std::int64_t(load.threads.size()), "thread") + " take " +
                  fmt::format("{:.4g}", double(work) / double(load.threads.size())) +
                  (has_ends ? " items and ends of rows" : " items") + " each on average");
  out.line(4, "at most " + thread_text(load, number(most)));
  if (least->work() < most->work()) out.line(4, "at least " + thread_text(load, number(least)));
  if (load.times > 1) {
    out.line(4, "each of them " + std::to_string(load.times) + " times, for the axes beside");
  }
  out.line(2,
           fmt::format("{} of the thread with most; {} if all wait for one another, and {:.0f} % "
                       "of the threads are busy",
                       counted(load.slowest, "step"), load.steps, 100 * load.utilisation()));
  out.line(2, fmt::format("{} of all warps, and {:.0f} % of their lanes are busy",
                          counted(load.warp_steps, "step"), 100 * load.warp_utilisation()));
  const auto counts = outcomes_of(load);
  constexpr std::array<const char*, kOutcomes> kSays = {
      "stored by the thread that has all of it", "folded by threads of a block",
      "cut by tiles, and folded by a second kernel", "added up by blocks in memory"};
  for (std::size_t k = 0; k < kOutcomes; ++k) {
    if (counts[k] > 0) out.line(2, counted(counts[k], "row") + ": " + kSays[k]);
  }
}

// Threads and rows that JSON lists one by one.
constexpr std::size_t kMostListed = 65'536;

Json json_of(const RowLoad& load) {
  Json json = {{"tensor", load.tensor},
               {"offsets", load.offsets},
               {"rows", load.rows},
               {"items", load.items},
               {"longest", load.longest},
               {"threads", load.threads.size()},
               {"times", load.times},
               {"slowest", load.slowest},
               {"steps", load.steps},
               {"utilisation", load.utilisation()},
               {"warp_steps", load.warp_steps},
               {"warp_utilisation", load.warp_utilisation()}};
  const auto counts = outcomes_of(load);
  for (std::size_t k = 0; k < kOutcomes; ++k) json["outcomes"][kOutcomeWords[k]] = counts[k];
  Json& work = json["work"] = Json::array();
  for (std::size_t k = 0; k < std::min(load.threads.size(), kMostListed); ++k) {
    work.push_back(load.threads[k].work());
  }
  return json;
}

Json loops_json(const TensorReport& tensor, const MappedTensor& mapping) {
  Json loops = Json::array();
  for (const MappedRank& rank : mapping.ranks) {
    Json loop = {{"rank", rank.rank}};
    std::vector<std::string> space;
    for (const auto& [name, domain] : tensor.iterdomains) {
      if (name == rank.domain) loop["extent"] = to_string(tensor.graph()[domain].extent);
      const bool is_loop = std::ranges::find(rank.loops, name) != rank.loops.end();
      const ParallelType type = tensor.schedule->parallel(tensor.analysis.tensor, domain);
      if (is_loop && is_index(type)) space.emplace_back(to_string(type));
    }
    if (rank.is_space) loop["space"] = joined(space);
    loops.push_back(std::move(loop));
  }
  return loops;
}

// The points of the ranks in space: all threads but those with which the last block is filled up,
// where a rank is cut up among blocks.
std::size_t units_of(const RowLoad& load, const MappedTensor& mapping) {
  std::size_t units = load.threads.size();
  const auto is_cut = [](const MappedRank& rank) { return rank.loops.size() > 1; };
  if (std::ranges::none_of(mapping.ranks, is_cut)) return units;
  while (units > 0 && load.threads[units - 1].rows.empty()) --units;
  return units;
}

void append_load(const RowLoad& load, const MappedTensor& mapping, Json& json) {
  const std::size_t units = units_of(load, mapping);
  Json& owners = json["owners"] = Json::object();
  Json& atoms = json["atoms"] = Json::array();
  for (std::size_t k = 0; k < std::min(units, kMostListed); ++k) {
    owners[std::to_string(k)] = load.threads[k].rows;
    atoms.push_back(load.threads[k].items);
  }
  const std::int64_t steps = mapping.slips ? load.slowest : load.steps;
  const double all = double(steps) * double(units);
  json["steps"] = steps;
  json["utilisation"] = all == 0 ? 1 : double(load.busy) / all;
  json["slips"] = mapping.slips;
  Json& output = json["output"] = Json::object();
  for (std::size_t k = 0; k < std::min(load.outcomes.size(), kMostListed); ++k) {
    output[std::to_string(k)] = kOutcomeWords[std::size_t(load.outcomes[k])];
  }
}

}  // namespace

void print_loads(const FusionReport& fusion, Lines& out) {
  if (!fusion.loads_of.empty() && !fusion.loads.empty()) {
    out.heading("By what offsets tell");
    out.line(2, fusion.loads_of);
  }
  for (const RowLoad& load : fusion.loads) print_load(load, out);
}

std::string loads_json(const FusionReport& fusion) {
  if (fusion.loads.empty()) return {};
  Json list = Json::array();
  for (const RowLoad& load : fusion.loads) list.push_back(json_of(load));
  return list.dump();
}

std::string spec_json(const Report& report) {
  Json list = Json::array();
  for (const TensorReport& tensor : report.tensors) {
    const auto mapping = report.mappings.find(tensor.name());
    if (mapping == report.mappings.end()) continue;
    Json json = {{"tensor", tensor.name()}, {"loops", loops_json(tensor, mapping->second)}};
    for (const FusionReport& fusion : report.fusions) {
      for (const RowLoad& load : fusion.loads) {
        if (load.tensor == tensor.name()) append_load(load, mapping->second, json);
      }
    }
    list.push_back(std::move(json));
  }
  if (list.empty()) return {};
  return (list.size() == 1 ? list[0] : list).dump();
}

}  // namespace selvage
