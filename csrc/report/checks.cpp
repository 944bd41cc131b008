#include <selvage/report/checks.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace selvage {

std::vector<Dropped> dropped_checks(const TensorReport& tensor) {
  const TensorAnalysis& a = tensor.analysis;
  std::unordered_map<std::size_t, const ImpliedPredicate*> implied;
  std::unordered_set<std::size_t> tested;  // or a loop
  for (const ImpliedPredicate& p : a.predicates.implied) implied[index_of(p.domain)] = &p;
  for (const KeptPredicate& p : a.predicates.kept) tested.insert(index_of(p.domain));
  for (DomainId d : a.loops) tested.insert(index_of(d));
  std::vector<Dropped> list;
  for (const auto& [name, d] : tensor.iterdomains) {
    if (name != tensor.name_of(d)) {
      list.push_back({name, "the same iterdomain", {tensor.name_of(d)}});
      continue;
    }
    if (tested.contains(index_of(d))) continue;
    const auto it = implied.find(index_of(d));
    Dropped& dropped = list.emplace_back();
    dropped.name = name;
    if (it != implied.end()) {
      dropped.by = it->second->by;
      for (DomainId f : it->second->from) dropped.from.push_back(tensor.name_of(f));
    } else {
      dropped.by = tensor.tensor().duplicates_allowed ? "duplicates allowed" : "no part of a hole";
      for (DomainId f : tensor.tensor().logical) dropped.from.push_back(tensor.name_of(f));
    }
  }
  return list;
}

std::string explanation(const std::string& by) {
  static constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
      {"theorem 1", "a number within bounds has its tile within bounds"},
      {"theorem 2", "a merged index and its outer part leave their bounds together"},
      {"theorem 3", "padding keeps what was within bounds there"},
      {"theorem 4", "a swizzle keeps its first index, or the square that it is in"},
      {"law A", "a number within bounds has its outer part within bounds"},
      {"law B", "both parts within bounds, and no more of them than numbers"},
      {"law C", "a remainder is within bounds, and the quotient rises with the number"},
      {"law D", "what shrinks was within bounds before, if it is now"},
      {"law E", "a swizzle of indices within bounds stays within bounds"},
      {"range", "its index cannot leave its bounds"},
      {"interval", "by the ranges of the indices, one after the other"},
      {"exact search", "all points were looked at"},
      {"simplifier", "proved as a claim about all loop points"},
      {"duplicates allowed", "an item may be visited more than once"},
  };
  // Several laws: "law A and theorem 3".
  std::string text;
  for (std::size_t at = 0; at < by.size();) {
    const std::size_t end = std::min(by.find(" and ", at), by.size());
    const std::string_view name = std::string_view(by).substr(at, end - at);
    for (const auto& [known, reason] : kReasons) {
      if (name == known) text += (text.empty() ? "" : "; ") + std::string(reason);
    }
    at = end + 5;
  }
  return text;
}

std::vector<const KeptPredicate*> kept_checks(const TensorReport& tensor) {
  std::unordered_map<std::size_t, std::size_t> position;
  for (std::size_t i = 0; i < tensor.iterdomains.size(); ++i) {
    position.emplace(index_of(tensor.iterdomains[i].second), i);
  }
  std::vector<const KeptPredicate*> list;
  for (const KeptPredicate& p : tensor.analysis.predicates.kept) list.push_back(&p);
  std::stable_sort(list.begin(), list.end(), [&](const auto* a, const auto* b) {
    return position.at(index_of(a->domain)) < position.at(index_of(b->domain));
  });
  return list;
}

std::string_view to_string(Minimality minimality) {
  switch (minimality) {
    case Minimality::Proved: return "proved";
    case Minimality::Irredundant: return "irredundant";
    case Minimality::Unknown: return "unknown";
  }
  return {};
}

}  // namespace selvage
