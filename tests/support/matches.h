// What a regular expression finds in a text: POSIX's, since <regex> takes seconds to compile.
#pragma once

#include <regex.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace selvage::test {

// Every match of an extended expression, first to last, none empty: the whole and its groups, ""
// where a group has no part in it. Throws where the pattern is none. "^" is the text's beginning.
inline std::vector<std::vector<std::string>> matches(const std::string& text,
                                                     const std::string& pattern) {
  regex_t expression;
  if (regcomp(&expression, pattern.c_str(), REG_EXTENDED) != 0) {
    throw std::invalid_argument("no regular expression: " + pattern);
  }
  std::vector<std::vector<std::string>> all;
  std::vector<regmatch_t> groups(expression.re_nsub + 1);
  const char* at = text.c_str();
  while (regexec(&expression, at, groups.size(), groups.data(),
                 at == text.c_str() ? 0 : REG_NOTBOL) == 0 &&
         groups[0].rm_eo > groups[0].rm_so) {
    std::vector<std::string>& match = all.emplace_back();
    for (const regmatch_t& g : groups) {
      match.push_back(g.rm_so < 0 ? "" : std::string(at + g.rm_so, at + g.rm_eo));
    }
    at += groups[0].rm_eo;
  }
  regfree(&expression);
  return all;
}

}  // namespace selvage::test
