#include <selvage/frontend/formula.h>
#include <selvage/frontend/names.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/frontend/words.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace selvage {

namespace {

constexpr int kDeepest = 64;

// Longer signs first, so that `//` is not read as `/`.
constexpr std::string_view kSigns[] = {
    "//", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "+", "-",
    "*",  "/",  "%",  "<",  ">",  "!",  "(",  ")",  "[",  "]",  ",", "="};

struct InfixSign {
  std::string_view text;
  Function function;
  int precedence;
  bool swapped = false;  // a > b is b < a
};
constexpr InfixSign kInfix[] = {
    {"||", Function::Or, 1},       {"&&", Function::And, 2},      {"==", Function::Eq, 3},
    {"!=", Function::Ne, 3},       {"<", Function::Lt, 4},        {"<=", Function::Le, 4},
    {">", Function::Lt, 4, true},  {">=", Function::Le, 4, true}, {"+", Function::Add, 5},
    {"-", Function::Sub, 5},       {"*", Function::Mul, 6},       {"/", Function::TrueDiv, 6},
    {"//", Function::FloorDiv, 6}, {"%", Function::Mod, 6},
};
constexpr int kUnary = 7;

constexpr std::string_view kReductions[] = {"sum", "prod", "max",    "min",   "mean",
                                            "any", "all",  "argmax", "argmin"};
constexpr std::string_view kAccessModes[] = {"safe",    "mirror",  "reflect",   "circular",
                                             "clamped", "checked", "unchecked", "fill"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What is written as name(operands).
std::vector<Function> named_functions() {
  std::vector<Function> functions;
  for (int f = 0; f <= int(Function::Gelu); ++f) {
    if (is_identifier(info(Function(f)).text)) functions.push_back(Function(f));
  }
  return functions;
}

class Parser {
 public:
  explicit Parser(const Node& node) : node_(node), text_(node.text) { advance(); }

  Formula parse() {
    parse_target();
    if (token_ == "+=" || token_ == "-=" || token_ == "*=") {
      unsupported(start_, shown(token_), "write " + formula_.target + "[...] = ... once");
    }
    expect("=", "after the element on the left");
    parse_value(0);
    if (!token_.empty()) fail("unexpected '" + std::string(token_) + "'");
    return std::move(formula_);
  }

 private:
  [[noreturn]] void fail(
      const std::string& what, const char* code = "E314",
      const std::string& help = "write a statement such as y[m, n] = relu(a[m, n] + b[n])") {
    refuse(code, place_in(node_, start_), what + " in the statement " + shown(text_), help);
  }
  [[noreturn]] void unsupported(std::size_t at, const std::string& what, const std::string& help) {
    refuse_unsupported(place_in(node_, at), what, help);
  }

  void advance() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
    start_ = at_;
    if (at_ == text_.size()) {
      token_ = {};
      return;
    }
    const char c = text_[at_];
    const bool is_number =
        is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
    if (is_number) {
      for (char before = ' '; at_ < text_.size(); before = text_[at_++]) {
        const char here = text_[at_];
        const bool is_sign = (here == '+' || here == '-') && (before == 'e' || before == 'E');
        if (!is_digit(here) && !is_letter(here) && here != '.' && !is_sign) break;
      }
    } else if (is_letter(c)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    } else {
      for (const std::string_view sign : kSigns) {
        if (text_.substr(at_, sign.size()) == sign) {
          at_ += sign.size();
          break;
        }
      }
      if (at_ == start_) fail("unexpected " + shown(text_.substr(at_, 1)));
    }
    token_ = text_.substr(start_, at_ - start_);
  }

  void expect(std::string_view sign, const std::string& where = {}) {
    if (token_ != sign) {
      fail("expected '" + std::string(sign) + "'" + (where.empty() ? "" : " " + where) +
           (token_.empty() ? ", found the end" : ", found '" + std::string(token_) + "'"));
    }
    advance();
  }

  // A name to be defined.
  std::string defined_name(const char* what) {
    if (token_.empty() || !is_letter(token_[0])) {
      fail(std::string("expected ") + what +
           (token_.empty() ? ", found the end" : ", found '" + std::string(token_) + "'"));
    }
    if (auto wrong = check_name(token_, place_in(node_, start_))) throw BadInput(*wrong);
    std::string name(token_);
    advance();
    return name;
  }

  void parse_target() {
    formula_.target_at = start_;
    formula_.target = defined_name("the name of a tensor");
    expect("[", "after " + formula_.target);
    while (token_ != "]") {
      if (!formula_.indices.empty()) expect(",");
      const std::size_t at = start_;
      const std::string word(token_);
      if (is_one_of(word, kAccessModes) && text_.substr(at_).starts_with('(')) {
        unsupported(at, "the access mode " + word, "write plain indices on the left");
      }
      const std::string name = defined_name("an index");
      for (const Formula::Index& other : formula_.indices) {
        if (other.name != name) continue;
        start_ = at;
        fail("the index " + name + " stands twice on the left", "E314",
             "give every axis an index of its own");
      }
      formula_.indices.push_back({name, at});
      if (token_ != "]" && token_ != ",") {
        fail("expected ',' or ']' after the index " + name +
                 (token_.empty() ? ", found the end" : ", found '" + std::string(token_) + "'"),
             "E314", "write plain indices on the left, such as y[m, n]");
      }
    }
    if (std::int64_t(formula_.indices.size()) > kMostAxes) {
      fail("more than " + std::to_string(kMostAxes) + " indices", "E104", "use fewer axes");
    }
    advance();
  }

  std::uint32_t add(FormulaNode node) {
    node.in_subscript = in_subscript_;
    formula_.nodes.push_back(std::move(node));
    return std::uint32_t(formula_.nodes.size() - 1);
  }
  std::uint32_t apply(Function f, std::size_t at, std::vector<std::uint32_t> of) {
    return add(
        {.kind = FormulaNode::Kind::Apply, .at = at, .function = f, .operands = std::move(of)});
  }

  // Precedence climbing: everything that binds at least as tightly as `least`.
  std::uint32_t parse_value(int least) {
    if (++depth_ > kDeepest) fail("more than 64 levels", "E104", "use several statements");
    std::uint32_t left = parse_prefix();
    for (const InfixSign* sign; (sign = infix()) != nullptr && sign->precedence >= least;) {
      const std::size_t at = start_;
      advance();
      const std::uint32_t right = parse_value(sign->precedence + 1);
      left = sign->swapped ? apply(sign->function, at, {right, left})
                           : apply(sign->function, at, {left, right});
    }
    --depth_;
    return left;
  }

  const InfixSign* infix() const {
    for (const InfixSign& sign : kInfix) {
      if (sign.text == token_) return &sign;
    }
    return nullptr;
  }

  std::uint32_t parse_prefix() {
    const std::size_t at = start_;
    if (token_.empty()) fail("something is missing at the end");
    if (token_ == "(") {
      advance();
      const std::uint32_t value = parse_value(0);
      expect(")");
      return value;
    }
    if (token_ == "-") {
      advance();
      if (!token_.empty() && is_digit(token_[0])) return parse_number("-");
      return apply(Function::Neg, at, {parse_value(kUnary)});
    }
    if (token_ == "!") {
      advance();
      return apply(Function::Not, at, {parse_value(kUnary)});
    }
    if (is_digit(token_[0]) || token_[0] == '.') return parse_number("");
    if (is_letter(token_[0])) return parse_name();
    fail("unexpected '" + std::string(token_) + "'");
  }

  std::uint32_t parse_number(const std::string& sign) {
    const std::string text = sign + std::string(token_);
    const char *begin = text.data(), *end = begin + text.size();
    FormulaNode node{.kind = FormulaNode::Kind::Integer, .at = start_};
    const bool whole = std::all_of(token_.begin(), token_.end(), is_digit);
    const std::from_chars_result read =
        whole ? std::from_chars(begin, end, node.integer) : std::from_chars(begin, end, node.real);
    if (read.ec == std::errc::result_out_of_range) {
      fail("the number " + shown(text) + " does not fit in 64 bits", "E108",
           whole ? "use a smaller integer" : "use a number that a double can hold");
    }
    if (read.ec != std::errc{} || read.ptr != end) {
      fail(shown(text) + " is no number", "E314", "write numbers like 4, 0.5 or 1e-6");
    }
    if (!whole) node.kind = FormulaNode::Kind::Real;
    advance();
    return add(std::move(node));
  }

  std::uint32_t parse_name() {
    const std::size_t at = start_;
    const std::string name(token_);
    advance();
    if (name == "true" || name == "false") {
      return add({.kind = FormulaNode::Kind::Truth, .at = at, .integer = name == "true"});
    }
    if (token_ == "[") {
      if (is_one_of(name, kReductions) && is_reduction_list()) refuse_reduction(at, name);
      return parse_element(at, name);
    }
    if (token_ == "(") return parse_call(at, name);
    return add({.kind = FormulaNode::Kind::Name, .at = at, .name = name});
  }

  // At the [ of `sum[n](...)`, which is no element.
  bool is_reduction_list() const {
    const std::size_t close = text_.find(']', at_);
    if (close == std::string_view::npos) return false;
    const std::size_t next = text_.find_first_not_of(" \t\n", close + 1);
    return next != std::string_view::npos && text_[next] == '(';
  }
  [[noreturn]] void refuse_reduction(std::size_t at, const std::string& name) {
    unsupported(at, "the reduction " + name, "write pointwise statements");
  }

  std::uint32_t parse_element(std::size_t at, const std::string& name) {
    if (in_subscript_) {
      unsupported(at, "a load in a subscript, " + name + "[...],",
                  "use indices and integers in subscripts");
    }
    in_subscript_ = true;
    std::vector<std::uint32_t> subscripts = parse_list("]");
    in_subscript_ = false;
    return add({.kind = FormulaNode::Kind::Element,
                .at = at,
                .name = name,
                .operands = std::move(subscripts)});
  }

  // From the opening bracket to behind the closing one.
  std::vector<std::uint32_t> parse_list(std::string_view close) {
    std::vector<std::uint32_t> items;
    advance();
    while (token_ != close) {
      if (!items.empty()) expect(",");
      items.push_back(parse_value(0));
      if (token_ != close && token_ != ",") expect(close);
    }
    advance();
    return items;
  }

  std::uint32_t parse_call(std::size_t at, const std::string& name) {
    if (is_one_of(name, kAccessModes)) {
      unsupported(at, "the access mode " + name, "read elements that are in bounds");
    }
    const bool is_extremum = name == "min" || name == "max";
    if (!is_extremum && is_one_of(name, kReductions)) refuse_reduction(at, name);
    const std::optional<DataType> type = parse_data_type(name);
    const std::vector<Function> functions = named_functions();
    const auto function = std::find_if(functions.begin(), functions.end(),
                                       [&](Function f) { return info(f).text == name; });
    if (!type && function == functions.end()) {
      start_ = at;
      std::vector<std::string_view> names;
      for (Function f : functions) names.push_back(info(f).text);
      fail("there is no function " + shown(name), "E315",
           meant(name, names, "use min, max, select, exp, relu, ..., or a type, such as float(x)"));
    }
    std::vector<std::uint32_t> operands = parse_list(")");
    if (is_extremum && operands.size() == 1) refuse_reduction(at, name);
    const std::size_t wanted = type ? 1 : std::size_t(info(*function).arity);
    if (operands.size() != wanted) {
      start_ = at;
      fail(name + " takes " + std::to_string(wanted) + " operand" + (wanted == 1 ? "" : "s") +
               ", not " + std::to_string(operands.size()),
           "E315", name == "select" ? "write select(condition, a, b)" : "give it as many");
    }
    if (!type) return apply(*function, at, std::move(operands));
    return add({.kind = FormulaNode::Kind::Cast,
                .at = at,
                .type = *type,
                .operands = std::move(operands)});
  }

  const Node& node_;
  std::string_view text_;
  Formula formula_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  // of the current token
  std::string_view token_;
  int depth_ = 0;
  bool in_subscript_ = false;
};

}  // namespace

Formula parse_formula(const Node& node) {
  const std::string& text = as_text(node, "compute");
  if (std::int64_t(text.size()) > kLongestFormula) {
    refuse("E104", node.place,
           "the statement is longer than " + std::to_string(kLongestFormula) + " characters",
           "use several statements");
  }
  return Parser(node).parse();
}

}  // namespace selvage
