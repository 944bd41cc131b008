#include <selvage/base/names.h>
#include <selvage/frontend/made_nodes.h>

#include <algorithm>

namespace selvage {

Node made_text(std::string text, const Place& place) {
  Node node;
  node.place = place;
  node.text = std::move(text);
  return node;
}

Node made_list(std::vector<Node> items, const Place& place) {
  Node node;
  node.kind = Node::Kind::Sequence;
  node.place = place;
  node.items = std::move(items);
  return node;
}

Node made_list(const std::vector<std::string>& texts, const Place& place) {
  std::vector<Node> items;
  for (const std::string& text : texts) items.push_back(made_text(text, place));
  return made_list(std::move(items), place);
}

Node made_map(std::vector<std::pair<std::string, Node>> entries, const Place& place) {
  Node map;
  map.kind = Node::Kind::Map;
  map.place = place;
  for (auto& [key, value] : entries) put(map, key, std::move(value));
  return map;
}

void put(Node& map, std::string key, Node value) {
  const Place place = value.place;
  map.entries.push_back({std::move(key), place, std::move(value)});
}

namespace {

class YamlWriter {
 public:
  std::string write(const Node& document) {
    map(document, 0);
    return std::move(text_);
  }

 private:
  static bool is_text(const Node& node) { return node.kind == Node::Kind::Scalar; }
  // Of texts, and lists of texts.
  static bool is_flat(const Node& node) {
    const auto is_short = [](const Node& value) {
      return is_text(value) ||
             (value.kind == Node::Kind::Sequence && std::ranges::all_of(value.items, is_text));
    };
    return std::ranges::all_of(node.items, is_short) &&
           std::ranges::all_of(node.entries, is_short, &Entry::value);
  }

  static std::string quoted(const std::string& text, bool is_in_brackets) {
    const auto is_plain = [&](char c) {
      return is_letter(c) || is_digit(c) || c == '.' || (!is_in_brackets && c != '"' && c != '\\');
    };
    const bool is_safe = !text.empty() && (is_letter(text[0]) || is_digit(text[0])) &&
                         text.find(": ") == text.npos && text.find(" #") == text.npos &&
                         text.back() != ' ' && text.back() != ':';
    if (is_safe && std::ranges::all_of(text, [&](char c) { return is_plain(c) || c == ' '; })) {
      return text;
    }
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  }

  static std::string flow(const Node& node) {
    switch (node.kind) {
      case Node::Kind::Scalar: return node.is_nothing() ? "" : quoted(node.text, true);
      case Node::Kind::Sequence: {
        std::string list;
        for (const Node& item : node.items) list += (list.empty() ? "" : ", ") + flow(item);
        return "[" + list + "]";
      }
      case Node::Kind::Map: break;
    }
    std::string list;
    for (const Entry& entry : node.entries) {
      list += (list.empty() ? "" : ", ") + quoted(entry.key, true) + ": " + flow(entry.value);
    }
    return "{" + list + "}";
  }

  // What stands behind a key, or behind the dash of an item.
  void value(const Node& node, std::size_t indent) {
    if (is_text(node)) {
      text_ += (node.is_nothing() ? "" : " " + quoted(node.text, false)) + "\n";
    } else if (is_flat(node) &&
               (node.kind == Node::Kind::Map || node.items.empty() || indent > 2)) {
      text_ += " " + flow(node) + "\n";
    } else {
      text_ += "\n";
      node.kind == Node::Kind::Map ? map(node, indent) : list(node, indent);
    }
  }

  void map(const Node& node, std::size_t indent) {
    for (const Entry& entry : node.entries) {
      text_ += std::string(indent, ' ') + quoted(entry.key, false) + ":";
      value(entry.value, indent + 2);
    }
  }

  void list(const Node& node, std::size_t indent) {
    for (const Node& item : node.items) {
      text_ += std::string(indent, ' ') + "-";
      const bool is_transform = item.kind == Node::Kind::Map && item.entries.size() == 1;
      if (is_transform && !is_text(item.entries[0].value)) {
        text_ += " " + item.entries[0].key + ": " + flow(item.entries[0].value) + "\n";
      } else {
        value(item, indent + 2);
      }
    }
  }

  std::string text_;
};

}  // namespace

std::string to_yaml(const Node& document) { return YamlWriter().write(document); }

}  // namespace selvage
