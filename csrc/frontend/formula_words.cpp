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

std::optional<Remap> parse_remap(std::string_view word) {
  constexpr std::string_view kRemaps[] = {"clamped", "circular",  "mirror", "reflect",
                                          "safe",    "unchecked", "checked"};  // as Remap
  const auto place = place_among(word, kRemaps);
  return place ? std::optional(Remap(*place)) : std::nullopt;
}

std::optional<FormulaNode::OfComplex> parse_of_complex(std::string_view word) {
  constexpr std::string_view kWords[] = {"real",    "imag",      "conj",
                                         "complex", "complex64", "complex128"};  // as OfComplex
  const auto place = place_among(word, kWords);
  return place ? std::optional(FormulaNode::OfComplex(*place)) : std::nullopt;
}

bool is_access_mode(std::string_view word) { return parse_remap(word) || word == "fill"; }

std::optional<AccessMode> access_mode(Remap remap) {
  switch (remap) {
    case Remap::Clamped: return AccessMode::Clamped;
    case Remap::Circular: return AccessMode::Circular;
    case Remap::Mirror: return AccessMode::Mirror;
    case Remap::Reflect: return AccessMode::Reflect;
    case Remap::Safe:
    case Remap::Unchecked:
    case Remap::Checked: break;
  }
  return std::nullopt;
}

const InfixSign* infix_sign(std::string_view text) {
  static constexpr InfixSign kSigns[] = {
      {"||", Function::Or},       {"&&", Function::And},      {"==", Function::Eq},
      {"!=", Function::Ne},       {"<", Function::Lt},        {"<=", Function::Le},
      {">", Function::Lt, true},  {">=", Function::Le, true}, {"+", Function::Add},
      {"-", Function::Sub},       {"*", Function::Mul},       {"/", Function::TrueDiv},
      {"//", Function::FloorDiv}, {"%", Function::Mod},
  };
  const auto it = std::ranges::find(kSigns, text, &InfixSign::text);
  return it == std::end(kSigns) ? nullptr : it;
}

std::vector<Function> named_functions() {
  std::vector<Function> functions;
  for (int f = 0; f < kFunctionCount; ++f) {
    if (is_identifier(info(Function(f)).text)) functions.push_back(Function(f));
  }
  return functions;
}

}  // namespace selvage
