#include <selvage/base/names.h>
#include <selvage/frontend/formula.h>
#include <selvage/frontend/formula_scatter.h>
#include <selvage/frontend/formula_values.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_file.h>

#include <algorithm>
#include <utility>

namespace selvage {

namespace {

class Parser : private ValueParser {
 public:
  explicit Parser(const Node& text) : ValueParser(text) {}

  Formula parse() {
    if (is_assertion(token_.text())) return parse_assertion();
    if (is_scatter(token_.text())) return parse_scatter();
    parse_target();
    const auto is_here = [&](const auto& update) { return *token_ == update.first; };
    if (std::any_of(std::begin(kUpdates), std::end(kUpdates), is_here)) {
      token_.unsupported(token_.at(), shown(*token_),
                         "write " + formula_.target + "[...] = ... once");
    }
    token_.expect("=", "after the element on the left");
    parse_right_side();
    return std::move(formula_);
  }

  Update parse_update() {
    has_loads_ = false;
    const std::size_t at = token_.at();
    formula_.target_at = at;
    formula_.target = defined_name("the name of an array");
    if (*token_ != "[") token_.expect("[", "after " + formula_.target);
    Update update{.element = parse_element(at, formula_.target)};
    for (const auto& [text, function] : kUpdates) {
      if (*token_ == text) update.function = function;
    }
    if (update.function) {
      token_.advance();
    } else {
      token_.expect("=", "after the element on the left");
    }
    parse_right_side();
    update.formula = std::move(formula_);
    return update;
  }

 private:
  static constexpr std::pair<std::string_view, Function> kUpdates[] = {
      {"+=", Function::Add}, {"-=", Function::Sub}, {"*=", Function::Mul}};

  // At values(y) on the left.
  bool is_at_values() const { return *token_ == kValues && token_.rest().starts_with('('); }

  // y[idx[i], j] += x[i, j]
  Formula parse_scatter() {
    formula_.target_at = token_.at();
    if (is_at_values()) {
      token_.unsupported(token_.at(), "a scatter to items of rows",
                         "scatter to a tensor without rows, and read that at positions");
    }
    formula_.folds.push_back({.how = Reduction::Sum, .at = token_.at()});
    formula_.target = defined_name("the name of a tensor");
    around_ = 0;
    const std::vector<std::uint32_t> subscripts = parse_list("]");
    token_.expect("+=");
    parse_right_side();
    if (formula_.folds.size() > 1) {
      token_.fail_at(formula_.folds[1].at, "a fold stands in what is scattered", "E314",
                     "make it a tensor of its own, in a statement before");
    }
    if (const auto twice = make_scatter(formula_, subscripts)) {
      token_.fail_at(twice->at, "the index " + twice->name + " stands twice on the left", "E314",
                     "give every axis an index of its own");
    }
    return std::move(formula_);
  }

  // assert(x[i] > 0, "message"), the message perhaps left out
  Formula parse_assertion() {
    formula_.target_at = token_.at();
    formula_.folds.push_back({.how = Reduction::All, .at = token_.at()});
    around_ = 0;
    token_.advance();
    token_.expect("(", "after assert");
    const std::size_t begin = token_.at();
    const std::uint32_t condition = parse_value(0);
    token_.refuse_foreign();
    const std::string_view text(token_.text());
    Formula::Assertion assertion{std::string(text.substr(begin, token_.at() - begin)), {}};
    while (assertion.condition.ends_with(' ')) assertion.condition.pop_back();
    if (*token_ == ",") assertion.message = token_.advance_string();
    token_.expect(")", "at the end of assert(...)");
    if (!(*token_).empty()) unexpected();
    around_ = std::nullopt;
    add({.kind = Kind::Fold, .at = formula_.target_at, .operands = {condition}, .fold = 0});
    formula_.assertion = std::move(assertion);
    return std::move(formula_);
  }

  void parse_right_side() {
    if (is_compaction()) {
      parse_compaction();
    } else {
      parse_value(0);
    }
    if (!(*token_).empty()) unexpected();
  }

  void parse_target() {
    formula_.target_at = token_.at();
    formula_.is_by_position = is_at_values();
    if (formula_.is_by_position) token_.advance(), token_.advance();
    formula_.target = defined_name("the name of a tensor");
    if (formula_.is_by_position) token_.expect(")", "after values(" + formula_.target);
    // `y = e`, a scalar: the same as `y[] = e`.
    const bool is_update = std::any_of(std::begin(kUpdates), std::end(kUpdates),
                                       [&](const auto& update) { return *token_ == update.first; });
    if (*token_ == "=" || is_update) return;
    if (*token_ != "[") token_.expect("[", "after " + formula_.target);
    if (is_stored_elsewhere()) {
      is_left_ = true;
      formula_.stored_at = parse_subscripts(token_.at(), formula_.target);
      is_left_ = false;
    } else {
      formula_.indices = parse_indices("on the left", Listed::Target);
    }
  }

  // At the [ on the left: whether there are sums or products of indices, y[2 * i + 1].
  bool is_stored_elsewhere() const {
    constexpr std::string_view kSigns[] = {"+", "-", "*", "/", "//", "%"};
    int depth = 0;
    for (Tokens next = token_; !(*next).empty(); next.advance()) {
      if (std::ranges::find(kSigns, *next) != std::end(kSigns)) return true;
      if (*next == "[" || *next == "(") ++depth;
      if ((*next == "]" || *next == ")") && --depth == 0) return false;
    }
    return false;
  }
};

void check_length(const Node& node) {
  const std::string& text = as_text(node, "compute");
  if (std::int64_t(text.size()) <= kLongestFormula) return;
  refuse("E104", node.place,
         "the statement is longer than " + std::to_string(kLongestFormula) + " characters",
         "use several statements");
}

}  // namespace

Update parse_update(const Node& text) {
  check_length(text);
  return Parser(text).parse_update();
}

bool is_assertion(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  if (!text.starts_with("assert")) return false;
  text.remove_prefix(6);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  return text.starts_with('(');
}

Formula parse_formula(const Node& node) {
  check_length(node);
  return Parser(node).parse();
}

}  // namespace selvage
