#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/base/words.h>
#include <selvage/frontend/document.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace selvage {

// The errors of one file. No mistake may hide another, so a reader wraps each part of its work into
// attempt(), which keeps the error of that part and goes on.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { list_.push_back(std::move(diagnostic)); }
  // Calls `part`. Keeps a BadInput and returns false; any other exception passes through.
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

// Throws BadInput.
[[noreturn]] void refuse(const char* code, const Place& place, std::string message,
                         std::string help, std::vector<std::string> notes = {});

// "a, b, c": the texts of items, each given by a function or a member.
template <class Items, class Text>
std::string joined(const Items& items, Text text) {
  std::vector<std::string> words;
  for (const auto& item : items) words.emplace_back(std::invoke(text, item));
  return joined(words);
}

// "did you mean 'x'?", or `otherwise` if no word is near. Looks at the first thousand words.
std::string meant(std::string_view word, std::span<const std::string_view> words,
                  std::string otherwise);
// The names of some things, to choose from: words_of(arrays, &ThreadArray::name).
template <class Items, class Name>
std::vector<std::string_view> words_of(const Items& items, Name name) {
  std::vector<std::string_view> words;
  for (const auto& item : items) words.push_back(std::invoke(name, item));
  return words;
}

// `words` followed by the names; `otherwise` if there is none, or more than kMostNames.
inline constexpr std::size_t kMostNames = 32;
std::string few_names(std::string words, const std::vector<std::string>& names,
                      std::string otherwise);

// The number of the text among the words (E304).
std::size_t one_of(std::string_view text, const Place& place, std::string_view what,
                   std::span<const std::string_view> words);
// An integer in least .. most (E305).
std::int64_t as_integer_of(const Node& node, std::string_view what, std::int64_t least,
                           std::int64_t most);
// The one entry of a map (E107).
const Entry& expect_one(const Node& node, std::string_view what);

// The place in the file of the character `at` of a scalar, as far as the scalar's place tells.
Place place_in(const Node& scalar, std::size_t at);
// FILE:LINE:COLUMN
std::string to_text(const Place& place);

// Throws E104 if a file has more than `most` of something.
void check_count(std::int64_t count, std::int64_t most, const Place& place, const char* things);
template <class Item>  // a Node, or an Entry
void check_count(const std::vector<Item>& list, std::int64_t most, const char* things) {
  if (std::int64_t(list.size()) > most) {
    check_count(most + 1, most, list[std::size_t(most)].place, things);
  }
}

// Throws E390: `what` belongs to the format but is not built yet.
[[noreturn]] void refuse_unsupported(const Place& place, const std::string& what, std::string help);

// Calls `part`; gives an exception without a place this one.
template <typename Refusal, typename Part>
void at_place(const Place& place, Part part) {
  try {
    part();
  } catch (const Refusal& e) {
    Diagnostic diagnostic = e.diagnostic();
    if (diagnostic.place.line == 0) diagnostic.place = place;
    throw Refusal(std::move(diagnostic));
  }
}

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
// A map with no keys but these (E107, E106): adds an error for each unknown key and goes on, or,
// without a list of errors, throws at the first one.
const std::vector<Entry>& expect_map(const Node& node, std::string_view what,
                                     std::span<const std::string_view> keys,
                                     Diagnostics* errors = nullptr);
// The value under a key that must be there (E110).
const Node& require(const Node& map, std::string_view what, std::string_view key);
// Attempts to read the value under a key that may be there.
template <typename Read>
void read_key(const Node& map, std::string_view key, Diagnostics& errors, Read read) {
  if (const Node* value = map.find(key)) errors.attempt([&] { read(*value); });
}

}  // namespace selvage
