// Matches of a regular expression in a text. POSIX, since <regex> takes seconds to compile.
#pragma once

#include <regex.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace selvage::test {

// All non-empty matches of an extended expression, first to last: the whole match, then its groups,
// "" for a group that takes no part. Throws if the pattern is invalid. "^" matches the beginning of
// the text.
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
