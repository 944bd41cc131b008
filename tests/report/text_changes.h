// What the helps about a file's form, names and values say, done to its text at the place named.
#pragma once

#include <selvage/base/diagnostic.h>

#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "tests/report/random_mistakes.h"

namespace selvage::test {

// What the change is done to: the file, where the diagnostic says, and what it says.
struct Told {
  Mistake& mistake;
  FileText& file;
  const Diagnostic& diagnostic;
  std::size_t at;

  // The place that stands in a note, such as "the first is at a.yaml:3:7".
  std::optional<std::size_t> noted() const;

  // The value that begins at the place; the word; all of the expression that the place is in, or
  // the value of the key at the place where it has none.
  bool replace_value(const std::string& by) const;
  bool replace_word(const std::string& by) const;
  bool replace_all_of_it(const std::string& by) const;
  bool put_right() const { return replace_value(mistake.put_right); }
  std::string word() const { return std::string(file.at(file.word(at))); }

 private:
  std::optional<TextSpan> empty_value() const;
};

// One kind of change: the words of a help that say it, and what they do. False: not to this file.
struct TextChange {
  const char* words;
  std::function<bool(const Told&, const std::smatch&)> act;
};

const std::vector<TextChange>& form_changes();
const std::vector<TextChange>& name_changes();
const std::vector<TextChange>& value_changes();
// About statements and thread programs.
const std::vector<TextChange>& statement_changes();

// Every change that the help names, each by itself.
std::vector<Mistake> changed_as_told(const Mistake& mistake, const Diagnostic& told);

}  // namespace selvage::test
