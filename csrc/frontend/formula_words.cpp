#include <selvage/base/names.h>
#include <selvage/frontend/formula_words.h>
#include <selvage/ir/function_text.h>

#include <algorithm>

namespace selvage {

std::optional<std::size_t> place_among(std::string_view word,
                                       std::span<const std::string_view> words) {
  const auto it = std::find(words.begin(), words.end(), word);
  return it == words.end() ? std::nullopt : std::optional(std::size_t(it - words.begin()));
}

std::optional<Reduction> parse_reduction(std::string_view word) {
  const auto place = place_among(word, reduction_names());
  return place ? std::optional(Reduction(*place)) : std::nullopt;
}

std::optional<Reduction> parse_scan(std::string_view word) {
  for (std::size_t k = 0; k < reduction_names().size(); ++k) {
    if (is_scannable(Reduction(k)) && scan_name(Reduction(k)) == word) return Reduction(k);
  }
  return std::nullopt;
}

std::vector<Function> named_functions() {
  std::vector<Function> functions;
  for (int f = 0; f < kFunctionCount; ++f) {
    if (is_identifier(info(Function(f)).text)) functions.push_back(Function(f));
  }
  return functions;
}

}  // namespace selvage
