#include <tests/support/json_value.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace selvage::test {

struct JsonValue::Node {
  nlohmann::ordered_json json;
};

JsonValue JsonValue::parse(const std::string& text) {
  return JsonValue(std::make_shared<const Node>(Node{nlohmann::ordered_json::parse(text)}));
}

const JsonValue::Node& JsonValue::node() const {
  static const Node null{};
  return node_ == nullptr ? null : *node_;
}

bool JsonValue::contains(const std::string& key) const { return node().json.contains(key); }

JsonValue JsonValue::operator[](const std::string& key) const {
  return JsonValue(std::make_shared<const Node>(Node{node().json.at(key)}));
}

JsonValue JsonValue::element(std::size_t index) const {
  return JsonValue(std::make_shared<const Node>(Node{node().json.at(index)}));
}

std::size_t JsonValue::size() const { return node().json.size(); }

std::vector<JsonValue> JsonValue::elements() const {
  std::vector<JsonValue> all;
  for (const auto& json : node().json) {
    all.push_back(JsonValue(std::make_shared<const Node>(Node{json})));
  }
  return all;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::items() const {
  std::vector<std::pair<std::string, JsonValue>> all;
  for (const auto& [key, json] : node().json.items()) {
    all.emplace_back(key, JsonValue(std::make_shared<const Node>(Node{json})));
  }
  return all;
}

std::string JsonValue::text() const { return node().json.get<std::string>(); }
std::int64_t JsonValue::number() const { return node().json.get<std::int64_t>(); }

std::map<std::string, std::int64_t> JsonValue::numbers() const {
  std::map<std::string, std::int64_t> all;
  for (const auto& [key, value] : items()) all[key] = value.number();
  return all;
}

std::string JsonValue::dump() const { return node().json.dump(); }

bool operator==(const JsonValue& a, const JsonValue& b) {
  const auto &left = a.node().json, &right = b.node().json;
  if (!left.is_structured() || left.type() != right.type()) return left == right;
  if (left.is_array()) return a.elements() == b.elements();
  return left.size() == right.size() && std::ranges::all_of(a.items(), [&](const auto& item) {
           return b.contains(item.first) && item.second == b[item.first];
         });
}

bool operator==(const JsonValue& a, const char* text) {
  return a.node().json.is_string() && a.text() == text;
}

std::ostream& operator<<(std::ostream& out, const JsonValue& value) { return out << value.dump(); }

}  // namespace selvage::test
