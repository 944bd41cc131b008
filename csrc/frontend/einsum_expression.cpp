#include <selvage/frontend/einsum_expression.h>
#include <selvage/frontend/formula_tokens.h>
#include <selvage/frontend/readers.h>

#include <algorithm>
#include <charconv>

namespace selvage {

namespace {

constexpr const char* kWriteEinsum = "write a sum of products, such as Z[i] = A[i, j] * B[j]";

class EinsumParser {
 public:
  explicit EinsumParser(const Node& text) : text_(text), tokens_(text) {}

  EinsumExpression parse() {
    EinsumExpression made;
    made.text = &text_;
    made.target = tensor();
    for (const EinsumIndex& index : made.target.indices) {
      if (index.variable()) continue;
      fail_at(index.at, "on the left, an index is a single variable");
    }
    expect("=");
    made.terms.push_back(term());
    while (*tokens_ == "+") {
      tokens_.advance();
      made.terms.push_back(term());
    }
    if (*tokens_ == "-") fail("an einsum has no '-'");
    if (!(*tokens_).empty()) fail("unexpected " + std::string(*tokens_));
    return made;
  }

 private:
  [[noreturn]] void fail_at(std::size_t at, const std::string& what) const {
    tokens_.fail_at(at, what, "E332", kWriteEinsum);
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(tokens_.at(), what); }
  void expect(std::string_view sign) {
    if (*tokens_ != sign) fail("expected '" + std::string(sign) + "'" + tokens_.found());
    tokens_.advance();
  }

  std::string name(const char* what) {
    const std::string_view word = *tokens_;
    if (word.empty() || !is_letter(word[0])) {
      fail(std::string("expected ") + what + tokens_.found());
    }
    std::string text(word);
    tokens_.advance();
    return text;
  }

  std::int64_t number() {
    const std::string_view word = *tokens_;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size()) {
      fail("expected an integer" + tokens_.found());
    }
    tokens_.advance();
    return value;
  }

  EinsumTerm term() {
    EinsumTerm made;
    if (*tokens_ == "take") return take();
    made.factors.push_back(tensor());
    while (*tokens_ == "*") {
      tokens_.advance();
      if (*tokens_ == "take") fail("take stands in no product");
      made.factors.push_back(tensor());
    }
    return made;
  }

  // take(A[...], B[...], n)
  EinsumTerm take() {
    EinsumTerm made;
    tokens_.advance();
    expect("(");
    while ((*tokens_).empty() || !is_digit((*tokens_)[0])) {
      made.factors.push_back(tensor());
      expect(",");
    }
    const std::size_t at = tokens_.at();
    made.taken = std::size_t(number());
    if (*made.taken >= made.factors.size()) {
      fail_at(at, "take has " + std::to_string(made.factors.size()) +
                      " operands, numbered from 0, and none is " + std::to_string(*made.taken));
    }
    expect(")");
    return made;
  }

  EinsumTensor tensor() {
    EinsumTensor made;
    made.at = tokens_.at();
    made.name = name("a tensor");
    if (*tokens_ != "[") {
      tokens_.unsupported(made.at, "the scalar " + made.name, "give it a rank of one item");
    }
    expect("[");
    if (*tokens_ == "]") {
      tokens_.unsupported(made.at, "a tensor without ranks, " + made.name + "[],",
                          "give it a rank of one item");
    }
    made.indices.push_back(index());
    while (*tokens_ == ",") {
      tokens_.advance();
      made.indices.push_back(index());
    }
    expect("]");
    return made;
  }

  EinsumIndex index() {
    EinsumIndex made;
    made.at = tokens_.at();
    do {
      if (!made.terms.empty()) tokens_.advance();
      const bool is_negative = *tokens_ == "-";
      if (is_negative) tokens_.advance();
      std::int64_t factor = 1;
      if (!(*tokens_).empty() && is_digit((*tokens_)[0])) {
        factor = number();
        expect("*");
      }
      made.terms.emplace_back(is_negative ? -factor : factor, name("an index"));
    } while (*tokens_ == "+");
    return made;
  }

  const Node& text_;
  Tokens tokens_;
};

}  // namespace

std::optional<std::string> EinsumIndex::variable() const {
  return terms.size() == 1 && terms[0].first == 1 ? std::optional(terms[0].second) : std::nullopt;
}

std::vector<EinsumTensor> EinsumExpression::operands() const {
  std::vector<EinsumTensor> all;
  for (const EinsumTerm& term : terms) {
    all.insert(all.end(), term.factors.begin(), term.factors.end());
  }
  return all;
}

std::vector<std::string> EinsumExpression::variables() const {
  std::vector<std::string> names;
  const auto add = [&](const EinsumTensor& tensor) {
    for (const EinsumIndex& index : tensor.indices) {
      for (const auto& [factor, name] : index.terms) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
  };
  add(target);
  for (const EinsumTensor& tensor : operands()) add(tensor);
  return names;
}

EinsumExpression parse_einsum(const Node& text) {
  as_text(text, "einsum.expressions");
  return EinsumParser(text).parse();
}

std::string rank_of(const std::string& variable) {
  std::string rank = variable;
  for (char& c : rank) c = char(std::toupper(static_cast<unsigned char>(c)));
  return rank;
}

}  // namespace selvage
