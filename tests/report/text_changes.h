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

std::optional<std::smatch> found(const std::string& text, const char* words);

// What the change is done to: the file, where the diagnostic says, and what it says.
struct Told {
  Mistake& mistake;
  FileText& file;
  const Diagnostic& diagnostic;
  std::size_t at;

  // Of a value that is not there, the place is that of its key.
  std::optional<TextSpan> empty_value() const {
    const std::size_t colon = file.word(at).end;
    if (colon == at || colon >= file.text.size() || file.text[colon] != ':') return std::nullopt;
    const std::size_t begin = file.text.find_first_not_of(' ', colon + 1);
    return file.value(std::min(begin, file.text.size()));
  }
  bool replace_value(const std::string& by) const {
    file.replace(file.value(at), by);
    return true;
  }
  bool replace_word(const std::string& by) const {
    file.replace(file.word(at), by);
    return true;
  }
  // Of an expression, whatever part of it the place is in.
  bool replace_all_of_it(const std::string& by) const {
    const auto empty = empty_value();
    file.replace(empty ? *empty : file.value_around(at), empty ? " " + by : by);
    return true;
  }
  bool put_right() const { return replace_value(mistake.put_right); }
  std::string word() const { return std::string(file.at(file.word(at))); }
};

// One kind of change: the words of a help that say it, and what they do. False: not to this file.
struct TextChange {
  const char* words;
  std::function<bool(const Told&, const std::smatch&)> act;
};

// Those about statements and thread programs.
const std::vector<TextChange>& statement_changes();

// Every change that the help names, each by itself.
std::vector<Mistake> changed_as_told(const Mistake& mistake, const Diagnostic& told);

}  // namespace selvage::test
