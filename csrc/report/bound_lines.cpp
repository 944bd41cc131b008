#include <selvage/legality/bounds.h>
#include <selvage/report/bound_lines.h>
#include <selvage/report/point.h>

#include <nlohmann/json.hpp>

#include <set>
#include <tuple>

namespace selvage {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLines = 40;

// (proved: guard, law A), (refuted), (unknown)
std::string shown(const Verdict& verdict) {
  const auto* proved = std::get_if<Proved>(&verdict);
  if (proved == nullptr) return std::holds_alternative<Refuted>(verdict) ? "refuted" : "unknown";
  std::string rules;
  for (const std::string& rule : proved->rules) rules += (rules.empty() ? ": " : ", ") + rule;
  return "proved" + rules;
}

Json block(const TensorReport& tensor, const char* access, const std::string& memory,
           const std::string& reader, const Verdict& verdict) {
  Json json = {{"access", access}, {"tensor", memory}};
  if (!reader.empty()) json["in"] = reader;
  const std::string word = shown(verdict);
  json["verdict"] = word.substr(0, word.find(':'));
  if (const auto* proved = std::get_if<Proved>(&verdict)) json["rules"] = proved->rules;
  if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
    Json& witness = json["witness"] = Json::object();
    for (const auto& [symbol, value] : completed(tensor, refuted->point)) {
      witness[std::string(symbol.name())] = value;
    }
  }
  return json;
}

// What is read several times, by the same rules, is said once.
std::vector<ReadBound> reads_of(const TensorReport& tensor) {
  std::vector<ReadBound> list;
  std::set<std::tuple<TensorId, TensorId, std::string>> said;
  for (ReadBound& r : read_bounds(tensor.fusion(), *tensor.schedule, tensor.analysis)) {
    const bool is_new = said.emplace(r.source, r.reader, shown(r.inside.verdict)).second;
    if (is_new || !r.inside.is_legal()) list.push_back(std::move(r));
  }
  return list;
}

}  // namespace

void print_bounds(const TensorReport& tensor, Lines& out) {
  out.heading("Accesses");
  const Finding& store = tensor.legality.store;
  out.line(2, store.reason + " (" + shown(store.verdict) + ")");
  const std::vector<ReadBound> reads = reads_of(tensor);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (i == kMostLines) {
      out.line(2, "... and " + std::to_string(reads.size() - i) + " more, which --json lists");
      return;
    }
    out.line(2, reads[i].inside.reason + " (" + shown(reads[i].inside.verdict) + ")");
  }
}

std::string bounds_json(const TensorReport& tensor) {
  Json json = Json::array();
  const Fusion& fusion = tensor.fusion();
  json.push_back(block(tensor, "store", tensor.name(), "", tensor.legality.store.verdict));
  for (const ReadBound& read : reads_of(tensor)) {
    json.push_back(block(tensor, "read", fusion[read.source].name, fusion[read.reader].name,
                         read.inside.verdict));
  }
  return json.dump();
}

}  // namespace selvage
