#include <tests/support/json_schema.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <stdexcept>

namespace selvage::test {

namespace {

using Json = nlohmann::ordered_json;

bool is_of(const std::string& type, const Json& value) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  throw std::runtime_error("unknown type " + type);
}

}  // namespace

struct JsonSchema::Content {
  Json root;
  mutable std::map<std::string, std::regex> patterns;

  const Json& resolved(const std::string& reference) const {
    return root.at(Json::json_pointer(reference.substr(1)));
  }

  bool matches(const std::string& pattern, const std::string& text) const {
    auto it = patterns.find(pattern);
    if (it == patterns.end()) it = patterns.emplace(pattern, std::regex(pattern)).first;
    return std::regex_search(text, it->second);
  }

  bool accepts_object(const Json& schema, const Json& value) const {
    for (const auto& [key, each] : value.items()) {
      const bool is_known = schema.contains("properties") && schema["properties"].contains(key);
      if (is_known && !accepts(schema["properties"][key], each)) return false;
      if (!is_known && schema.contains("additionalProperties") &&
          !accepts(schema["additionalProperties"], each)) {
        return false;
      }
      if (schema.contains("propertyNames") && !accepts(schema["propertyNames"], key)) return false;
    }
    const Json needed = schema.value("required", Json::array());
    return std::ranges::all_of(needed, [&](const Json& key) { return value.contains(key); }) &&
           value.size() >= schema.value("minProperties", std::size_t(0)) &&
           value.size() <= schema.value("maxProperties", SIZE_MAX);
  }

  bool accepts_array(const Json& schema, const Json& value) const {
    const auto is_item = [&](const Json& each) { return accepts(schema["items"], each); };
    return (!schema.contains("items") || std::ranges::all_of(value, is_item)) &&
           value.size() >= schema.value("minItems", std::size_t(0)) &&
           value.size() <= schema.value("maxItems", SIZE_MAX);
  }

  bool accepts(const Json& schema, const Json& value) const {
    if (schema.is_boolean()) return schema.get<bool>();
    for (const auto& [keyword, said] : schema.items()) {
      bool fits = true;
      if (keyword == "$ref") {
        fits = accepts(resolved(said), value);
      } else if (keyword == "type") {
        const auto is_it = [&](const Json& type) { return is_of(type, value); };
        fits = said.is_array() ? std::ranges::any_of(said, is_it) : is_it(said);
      } else if (keyword == "enum") {
        fits = std::ranges::find(said, value) != said.end();
      } else if (keyword == "pattern") {
        fits = !value.is_string() || matches(said, value);
      } else if (keyword == "minimum") {
        fits = !value.is_number() || value.get<double>() >= said.get<double>();
      } else if (keyword == "not") {
        fits = !accepts(said, value);
      } else if (keyword == "anyOf") {
        fits = std::ranges::any_of(said, [&](const Json& each) { return accepts(each, value); });
      } else if (!is_known_elsewhere(keyword)) {
        throw std::runtime_error("unknown keyword " + keyword);
      }
      if (!fits) return false;
    }
    return (!value.is_object() || accepts_object(schema, value)) &&
           (!value.is_array() || accepts_array(schema, value));
  }

  static bool is_known_elsewhere(const std::string& keyword) {
    static const std::vector<std::string> known = {
        "$schema",       "$defs",         "title",    "description", "properties",
        "required",      "propertyNames", "items",    "minItems",    "additionalProperties",
        "minProperties", "maxProperties", "maxItems",
    };
    return std::ranges::find(known, keyword) != known.end();
  }
};

JsonSchema::JsonSchema(const std::string& text)
    : content_(std::make_unique<Content>(Content{Json::parse(text), {}})) {}
JsonSchema::~JsonSchema() = default;

bool JsonSchema::accepts(const std::string& json) const {
  return content_->accepts(content_->root, Json::parse(json));
}

void JsonSchema::check() const {
  for (const auto& [name, definition] : content_->root.at("$defs").items()) {
    for (const char* value : {"{\"a\": 1}", "[1]", "1", "\"a\"", "true", "null"}) {
      content_->accepts(definition, Json::parse(value));
    }
    if (!definition.contains("title")) throw std::runtime_error(name + " has no title");
  }
}

}  // namespace selvage::test
