#include <selvage/base/names.h>
#include <selvage/frontend/readers.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

namespace selvage {

void refuse(const char* code, const Place& place, std::string message, std::string help,
            std::vector<std::string> notes) {
  throw BadInput({.code = code,
                  .place = place,
                  .message = std::move(message),
                  .notes = std::move(notes),
                  .help = std::move(help)});
}

void check_count(std::int64_t count, std::int64_t most, const Place& place, const char* things) {
  if (count <= most) return;
  refuse("E104", place, "the file has more than " + std::to_string(most) + " " + things,
         "split the file");
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
  refuse("E304", place,
         std::string(what) + ": " + shown(text) + " is none of " + joined(words, std::identity()),
         meant(text, words, "write one of them"));
}

std::int64_t as_integer_of(const Node& node, std::string_view what, std::int64_t least,
                           std::int64_t most) {
  const std::int64_t value = as_integer(node, what);
  if (value >= least && value <= most) return value;
  refuse("E305", node.place, std::string(what) + " is " + std::to_string(value),
         value < least ? "it is at least " + std::to_string(least)
                       : "it is at most " + std::to_string(most));
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

namespace {

std::string found(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Scalar: break;
    case Node::Kind::Sequence: return "a sequence";
    case Node::Kind::Map: return "a map";
  }
  return node.is_nothing() ? "nothing" : shown(node.text);
}

[[noreturn]] void refuse_kind(const Node& node, std::string_view what, const char* expected,
                              const char* help) {
  refuse("E107", node.place,
         std::string(what) + ": expected " + expected + ", found " + found(node), help);
}

const std::string& scalar(const Node& node, std::string_view what, const char* expected,
                          const char* help) {
  if (node.kind != Node::Kind::Scalar || node.is_nothing()) refuse_kind(node, what, expected, help);
  return node.text;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The help for an unknown key. `open`: the known keys that are not there yet.
std::string known_key(const std::string& key, std::span<const std::string_view> open,
                      bool has_others) {
  if (const auto meant = nearest(key, open)) return "did you mean '" + std::string(*meant) + "'?";
  if (open.empty()) return "remove it: no other key is known here";
  return (has_others ? "it may also have " : "it may have ") + joined(open, std::identity());
}

}  // namespace

std::int64_t as_integer(const Node& node, std::string_view what) {
  const std::string& text = scalar(node, what, "an integer", "write one integer, such as 4");
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  const std::string not_one = std::string(what) + ": " + shown(text) + " is not an integer";
  if (!all_digits(digits)) {
    refuse("E108", node.place, not_one, "write a whole number in decimal digits, such as 4");
  }
  if (digits.size() > 1 && digits[0] == '0') {
    refuse("E108", node.place, not_one, "leave out the leading zeros");
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    refuse("E108", node.place, std::string(what) + ": " + shown(text) + " does not fit in 64 bits",
           "integers lie between -9223372036854775808 and 9223372036854775807");
  }
  return value;
}

bool as_bool(const Node& node, std::string_view what) {
  constexpr const char* kHelp = "write true or false, without quotes";
  const std::string& text = scalar(node, what, "true or false", kHelp);
  if (node.quoted || (text != "true" && text != "false")) {
    refuse("E109", node.place,
           std::string(what) + ": " + (node.quoted ? "the quoted text " : "") + shown(text) +
               " is not a boolean",
           kHelp);
  }
  return text == "true";
}

const std::string& as_text(const Node& node, std::string_view what) {
  return scalar(node, what, "text", "write one value here, in quotes if it holds ': ' or ' #'");
}

const std::string& as_name(const Node& node, std::string_view what) {
  const std::string& name = scalar(node, what, "a name", "write one name, such as I0");
  if (auto wrong = check_name(name, node.place)) {
    wrong->message = std::string(what) + ": " + wrong->message;
    throw BadInput(*std::move(wrong));
  }
  return name;
}

const std::string& key_as_name(const Entry& entry) {
  if (auto wrong = check_name(entry.key, entry.place)) throw BadInput(*std::move(wrong));
  return entry.key;
}

const std::vector<Node>& expect_sequence(const Node& node, std::string_view what) {
  if (node.kind != Node::Kind::Sequence) {
    refuse_kind(node, what, "a sequence", "write [a, b], or one '- item' a line");
  }
  return node.items;
}

const std::vector<Entry>& expect_map(const Node& node, std::string_view what) {
  if (node.kind != Node::Kind::Map) {
    refuse_kind(node, what, "a map", "write {key: value}, or one 'key: value' a line");
  }
  return node.entries;
}

const std::vector<Entry>& expect_map(const Node& node, std::string_view what,
                                     std::span<const std::string_view> keys, Diagnostics* errors) {
  std::optional<std::vector<std::string_view>> open;
  for (const Entry& entry : expect_map(node, what)) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    if (!open) {
      open.emplace();
      for (std::string_view key : keys) {
        if (node.find(key) == nullptr) open->push_back(key);
      }
    }
    Diagnostic unknown{.code = "E106",
                       .place = entry.place,
                       .message = std::string(what) + ": unknown key " + shown(entry.key),
                       .help = known_key(entry.key, *open, open->size() < keys.size())};
    if (errors == nullptr) throw BadInput(std::move(unknown));
    errors->add(std::move(unknown));
  }
  return node.entries;
}

const Node& require(const Node& map, std::string_view what, std::string_view key) {
  expect_map(map, what);
  const Node* value = map.find(key);
  if (value == nullptr) {
    refuse("E110", map.place, std::string(what) + ": the key '" + std::string(key) + "' is missing",
           "add '" + std::string(key) + ": ...'");
  }
  return *value;
}

}  // namespace selvage
