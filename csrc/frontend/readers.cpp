#include <selvage/base/names.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/words.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace selvage {

namespace {

std::string found(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Scalar: break;
    case Node::Kind::Sequence: return "a sequence";
    case Node::Kind::Map: return "a map";
  }
  return node.text.empty() && !node.quoted ? "nothing" : shown(node.text);
}

[[noreturn]] void refuse_kind(const Node& node, std::string_view what, const char* expected,
                              const char* help) {
  refuse("E107", node.place,
         std::string(what) + ": expected " + expected + ", found " + found(node), help);
}

const std::string& scalar(const Node& node, std::string_view what, const char* expected,
                          const char* help) {
  const bool nothing = node.text.empty() && !node.quoted;
  if (node.kind != Node::Kind::Scalar || nothing) refuse_kind(node, what, expected, help);
  return node.text;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What is said of the unknown keys of a map: those are proposed that do not stand in it already.
class UnknownKeys {
 public:
  UnknownKeys(const Node& map, std::string_view what, std::span<const std::string_view> keys)
      : map_(map), what_(what), keys_(keys) {}

  bool has(const std::string& key) const {
    return std::find(keys_.begin(), keys_.end(), key) == keys_.end();
  }
  Diagnostic operator()(const Entry& entry) {
    if (!open_) {
      open_.emplace();
      for (const std::string_view key : keys_) {
        if (map_.find(key) == nullptr) open_->push_back(key);
      }
    }
    return {.code = "E106",
            .place = entry.place,
            .message = std::string(what_) + ": unknown key " + shown(entry.key),
            .help = help(entry.key)};
  }

 private:
  std::string help(const std::string& key) const {
    if (const auto meant = nearest(key, *open_)) {
      return "did you mean '" + std::string(*meant) + "'?";
    }
    std::string list;
    for (const std::string_view k : *open_) list += (list.empty() ? "" : ", ") + std::string(k);
    if (list.empty()) return "remove it: no other key is known here";
    return (open_->size() < keys_.size() ? "it may also have " : "it may have ") + list;
  }

  const Node& map_;
  std::string_view what_;
  std::span<const std::string_view> keys_;
  std::optional<std::vector<std::string_view>> open_;
};

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
                                     std::span<const std::string_view> keys, Diagnostics& errors) {
  UnknownKeys unknown(node, what, keys);
  for (const Entry& entry : expect_map(node, what)) {
    if (unknown.has(entry.key)) errors.add(unknown(entry));
  }
  return node.entries;
}

const std::vector<Entry>& expect_map(const Node& node, std::string_view what,
                                     std::span<const std::string_view> keys) {
  UnknownKeys unknown(node, what, keys);
  for (const Entry& entry : expect_map(node, what)) {
    if (unknown.has(entry.key)) throw BadInput(unknown(entry));
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
