#include <selvage/frontend/formula_scatter.h>

#include <algorithm>
#include <string>
#include <utility>

namespace selvage {

namespace {

using Kind = FormulaNode::Kind;

bool is_named(const Formula& formula, const std::string& name) {
  const auto has_name = [&](const auto& x) { return x.name == name; };
  return formula.target == name || std::ranges::any_of(formula.nodes, has_name) ||
         std::ranges::any_of(formula.indices, has_name);
}

std::string unused_index(const Formula& formula) {
  std::string name = "r";
  for (int k = 2; is_named(formula, name); ++k) name = "r_" + std::to_string(k);
  return name;
}

std::uint32_t add(Formula& formula, FormulaNode node) {
  formula.nodes.push_back(std::move(node));
  return std::uint32_t(formula.nodes.size() - 1);
}

}  // namespace

bool is_scatter(std::string_view statement) {
  const std::size_t open = statement.find('[');
  if (open == std::string_view::npos || statement.find('=') < open) return false;
  int depth = 0;
  bool has_load = false;
  std::size_t close = open;
  for (; close < statement.size(); ++close) {
    if (statement[close] == '[') has_load = ++depth > 1 || has_load;
    if (statement[close] == ']' && --depth == 0) break;
  }
  if (!has_load || close == statement.size()) return false;
  const std::size_t next = statement.find_first_not_of(" \t\n", close + 1);
  return next != std::string_view::npos && statement.substr(next).starts_with("+=");
}

std::optional<Formula::Index> make_scatter(Formula& formula,
                                           const std::vector<std::uint32_t>& subscripts) {
  const auto value = std::uint32_t(formula.nodes.size() - 1);
  for (std::uint32_t s : subscripts) {
    const FormulaNode& node = formula.nodes[s];
    if (node.kind != Kind::Name) continue;
    const auto is_same = [&](const Formula::Index& i) { return i.name == node.name; };
    if (std::ranges::any_of(formula.indices, is_same)) return Formula::Index{node.name, node.at};
    formula.indices.push_back({node.name, node.at});
  }
  const std::vector<Formula::Index> plain = std::exchange(formula.indices, {});
  std::optional<std::uint32_t> condition;
  auto next = plain.begin();
  for (std::uint32_t s : subscripts) {
    const std::size_t at = formula.nodes[s].at;
    if (formula.nodes[s].kind == Kind::Name) {
      formula.indices.push_back(*next++);
      continue;
    }
    // The names of indices that come later are taken, too.
    Formula all = {.target = formula.target, .indices = plain, .nodes = formula.nodes, .folds = {}};
    all.indices.insert(all.indices.end(), formula.indices.begin(), formula.indices.end());
    formula.indices.push_back({unused_index(all), at});
    const std::uint32_t index = add(
        formula, {.kind = Kind::Name, .at = at, .name = formula.indices.back().name, .inside = 0});
    const std::uint32_t is_here = add(formula, {.kind = Kind::Apply,
                                                .at = at,
                                                .function = Function::Eq,
                                                .operands = {s, index},
                                                .inside = 0});
    condition = !condition ? is_here
                           : add(formula, {.kind = Kind::Apply,
                                           .at = at,
                                           .function = Function::And,
                                           .operands = {*condition, is_here},
                                           .inside = 0});
  }
  const std::size_t at = formula.target_at;
  const std::uint32_t zero =
      add(formula, {.kind = Kind::Integer, .at = at, .integer = 0, .inside = 0});
  const std::uint32_t added = add(formula, {.kind = Kind::Apply,
                                            .at = at,
                                            .function = Function::Select,
                                            .operands = {*condition, value, zero},
                                            .inside = 0});
  add(formula, {.kind = Kind::Fold, .at = at, .operands = {added}, .fold = 0});
  return std::nullopt;
}

}  // namespace selvage
