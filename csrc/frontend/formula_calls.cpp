// What a name in front of parentheses means in a statement: an access mode, a fold, a function, a
// cast.
#include <selvage/frontend/formula_values.h>
#include <selvage/frontend/formula_words.h>
#include <selvage/frontend/readers.h>
#include <selvage/ir/function_text.h>

#include <algorithm>

namespace selvage {

namespace {

// What does outside of a kernel what a function of that name does elsewhere; null: it is none.
const char* instead_of_host(std::string_view name) {
  constexpr std::string_view kShow[] = {"print", "printf", "disp", "imshow", "plot"};
  constexpr std::string_view kLoad[] = {"load", "imread", "fopen", "read", "input"};
  constexpr std::string_view kSave[] = {"save", "imwrite", "write"};
  constexpr std::string_view kTime[] = {"tic", "toc", "clock", "time"};
  const auto is_in = [&](const auto& list) {
    return std::ranges::find(list, name) != std::end(list);
  };
  if (is_in(kShow)) return "compute it, and show it by schedule_inspect FILE --run --print NAME";
  if (is_in(kLoad)) return "declare an input, and give it by --input NAME=FILE.npy";
  if (is_in(kSave)) return "make it an output, and save it by --output NAME=FILE.npy";
  if (is_in(kTime)) return "schedule_inspect FILE --run --time says how long each kernel takes";
  return nullptr;
}

}  // namespace

// fill(x[...], e), safe(x[...]), checked(x[...]), or a remap of a subscript.
std::uint32_t ValueParser::parse_access_mode(std::size_t at, const std::string& name) {
  const auto remap = parse_remap(name);
  const bool may_be_around = name == "safe" || name == "checked";
  if (remap && (in_subscript_ || !may_be_around)) {
    if (!in_subscript_) {
      token_.fail_at(at, name + " stands outside of a subscript", "E314",
                     "write it around a subscript, such as x[" + name + "(i + 1)]");
    }
    std::vector<std::uint32_t> operands = parse_list(")");
    check_number(at, name, operands.size(), 1);
    if (formula_.nodes[operands[0]].kind == Kind::Remap) {
      token_.fail_at(at, name + " stands around another access mode", "E314",
                     "leave one of the two out: what a mode brings inside is not outside any more");
    }
    check_remap(at, *remap, name, is_any_loaded(operands));
    return add({.kind = Kind::Remap, .at = at, .remap = *remap, .operands = std::move(operands)});
  }
  const bool is_fill = name == "fill";
  if (in_subscript_) {
    token_.unsupported(at, "the access mode " + name + " in a subscript",
                       "write safe(x[...]) or fill(x[...], v) around the element");
  }
  std::vector<std::uint32_t> operands = parse_list(")");
  check_number(at, name, operands.size(), is_fill ? 2 : 1);
  FormulaNode& element = formula_.nodes[operands[0]];
  if (element.kind != Kind::Element) {
    token_.fail_at(at, name + " is to read an element", "E314",
                   is_fill ? "write fill(x[i + 1], 0)" : "write " + name + "(x[i + 1])");
  }
  if (name == "checked") return with_checks(operands[0]);
  element.is_filled = true;
  return add({.kind = Kind::Fill, .at = at, .operands = std::move(operands)});
}

// The element, just parsed, with `checked` around each subscript that has no mode.
std::uint32_t ValueParser::with_checks(std::uint32_t number) {
  FormulaNode element = std::move(formula_.nodes[number]);
  formula_.nodes.resize(number);
  in_subscript_ = true;
  for (std::uint32_t& k : element.operands) {
    if (formula_.nodes[k].kind == Kind::Remap) continue;
    k = add({.kind = Kind::Remap,
             .at = formula_.nodes[k].at,
             .remap = Remap::Checked,
             .operands = {k}});
  }
  in_subscript_ = false;
  return add(std::move(element));
}

// Not every mode is there for loads, and one is there for loads alone.
void ValueParser::check_remap(std::size_t at, Remap remap, const std::string& name,
                              bool is_loaded) {
  const bool is_of_loads = remap == Remap::Clamped || !access_mode(remap);
  if (is_loaded && !is_of_loads) {
    token_.unsupported(at, "the access mode " + name + " of a load",
                       "write clamped, safe, checked or unchecked around it");
  }
  if (!is_loaded && remap == Remap::Unchecked && !is_left_) {
    token_.unsupported(at, "the access mode " + name + " in a subscript without a load",
                       "write safe(x[...]) or fill(x[...], v) around the element");
  }
}

void ValueParser::check_number(std::size_t at, const std::string& name, std::size_t given,
                               std::size_t wanted) {
  if (given == wanted) return;
  token_.fail_at(at,
                 name + " takes " + std::to_string(wanted) + " operand" + (wanted == 1 ? "" : "s") +
                     ", not " + std::to_string(given),
                 "E315", name == "select" ? "write select(condition, a, b)" : "give it as many");
}

// At the ( behind max or min: a comma that belongs to it makes it pointwise.
bool ValueParser::has_one_operand() const {
  int depth = 0;
  for (char c : token_.rest()) {
    if (c == '(' || c == '[') ++depth;
    if (c == ',' && depth == 0) return false;
    if ((c == ')' || c == ']') && depth-- == 0) return true;
  }
  return false;
}

std::uint32_t ValueParser::parse_call(std::size_t at, const std::string& name) {
  if (is_access_mode(name)) return parse_access_mode(at, name);
  if (name == "fast") {
    const std::vector<std::uint32_t> operands = parse_list(")");
    check_number(at, name, operands.size(), 1);
    formula_.nodes[operands[0]].is_fast = true;
    return operands[0];
  }
  if (const auto of_complex = parse_of_complex(name)) {
    std::vector<std::uint32_t> operands = parse_list(")");
    const bool has_two = *of_complex == FormulaNode::OfComplex::FromParts;
    check_number(at, name, operands.size(), has_two ? 2 : 1);
    return add({.kind = Kind::Complex,
                .at = at,
                .of_complex = *of_complex,
                .operands = std::move(operands)});
  }
  const std::vector<Function> functions = named_functions();
  const auto function = std::find_if(functions.begin(), functions.end(),
                                     [&](Function f) { return info(f).text == name; });
  const auto reduction = parse_reduction(name);
  if (reduction && (function == functions.end() || has_one_operand())) {
    return parse_fold(at, *reduction);
  }
  if (name == kMedian) {
    token_.fail_at(at, "median does not say of what", "E314",
                   "name what it goes over, such as median[p < 3](x[mirror(i + p - 1)])");
  }
  if (name == kCompact) {
    token_.fail_at(at, "compact stands inside of a value", "E314",
                   "give it a statement of its own, such as kept[k] = compact(x[i], x[i] > 0)");
  }
  if (parse_scan(name)) {
    token_.fail_at(at, name + " does not say along which index it runs", "E314",
                   "name an index of the result, such as " + name + "[n](x[m, n])");
  }
  const std::optional<DataType> type = parse_data_type(name);
  if (!type && function == functions.end()) {
    if (const char* instead = instead_of_host(name)) {
      token_.fail_at(at, name + " is a function of the host, and no kernel has it", "E315",
                     instead);
    }
    std::vector<std::string_view> names(reduction_names().begin(), reduction_names().end());
    for (Function f : functions) names.push_back(info(f).text);
    token_.fail_at(
        at, "there is no function " + shown(name), "E315",
        meant(name, names, "use min, max, select, exp, relu, ..., or a type, such as float(x)"));
  }
  std::vector<std::uint32_t> operands = parse_list(")");
  check_number(at, name, operands.size(), type ? 1 : std::size_t(info(*function).arity));
  if (!type) return apply(*function, at, std::move(operands));
  return add({.kind = Kind::Cast, .at = at, .type = *type, .operands = std::move(operands)});
}

}  // namespace selvage
