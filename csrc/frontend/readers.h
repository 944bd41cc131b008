#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/frontend/document.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace selvage {

// The errors of one file. One mistake must hide no other, so a reader wraps each part of its work
// into attempt(), which keeps the refusal of that part and goes on.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { list_.push_back(std::move(diagnostic)); }
  // Whether `part` went through. Only BadInput is kept; anything else passes.
  template <typename Part>
  bool attempt(Part part) {
    try {
      part();
      return true;
    } catch (const BadInput& refusal) {
      add(refusal.diagnostic());
      return false;
    }
  }
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }

 private:
  std::vector<Diagnostic> list_;
};

// Readers. Each throws BadInput at the node's place; `what` names the thing in the message, mostly
// the key that the node stands under: as_integer(entry.value, entry.key).

// A decimal integer of 64 bits (E107, E108). Quotes do not matter.
std::int64_t as_integer(const Node& node, std::string_view what);
// true or false, without quotes (E107, E109).
bool as_bool(const Node& node, std::string_view what);
// The text of a scalar; empty only if quoted (E107).
const std::string& as_text(const Node& node, std::string_view what);
// A name (see names.h) (E107, E201 to E203).
const std::string& as_name(const Node& node, std::string_view what);
// The key of a map as a name (E201 to E203).
const std::string& key_as_name(const Entry& entry);

const std::vector<Node>& expect_sequence(const Node& node, std::string_view what);  // E107
const std::vector<Entry>& expect_map(const Node& node, std::string_view what);      // E107
// A map with no keys but these (E107, E106). The first form adds an error for each unknown key and
// goes on; the second throws at the first one.
const std::vector<Entry>& expect_map(const Node& node, std::string_view what,
                                     std::span<const std::string_view> keys, Diagnostics& errors);
const std::vector<Entry>& expect_map(const Node& node, std::string_view what,
                                     std::span<const std::string_view> keys);
// The value under a key that must be there (E110).
const Node& require(const Node& map, std::string_view what, std::string_view key);

}  // namespace selvage
