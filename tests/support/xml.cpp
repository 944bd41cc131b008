#include "tests/support/xml.h"

#include <cctype>
#include <sstream>
#include <stdexcept>

namespace selvage {

namespace {

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  XmlElement document() {
    check_characters();
    skip_blanks();
    XmlElement root = element();
    skip_blanks();
    if (at_ != text_.size()) fail("text after the root element");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(why + " at '" + std::string(text_.substr(at_, 30)) + "'");
  }
  bool has(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  void expect(std::string_view word) {
    if (!has(word)) fail("expected " + std::string(word));
    at_ += word.size();
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  // UTF-8, and no control characters but tab and line ends.
  void check_characters() {
    for (at_ = 0; at_ < text_.size();) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') fail("control character");
      const int more = byte < 0x80   ? 0
                       : byte < 0xC2 ? -1
                       : byte < 0xE0 ? 1
                       : byte < 0xF0 ? 2
                       : byte < 0xF5 ? 3
                                     : -1;
      if (more < 0) fail("no UTF-8");
      char32_t c = more == 0 ? byte : byte & (0x3Fu >> more);
      for (int i = 1; i <= more; ++i) {
        if (at_ + std::size_t(i) >= text_.size()) fail("no UTF-8");
        const auto next = static_cast<unsigned char>(text_[at_ + std::size_t(i)]);
        if ((next & 0xC0) != 0x80) fail("no UTF-8");
        c = c << 6 | (next & 0x3Fu);
      }
      if ((c >= 0xD800 && c < 0xE000) || c == 0xFFFE || c == 0xFFFF || c > 0x10FFFF) {
        fail("no character of XML");
      }
      if ((more == 2 && c < 0x800) || (more == 3 && c < 0x10000)) fail("overlong UTF-8");
      at_ += std::size_t(more) + 1;
    }
    at_ = 0;
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '-' || text_[at_] == '_' || text_[at_] == ':')) {
      ++at_;
    }
    if (begin == at_) fail("expected a name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  void append_reference(std::string& out) {
    const std::size_t end = text_.find(';', at_);
    if (end == text_.npos) fail("bare &");
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    const std::map<std::string_view, char> kNamed = {{"lt", '<'},   {"gt", '>'},    {"amp", '&'},
                                                     {"quot", '"'}, {"apos", '\''}, {"#39", '\''}};
    const auto it = kNamed.find(word);
    if (it == kNamed.end()) fail("unknown entity");
    out += it->second;
    at_ = end + 1;
  }

  XmlElement element() {
    expect("<");
    XmlElement e{.name = name()};
    for (skip_blanks(); !has(">") && !has("/>"); skip_blanks()) {
      const std::string key = name();
      expect("=\"");
      std::string value;
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '<') fail("< in an attribute");
        if (text_[at_] == '&') {
          append_reference(value);
        } else {
          value += text_[at_++];
        }
      }
      expect("\"");
      if (!std::isspace(static_cast<unsigned char>(text_[at_])) && !has(">") && !has("/>")) {
        fail("attributes without a blank between");
      }
      if (!e.attributes.emplace(key, value).second) fail("attribute given twice");
    }
    if (has("/>")) {
      at_ += 2;
      return e;
    }
    expect(">");
    while (!has("</")) {
      if (at_ == text_.size()) fail("element " + e.name + " is not closed");
      if (has("<")) {
        e.children.push_back(element());
      } else if (has("&")) {
        append_reference(e.text);
      } else {
        e.text += text_[at_++];
      }
    }
    expect("</" + e.name);
    skip_blanks();
    expect(">");
    return e;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void collect(const XmlElement& e, std::vector<const XmlElement*>& list) {
  list.push_back(&e);
  for (const XmlElement& child : e.children) collect(child, list);
}

}  // namespace

const std::string& XmlElement::operator[](const std::string& attribute) const {
  static const std::string kNone;
  const auto it = attributes.find(attribute);
  return it == attributes.end() ? kNone : it->second;
}

bool XmlElement::has_class(std::string_view wanted) const {
  std::istringstream words((*this)["class"]);
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

std::vector<const XmlElement*> XmlElement::all() const {
  std::vector<const XmlElement*> list;
  collect(*this, list);
  return list;
}

XmlElement parse_xml(std::string_view text) { return XmlReader(text).document(); }

}  // namespace selvage
