#include <selvage/base/names.h>
#include <selvage/base/words.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/words.h>

#include <algorithm>

namespace selvage {

void refuse(const char* code, const Place& place, std::string message, std::string help,
            std::vector<std::string> notes) {
  throw BadInput({.code = code,
                  .place = place,
                  .message = std::move(message),
                  .notes = std::move(notes),
                  .help = std::move(help)});
}

void refuse_unsupported(const Place& place, const std::string& what, std::string help) {
  refuse("E390", place, what + " is not supported yet", std::move(help));
}

std::string meant(std::string_view word, std::span<const std::string_view> words,
                  std::string otherwise) {
  constexpr std::size_t kMost = 1000;
  const auto best = nearest(word, words.first(std::min(words.size(), kMost)));
  return best ? "did you mean '" + std::string(*best) + "'?" : otherwise;
}

std::string few_names(std::string words, const std::vector<std::string>& names,
                      std::string otherwise) {
  return names.empty() || names.size() > kMostNames ? otherwise : std::move(words) + joined(names);
}

std::size_t one_of(std::string_view text, const Place& place, std::string_view what,
                   std::span<const std::string_view> words) {
  const auto it = std::find(words.begin(), words.end(), text);
  if (it != words.end()) return std::size_t(it - words.begin());
  std::string list;
  for (const std::string_view w : words) list += (list.empty() ? "" : ", ") + std::string(w);
  refuse("E304", place, std::string(what) + ": " + shown(text) + " is none of " + list,
         meant(text, words, "write one of them"));
}

std::int64_t as_integer_of(const Node& node, std::string_view what, std::int64_t least,
                           std::int64_t most) {
  const std::int64_t value = as_integer(node, what);
  if (value < least) {
    refuse("E305", node.place, std::string(what) + " is " + std::to_string(value),
           "it is at least " + std::to_string(least));
  }
  if (value > most) {
    refuse("E305", node.place, std::string(what) + " is " + std::to_string(value),
           "it is at most " + std::to_string(most));
  }
  return value;
}

const Entry& expect_one(const Node& node, std::string_view what) {
  const std::vector<Entry>& entries = expect_map(node, what);
  if (entries.size() != 1) {
    refuse(
        "E107", entries.size() < 2 ? node.place : entries[1].place,
        std::string(what) + ": expected a map of one key, found " + std::to_string(entries.size()),
        "write one '- key: ...' for each");
  }
  return entries[0];
}

Place place_in(const Node& scalar, std::size_t at) {
  Place place = scalar.place;
  // A folded text has lost its line ends.
  if (scalar.kind == Node::Kind::Scalar && scalar.text.find('\n') == std::string::npos) {
    place.column += int(at) + (scalar.quoted ? 1 : 0);
  }
  return place;
}

std::string to_text(const Place& place) {
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace selvage
