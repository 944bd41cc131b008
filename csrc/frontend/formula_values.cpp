#include <selvage/base/names.h>
#include <selvage/frontend/formula_values.h>
#include <selvage/frontend/formula_words.h>
#include <selvage/frontend/readers.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/ir/function_text.h>

#include <algorithm>
#include <charconv>

namespace selvage {

namespace {

constexpr int kDeepestFormula = 64;
constexpr std::size_t kMostFolds = 16;  // each but one becomes a tensor of its own

}  // namespace

// A name to be defined.
std::string ValueParser::defined_name(const char* what) {
  const std::string name(*token_);
  if (name.empty() || !is_letter(name[0])) {
    token_.fail(std::string("expected ") + what + token_.found());
  }
  if (auto wrong = check_name(name, place_in(token_.node(), token_.at()))) {
    throw BadInput(*wrong);
  }
  token_.advance();
  return name;
}

// From the opening bracket to behind the closing one: names, each once. `where`: "on the left".
std::vector<Formula::Index> ValueParser::parse_indices(const std::string& where, Listed listed) {
  std::vector<Formula::Index> indices;
  token_.expect("[");
  while (*token_ != "]") {
    if (!indices.empty()) token_.expect(",");
    token_.refuse_foreign();
    const std::size_t at = token_.at();
    const std::string word(*token_);
    const bool has_mode = is_access_mode(word) && token_.rest().starts_with('(');
    if (has_mode) refuse_mode(at, word, where, listed);
    // A store is safe as it is, and no index of its own leaves the axis.
    if (has_mode) token_.advance(), token_.advance();
    const std::string name = defined_name("an index");
    if (has_mode) token_.expect(")", "after the index " + name);
    for (const Formula::Index& other : indices) {
      if (other.name != name) continue;
      token_.fail_at(at, "the index " + name + " stands twice " + where, "E314",
                     "give every axis an index of its own");
    }
    indices.push_back({name, at});
    const bool is_folded = listed == Listed::Folded;
    if (is_folded && *token_ == ":") {
      token_.fail("the extent of the index " + name + " stands behind ':'", "E314",
                  "write " + name + " < 3");
    }
    if (is_folded && *token_ == "<") indices.back().extent = parse_extent();
    token_.refuse_foreign();
    if (*token_ != "]" && *token_ != ",") {
      token_.fail("expected ',' or ']' after the index " + name + token_.found(), "E314",
                  "write plain indices " + where +
                      (is_folded ? ", such as sum[n], or sum[n < 3] for the first three"
                                 : ", such as y[m, n]"));
    }
  }
  if (std::int64_t(indices.size()) > kMostAxes) {
    token_.fail("more than " + std::to_string(kMostAxes) + " indices", "E104", "use fewer axes");
  }
  token_.advance();
  return indices;
}

// Of a store: what is outside is dropped. Brought inside it would be stored where something else
// is.
void ValueParser::refuse_mode(std::size_t at, const std::string& word, const std::string& where,
                              Listed listed) const {
  const auto mode = parse_remap(word);
  if (listed != Listed::Target || !mode) {
    token_.fail_at(at, "the access mode " + word + " stands " + where, "E314",
                   "write plain indices " + where);
  }
  if (!access_mode(*mode)) return;
  token_.fail_at(at, "the access mode " + word + " of a store would bring two items to one element",
                 "E314", "write safe around the index, which drops what is outside");
}

void ValueParser::unexpected() const {
  token_.refuse_foreign();
  token_.fail("unexpected '" + std::string(*token_) + "'");
}

std::uint32_t ValueParser::add(FormulaNode node) {
  node.in_subscript = in_subscript_;
  node.is_loaded = in_subscript_ && (node.kind == Kind::Element || is_any_loaded(node.operands));
  node.inside = around_;
  formula_.nodes.push_back(std::move(node));
  return std::uint32_t(formula_.nodes.size() - 1);
}

bool ValueParser::is_any_loaded(const std::vector<std::uint32_t>& operands) const {
  return std::any_of(operands.begin(), operands.end(),
                     [&](std::uint32_t k) { return formula_.nodes[k].is_loaded; });
}

std::uint32_t ValueParser::apply(Function f, std::size_t at, std::vector<std::uint32_t> of) {
  return add({.kind = Kind::Apply, .at = at, .function = f, .operands = std::move(of)});
}

// Precedence climbing: everything that binds at least as tightly as `least`.
std::uint32_t ValueParser::parse_value(int least) {
  if (++depth_ > kDeepestFormula)
    token_.fail("more than 64 levels", "E104", "use several statements");
  std::uint32_t left = parse_prefix();
  for (const InfixSign* sign; (sign = infix_sign(*token_)) != nullptr;) {
    const int own = precedence(sign->function);
    if (own < least) break;
    const std::size_t at = token_.at();
    token_.advance();
    const std::uint32_t right = parse_value(own + 1);
    left = sign->swapped ? apply(sign->function, at, {right, left})
                         : apply(sign->function, at, {left, right});
  }
  --depth_;
  return left;
}

std::uint32_t ValueParser::parse_prefix() {
  const std::size_t at = token_.at();
  const std::string_view word = *token_;
  if (word.empty()) token_.fail("something is missing at the end");
  if (word == "(") {
    token_.advance();
    const std::uint32_t value = parse_value(0);
    token_.refuse_foreign();
    token_.expect(")");
    return value;
  }
  if (word == "-") {
    token_.advance();
    if (!(*token_).empty() && is_digit((*token_)[0])) return parse_number("-");
    return apply(Function::Neg, at, {parse_value(precedence(Function::Neg))});
  }
  if (word == "!") {
    token_.advance();
    return apply(Function::Not, at, {parse_value(precedence(Function::Not))});
  }
  if (is_digit(word[0]) || word[0] == '.') return parse_number("");
  token_.refuse_foreign();
  if (is_letter(word[0])) return parse_name();
  unexpected();
}

std::uint32_t ValueParser::parse_number(const std::string& sign) {
  const std::string text = sign + std::string(*token_);
  const char *begin = text.data(), *end = begin + text.size();
  FormulaNode node{.kind = Kind::Integer, .at = token_.at()};
  const bool whole = std::all_of((*token_).begin(), (*token_).end(), is_digit);
  const std::from_chars_result read =
      whole ? std::from_chars(begin, end, node.integer) : std::from_chars(begin, end, node.real);
  if (read.ec == std::errc::result_out_of_range) {
    token_.fail("the number " + shown(text) + " does not fit in 64 bits", "E108",
                whole ? "use a smaller integer" : "use a number that a double can hold");
  }
  if (read.ec != std::errc{} || read.ptr != end) {
    token_.fail(shown(text) + " is no number", "E314", "write numbers like 4, 0.5 or 1e-6");
  }
  if (!whole) node.kind = Kind::Real;
  token_.advance();
  return add(std::move(node));
}

std::uint32_t ValueParser::parse_name() {
  const std::size_t at = token_.at();
  const std::string name(*token_);
  token_.advance();
  if (name == "true" || name == "false") {
    return add({.kind = Kind::Truth, .at = at, .integer = name == "true"});
  }
  if (*token_ == "[") {
    if (name == kMedian && is_reduction_list()) return parse_median(at);
    const auto reduction = parse_reduction(name);
    if (reduction && is_reduction_list()) return parse_fold(at, *reduction);
    const auto scan = parse_scan(name);
    if (scan && is_reduction_list()) return parse_scan_of(at, *scan);
    return parse_element(at, name);
  }
  if (*token_ == "(" && name == kValues) return parse_item(at);
  if (*token_ == "(") return parse_call(at, name);
  const auto own = std::ranges::find(renamed_, name, &std::pair<std::string, std::string>::first);
  return add({.kind = Kind::Name, .at = at, .name = own == renamed_.end() ? name : own->second});
}

// At the [ of `sum[n](...)`, which is no element.
bool ValueParser::is_reduction_list() const {
  const std::string_view rest = token_.rest();
  std::size_t close = 0;
  for (int depth = 1; close < rest.size(); ++close) {
    if (rest[close] == '[') ++depth;
    if (rest[close] == ']' && --depth == 0) break;
  }
  if (close == rest.size()) return false;
  const std::size_t next = rest.find_first_not_of(" \t\n", close + 1);
  return next != std::string_view::npos && rest[next] == '(';
}

// At the [ of `sum[n](...)` or the ( of `sum(...)`.
std::uint32_t ValueParser::parse_fold(std::size_t at, Reduction how) {
  const std::string name(to_string(how));
  if (in_subscript_) token_.fail_at(at, "the reduction " + name + " in a subscript");
  Formula::Fold fold{.how = how, .at = at, .outer = around_};
  if (*token_ == "[") {
    fold.is_named = true;
    fold.indices = parse_indices("in " + name + "[...]", Listed::Folded);
    check_not_on_the_left(fold, name);
  }
  const auto [number, operands] = parse_operands(std::move(fold));
  // var(e, 0): what the number of items is lessened by.
  const bool may_have_two = how == Reduction::Variance && operands.size() == 2;
  const FormulaNode* less = may_have_two ? &formula_.nodes[operands[1]] : nullptr;
  if (less != nullptr && less->kind == Kind::Integer && less->integer >= 0) {
    formula_.folds[number].correction = less->integer;
  } else if (operands.size() != 1) {
    token_.fail_at(at, name + " folds one operand, not " + std::to_string(operands.size()), "E315",
                   how == Reduction::Variance
                       ? "write var(e), which divides by one item less, or var(e, 0)"
                       : "write " + name + "(e), or " + name + "[n](e) to name what it folds");
  }
  return add({.kind = Kind::Fold, .at = at, .operands = {operands[0]}, .fold = number});
}

void ValueParser::check_not_on_the_left(const Formula::Fold& fold, const std::string& name) const {
  for (const Formula::Index& i : fold.indices) {
    for (const Formula::Index& left : formula_.indices) {
      if (i.name != left.name) continue;
      token_.fail_at(i.at, "the index " + i.name + " of " + name + "[...] stands on the left",
                     "E314", "fold over an index that is not on the left");
    }
  }
}

// At the [ of `median[p < 3](e)`: the least e that is not below half of them,
//   min[p < 3](select(sum[p_2 < 3](select(e' <= e, 1.0, -1.0)) >= 0.0 || e != e, e, greatest))
// e' is e with p_2 in the place of p. Of an even number the lower one of the middle two; with a NaN
// among the items it is NaN.
std::uint32_t ValueParser::parse_median(std::size_t at) {
  if (in_subscript_) token_.fail_at(at, "a median in a subscript");
  Formula::Fold outer{.how = Reduction::Min, .at = at, .outer = around_, .is_named = true};
  outer.indices = parse_indices("in median[...]", Listed::Folded);
  check_not_on_the_left(outer, kMedian);
  Formula::Fold inner{.how = Reduction::Sum, .at = at, .is_named = true};
  const auto is_used = [&](const std::string& name) {
    return token_.text().find(name) != std::string_view::npos;
  };
  std::vector<std::pair<std::string, std::string>> renamed = renamed_;
  for (const Formula::Index& i : outer.indices) {
    std::string name = i.name + "_2";
    for (int k = 3; is_used(name); ++k) name = i.name + "_" + std::to_string(k);
    inner.indices.push_back({name, i.at, i.extent});
    renamed.emplace_back(i.name, name);
  }
  const Tokens begin = token_;
  const std::size_t number = open_fold(outer);
  const std::uint32_t item = parse_again(begin);
  inner.outer = number;
  const std::size_t counting = open_fold(inner);
  const std::uint32_t compared = parse_again(begin);
  std::swap(renamed_, renamed);
  const std::uint32_t other = parse_again(begin);
  std::swap(renamed_, renamed);
  const auto real = [&](double v) { return add({.kind = Kind::Real, .at = at, .real = v}); };
  const std::uint32_t is_below = apply(Function::Le, at, {other, compared});
  const std::uint32_t side = apply(Function::Select, at, {is_below, real(1), real(-1)});
  around_ = number;
  const std::uint32_t balance =
      add({.kind = Kind::Fold, .at = at, .operands = {side}, .fold = counting});
  const std::uint32_t is_half = apply(Function::Le, at, {real(0), balance});
  const std::uint32_t is_nan = apply(Function::Ne, at, {item, item});
  const std::uint32_t is_taken = apply(Function::Or, at, {is_half, is_nan});
  const std::uint32_t none = add({.kind = Kind::Neutral, .at = at, .operands = {item}});
  const std::uint32_t taken = apply(Function::Select, at, {is_taken, item, none});
  around_ = outer.outer;
  return add({.kind = Kind::Fold, .at = at, .operands = {taken}, .fold = number});
}

bool ValueParser::is_compaction() {
  if (*token_ != kCompact) return false;
  const Tokens begin = token_;
  token_.advance();
  const bool is_one = *token_ == "(" || (*token_ == "[" && is_reduction_list());
  token_ = begin;
  return is_one;
}

void ValueParser::parse_compaction() {
  const std::size_t at = token_.at();
  token_.advance();
  Formula::Fold over{.at = at, .is_compaction = true};
  if (*token_ == "[") {
    over.is_named = true;
    over.indices = parse_indices("in compact[...]", Listed::Folded);
  }
  if (*token_ != "(") token_.expect("(", "after compact[...]");
  auto [number, operands] = parse_operands(std::move(over));
  if (operands.size() != 2) {
    token_.fail_at(at, "compact takes 2 operands, not " + std::to_string(operands.size()), "E315",
                   "write compact(x[i], x[i] > 0): the items, and which of them are kept");
  }
  add({.kind = Kind::Compact, .at = at, .operands = std::move(operands), .fold = number});
}

// The one operand in parentheses, from there on.
std::uint32_t ValueParser::parse_again(const Tokens& begin) {
  token_ = begin;
  const std::size_t at = token_.at();
  const std::vector<std::uint32_t> operands = parse_list(")");
  check_number(at, kMedian, operands.size(), 1);
  return operands[0];
}

// At the < of `sum[n < 2 * K](...)`: the node of a sum of sizes.
std::uint32_t ValueParser::parse_extent() {
  token_.advance();
  const bool was_in_subscript = std::exchange(in_subscript_, true);
  const std::uint32_t extent = parse_value(0);
  in_subscript_ = was_in_subscript;
  return extent;
}

// At the [ of `cumsum[n](...)`.
std::uint32_t ValueParser::parse_scan_of(std::size_t at, Reduction how) {
  const std::string name = scan_name(how);
  if (in_subscript_) token_.fail_at(at, "the scan " + name + " in a subscript");
  Formula::Fold scan{.how = how, .at = at, .outer = around_, .is_named = true};
  const std::vector<Formula::Index> along = parse_indices("in " + name + "[...]", Listed::Scanned);
  if (along.size() != 1) {
    token_.fail_at(at, name + " runs along one index, not " + std::to_string(along.size()), "E314",
                   "name one index of the result, such as " + name + "[n](x[m, n])");
  }
  scan.scanned = along[0];
  const auto [number, operands] = parse_operands(std::move(scan));
  check_number(at, name, operands.size(), 1);
  return add({.kind = Kind::Fold, .at = at, .operands = {operands[0]}, .fold = number});
}

// What is parsed from here on stands inside.
std::size_t ValueParser::open_fold(const Formula::Fold& fold) {
  const std::size_t number = formula_.folds.size();
  if (number == kMostFolds) {
    token_.fail_at(fold.at, "more than " + std::to_string(kMostFolds) + " reductions", "E104",
                   "use several statements");
  }
  around_ = number;
  formula_.folds.push_back(fold);
  return number;
}

// From the ( behind a reduction or a scan to behind the ): its number, and its operands.
std::pair<std::size_t, std::vector<std::uint32_t>> ValueParser::parse_operands(Formula::Fold fold) {
  const std::size_t number = open_fold(fold);
  std::vector<std::uint32_t> operands = parse_list(")");
  around_ = fold.outer;
  return {number, std::move(operands)};
}

// At the second [ of `d[1][i, j]`, an element of tensor 1 of the list d: its name, d_1.
std::string ValueParser::member_of_list(std::size_t at, const std::string& name,
                                        const std::vector<std::uint32_t>& number) {
  const bool is_number = number.size() == 1 && formula_.nodes.size() == number[0] + 1 &&
                         formula_.nodes.back().kind == Kind::Integer;
  if (!is_number) {
    token_.fail_at(at, "what stands in the first brackets of " + name + "[...][...] is no number",
                   "E314",
                   "write the number of a tensor in a list, such as " + name +
                       "[0][i]; or all subscripts of one tensor in one pair, " + name + "[i, j]");
  }
  const std::string member = name + "_" + std::to_string(formula_.nodes.back().integer);
  formula_.nodes.pop_back();
  return member;
}

std::vector<std::uint32_t> ValueParser::parse_subscripts(std::size_t at, const std::string& name) {
  if (in_subscript_ && !has_loads_) {
    token_.unsupported(at, "a load in a subscript, " + name + "[...],",
                       "use indices and integers in subscripts");
  }
  const bool is_load = std::exchange(in_subscript_, true);
  std::vector<std::uint32_t> subscripts = parse_list("]");
  in_subscript_ = is_load;
  return subscripts;
}

std::uint32_t ValueParser::parse_element(std::size_t at, const std::string& name) {
  std::vector<std::uint32_t> subscripts = parse_subscripts(at, name);
  std::string read = name;
  if (*token_ == "[") {
    read = member_of_list(at, name, subscripts);
    subscripts = parse_subscripts(at, read);
  }
  return add({.kind = Kind::Element, .at = at, .name = read, .operands = std::move(subscripts)});
}

// At the ( of `values(x)[p, d]`: an item by its position among those of all rows.
std::uint32_t ValueParser::parse_item(std::size_t at) {
  if (!has_loads_) {
    token_.unsupported(at, "values(...) of an array of threads", "write its own subscripts");
  }
  token_.advance();
  const std::string name(*token_);
  if (name.empty() || !is_letter(name[0])) {
    token_.fail("expected the name of a tensor" + token_.found(), "E314", "write values(x)[p]");
  }
  token_.advance();
  token_.expect(")", "after values(" + name);
  if (*token_ != "[") token_.expect("[", "after values(" + name + ")");
  const std::uint32_t element = parse_element(at, name);
  formula_.nodes[element].is_by_position = true;
  return element;
}

// From the opening bracket to behind the closing one.
std::vector<std::uint32_t> ValueParser::parse_list(std::string_view close) {
  std::vector<std::uint32_t> items;
  token_.advance();
  while (*token_ != close) {
    if (!items.empty()) token_.expect(",");
    items.push_back(parse_value(0));
    token_.refuse_foreign();
    if (*token_ != close && *token_ != ",") token_.expect(close);
  }
  token_.advance();
  return items;
}

}  // namespace selvage
