#pragma once

#include <selvage/base/diagnostic.h>
#include <selvage/frontend/document.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// What the readers of a schedule file say in common.
[[noreturn]] void refuse(const char* code, const Place& place, std::string message,
                         std::string help, std::vector<std::string> notes = {});

// "did you mean 'x'?", or `otherwise` where no word is near. Looks at the first thousand words.
std::string meant(std::string_view word, std::span<const std::string_view> words,
                  std::string otherwise);

// `words` and the names behind them, or `otherwise` where there is none, or more than kMostNames.
inline constexpr std::size_t kMostNames = 32;
std::string few_names(std::string words, const std::vector<std::string>& names,
                      std::string otherwise);

// The number of the word that stands there (E304).
std::size_t one_of(std::string_view text, const Place& place, std::string_view what,
                   std::span<const std::string_view> words);
// An integer of a range (E305).
std::int64_t as_integer_of(const Node& node, std::string_view what, std::int64_t least,
                           std::int64_t most);
// The one entry of a map (E107).
const Entry& expect_one(const Node& node, std::string_view what);

// Where the text of a scalar has its character `at`, as far as its place tells.
Place place_in(const Node& scalar, std::size_t at);
// FILE:LINE:COLUMN
std::string to_text(const Place& place);

// What is of the format and not built yet (E390).
[[noreturn]] void refuse_unsupported(const Place& place, const std::string& what, std::string help);

// Runs `part`; a refusal without a place gets this one.
template <typename Refusal, typename Part>
void at_place(const Place& place, Part part) {
  try {
    part();
  } catch (const Refusal& e) {
    Diagnostic diagnostic = e.diagnostic();
    if (diagnostic.place.line == 0) diagnostic.place = place;
    throw Refusal(std::move(diagnostic));
  }
}

}  // namespace selvage
