#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// An element of an XML document, and what is in it.
struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes = {};
  std::string text = {};  // all text directly within, entities resolved
  std::vector<XmlElement> children = {};

  const std::string& operator[](const std::string& attribute) const;  // empty: there is none
  bool has_class(std::string_view name) const;
  // It and all below it, in the order of the document.
  std::vector<const XmlElement*> all() const;
};

// Reads a document as far as pictures need it: elements, attributes, text, the five entities and
// numbered ones. Throws std::runtime_error with the place where it is not well-formed: tags that do
// not match, attributes given twice, a bare & or <, broken UTF-8, characters that XML has not.
XmlElement parse_xml(std::string_view text);

}  // namespace selvage
