#include "tests/report/text_changes.h"

#include <algorithm>

namespace selvage::test {

std::optional<std::size_t> Told::noted() const {
  for (const std::string& note : diagnostic.notes) {
    if (const auto m = found(note, ":(\\d+):(\\d+)$")) {
      return file.offset(std::stoi(m->str(1)), std::stoi(m->str(2)));
    }
  }
  return std::nullopt;
}

std::optional<TextSpan> Told::empty_value() const {
  const std::size_t colon = file.word(at).end;
  if (colon == at || colon >= file.text.size() || file.text[colon] != ':') return std::nullopt;
  const std::size_t begin = file.text.find_first_not_of(' ', colon + 1);
  return file.value(std::min(begin, file.text.size()));
}

bool Told::replace_value(const std::string& by) const {
  file.replace(file.value(at), by);
  return true;
}

bool Told::replace_word(const std::string& by) const {
  file.replace(file.word(at), by);
  return true;
}

bool Told::replace_all_of_it(const std::string& by) const {
  const auto empty = empty_value();
  file.replace(empty ? *empty : file.value_around(at), empty ? " " + by : by);
  return true;
}

std::vector<Mistake> changed_as_told(const Mistake& mistake, const Diagnostic& told) {
  std::vector<Mistake> ways;
  for (const auto* list :
       {&form_changes(), &value_changes(), &name_changes(), &statement_changes()}) {
    for (const TextChange& change : *list) {
      std::smatch match;
      if (!std::regex_search(told.help, match, std::regex(change.words))) continue;
      Mistake copy = mistake;
      const std::size_t at = copy.file.offset(told.place.line, told.place.column);
      if (change.act(Told{copy, copy.file, told, at}, match)) ways.push_back(std::move(copy));
    }
  }
  return ways;
}

}  // namespace selvage::test
