#include <selvage/base/names.h>
#include <selvage/base/words.h>
#include <selvage/frontend/einsum_partitioning.h>
#include <selvage/frontend/readers.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace selvage {

Partitioning read_partitioning(const Node& node) {
  constexpr std::string_view kWords[] = {"uniform_shape", "nway_shape", "uniform_occupancy",
                                         "flatten"};
  const std::string_view text = trimmed(as_text(node, "partitioning"));
  const std::size_t open = text.find('(');
  if (open == text.npos || text.back() != ')') {
    refuse("E332", node.place, shown(text) + " is no partitioning",
           "write uniform_shape(4), nway_shape(4), uniform_occupancy(A.4) or flatten()");
  }
  const std::string_view word = trimmed(text.substr(0, open));
  const std::string_view inside = trimmed(text.substr(open + 1, text.size() - open - 2));
  if (word == "follow") {
    refuse_unsupported(node.place, "follow(...)", "leave it out: ranks follow what they index");
  }
  Partitioning made;
  const auto known = std::ranges::find(kWords, word);
  if (known == std::end(kWords)) {
    refuse("E332", node.place,
           "partitioning: " + shown(word) + " is none of " + joined(kWords, std::identity()),
           meant(word, kWords, "write one of them"));
  }
  made.kind = Partitioning::Kind(known - std::begin(kWords));
  made.place = node.place;
  if (made.kind == Partitioning::Kind::Flatten) {
    if (inside.empty()) return made;
    refuse("E332", node.place, "flatten() has nothing in its parentheses", "write flatten()");
  }
  made.amount = inside;
  if (made.kind == Partitioning::Kind::UniformOccupancy) {
    const std::size_t dot = inside.find('.');
    if (dot == inside.npos) {
      refuse("E334", node.place,
             "uniform_occupancy(" + std::string(inside) + ") has no leader: whose items it counts",
             "write uniform_occupancy(A." + (inside.empty() ? "4" : std::string(inside)) +
                 "), of the tensor whose items fill the parts");
    }
    made.leader = trimmed(inside.substr(0, dot));
    made.amount = trimmed(inside.substr(dot + 1));
  }
  const bool is_number =
      !made.amount.empty() && std::ranges::all_of(made.amount, [](char c) { return is_digit(c); });
  if (!is_number && !is_identifier(made.amount)) {
    refuse("E332", node.place, shown(text) + ": " + shown(made.amount) + " is no number of items",
           "write a number, or the name of a symbol");
  }
  return made;
}

std::vector<std::string> ranks_of_key(const std::string& key) {
  std::string_view text = trimmed(key);
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::vector<std::string> ranks;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    ranks.emplace_back(trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  return ranks;
}

}  // namespace selvage
