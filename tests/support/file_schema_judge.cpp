#include <selvage/report/file_schema.h>
#include <tests/support/file_schema_judge.h>
#include <tests/support/json_schema.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace selvage::test {

namespace {

constexpr std::size_t kLongest = 100'000;
constexpr std::array kOfForm = {"E106", "E107", "E109", "E304"};

// The schema does not look into expressions (E108), nor at what stands around (E110).
bool is_of_form(const Diagnostic& d) {
  return std::ranges::find(kOfForm, d.code) != kOfForm.end() ||
         d.message.ends_with("is not an integer") ||
         (d.code == "E110" && d.message.ends_with("is missing"));
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (std::uint8_t(c) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += std::string("\\u00") + kDigits[c >> 4] + kDigits[c & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string json_of_scalar(const Node& node) {
  const std::string& text = node.text;
  if (node.quoted) return json_text(text);
  if (text.empty()) return "null";
  if (text == "true" || text == "false") return text;
  const std::string_view digits = std::string_view(text).substr(text[0] == '-' ? 1 : 0);
  const bool has_zeros = digits.size() > 1 && digits[0] == '0';
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_integer = error == std::errc{} && end == text.data() + text.size() && !has_zeros;
  return is_integer ? text : json_text(text);
}

}  // namespace

std::string json_of(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::Scalar: return json_of_scalar(node);
    case Node::Kind::Sequence:
      for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + json_of(item);
      return "[" + out + "]";
    case Node::Kind::Map:
      for (const Entry& e : node.entries) {
        out += (out.empty() ? "" : ", ") + json_text(e.key) + ": " + json_of(e.value);
      }
      return "{" + out + "}";
  }
  return out;
}

std::optional<std::string> schema_contradiction(const Node& root,
                                                const std::vector<Diagnostic>& errors) {
  static const JsonSchema schema(file_schema());
  const std::string json = json_of(root);
  const bool accepted = schema.accepts(json);
  if (errors.empty() && !accepted) return "the readers accept, and the schema refuses\n" + json;
  const auto of_form = std::ranges::find_if(errors, is_of_form);
  if (of_form == errors.end() || !accepted) return std::nullopt;
  return "the schema accepts, and the readers say " + to_text(*of_form) + "\n" + json;
}

std::optional<std::string> schema_contradiction(std::string_view text,
                                                const std::vector<Diagnostic>& errors) {
  if (text.size() > kLongest) return std::nullopt;
  try {
    return schema_contradiction(read_document(text, "a.yaml"), errors);
  } catch (const BadInput&) {
    return std::nullopt;
  }
}

}  // namespace selvage::test
