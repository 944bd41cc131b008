// A JSON text for tests to look into. Only json_value.cpp includes the library that reads it, which
// takes seconds to compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace selvage::test {

// Cheap to copy. Throws if asked for something that is not there, or of another kind.
class JsonValue {
 public:
  JsonValue() = default;  // null
  static JsonValue parse(const std::string& text);

  bool contains(const std::string& key) const;
  JsonValue operator[](const std::string& key) const;
  template <std::integral Index>
  JsonValue operator[](Index index) const {
    return element(static_cast<std::size_t>(index));
  }

  std::size_t size() const;  // of an array or object
  bool empty() const { return size() == 0; }
  std::vector<JsonValue> elements() const;  // of an array, or an object's values
  std::vector<std::pair<std::string, JsonValue>> items() const;  // of an object, in order

  std::string text() const;
  std::int64_t number() const;
  std::map<std::string, std::int64_t> numbers() const;  // an object of numbers
  std::string dump() const;                             // on one line, keys in their order

  // Keys in any order.
  friend bool operator==(const JsonValue& a, const JsonValue& b);
  friend bool operator==(const JsonValue& a, const char* text);
  template <std::integral Number>
  friend bool operator==(const JsonValue& a, Number value) {
    if constexpr (std::same_as<Number, bool>) {
      return a.dump() == (value ? "true" : "false");
    } else {
      return a.dump() == std::to_string(value);
    }
  }
  friend std::ostream& operator<<(std::ostream& out, const JsonValue& value);

 private:
  struct Node;
  explicit JsonValue(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node& node() const;
  JsonValue element(std::size_t index) const;
  std::shared_ptr<const Node> node_;
};

}  // namespace selvage::test
