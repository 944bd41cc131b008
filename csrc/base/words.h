#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// The text without the blanks and line ends around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// a, b, c
inline std::string joined(const std::vector<std::string>& words, const char* between = ", ") {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : between) + words[i];
  return text;
}

// [a, b, c]
inline std::string bracketed(const std::vector<std::string>& words) {
  return "[" + joined(words) + "]";
}
inline std::string bracketed(std::span<const std::int64_t> numbers) {
  std::vector<std::string> words;
  for (std::int64_t n : numbers) words.push_back(std::to_string(n));
  return bracketed(words);
}

// a, b and c
inline std::string listed(std::vector<std::string> words) {
  if (words.size() < 2) return joined(words);
  const std::string last = std::move(words.back());
  words.pop_back();
  return joined(words) + " and " + last;
}

// 1 hole, 2 holes, N holes
inline std::string counted(const std::string& number, const std::string& noun) {
  return number + " " + noun + (number == "1" ? "" : "s");
}
inline std::string counted(std::int64_t n, const std::string& noun) {
  return counted(std::to_string(n), noun);
}

}  // namespace selvage
