#pragma once

#include <selvage/frontend/schedule_file.h>
#include <selvage/pictures/svg.h>
#include <selvage/report/report.h>

#include <string>
#include <vector>

#include "tests/support/xml.h"

namespace selvage::test {

// The report of a schedule file, which it keeps.
struct Inspected {
  explicit Inspected(const std::string& text, const std::map<std::string, std::int64_t>& sizes = {})
      : file(read_schedule_text(text, "a.yaml", sizes)), report(inspect(file)) {}
  const TensorReport& tensor(std::size_t k = 0) const { return report.tensors.at(k); }

  ScheduleFile file;
  Report report;
};

// What a drawing holds; not well-formed: it throws.
inline XmlElement elements_of(const Drawing& drawing) {
  return parse_xml("<svg>" + drawing.elements() + "</svg>");
}

inline std::vector<const XmlElement*> of_class(const XmlElement& root, const char* name) {
  std::vector<const XmlElement*> list;
  for (const XmlElement* e : root.all()) {
    if (e->has_class(name)) list.push_back(e);
  }
  return list;
}

inline std::vector<std::string> texts_of(const XmlElement& root) {
  std::vector<std::string> texts;
  for (const XmlElement* e : root.all()) {
    if (e->name == "text") texts.push_back(e->text);
  }
  return texts;
}

inline int number(const XmlElement& e, const char* attribute) { return std::stoi(e[attribute]); }

}  // namespace selvage::test
